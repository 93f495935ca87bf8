#include "fault_test.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace fault_test {

namespace {

char activity[300] = "start";
char last_check[200] = "";
int watched_rank = -1;

void report_hang(int) {
  char text[600];
  const int length = std::snprintf(text, sizeof text, "HANG rank %d: %s, after the check of: %s\n",
                                   watched_rank, activity, last_check);
  if (write(STDERR_FILENO, text, static_cast<size_t>(length)) < 0) {
    _exit(4);
  }
  sleep(1);  // lets the other ranks report as well
  _exit(3);
}

std::string names(std::initializer_list<int> classes) {
  std::string text;
  for (int c : classes) {
    text += (text.empty() ? "" : " or ") + name_of(c);
  }
  return text;
}

}  // namespace

Session::Session(int* argc, char*** argv, int seconds, int* thread_level) {
  if (thread_level != nullptr) {
    MPI_Init_thread(argc, argv, *thread_level, thread_level);
  } else {
    MPI_Init(argc, argv);
  }
  // Some MPIs raise the errors of MPI_Wait on the communicator rather than on the file. That has a
  // test of its own, error_handlers.cc; the others go on.
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &size_);
  watched_rank = rank_;
  std::signal(SIGALRM, report_hang);
  alarm(static_cast<unsigned>(seconds));
}

void Session::at(const std::string& what) {
  std::snprintf(activity, sizeof activity, "%s", what.c_str());
}

void Session::fail(const std::string& what) {
  std::fprintf(stderr, "FAIL rank %d: %s: %s\n", rank_, activity, what.c_str());
  ++failures_;
}

void Session::expect(bool condition, const std::string& what) {
  ++checks_;
  if (!condition) {
    fail(what);
  }
}

void Session::expect_class(int code, std::initializer_list<int> classes, const std::string& what) {
  const int got = class_of(code);
  const bool fits = std::any_of(classes.begin(), classes.end(), [&](int c) { return c == got; });
  expect(fits, what + " gave " + name_of(code) + ", expected " + names(classes));
}

void Session::expect_all(int code, std::initializer_list<int> classes, const std::string& what) {
  expect_class(code, classes, what);
  std::snprintf(last_check, sizeof last_check, "%s", what.c_str());
  int mine = class_of(code);
  std::vector<int> all(static_cast<size_t>(size_));
  MPI_Allgather(&mine, 1, MPI_INT, all.data(), 1, MPI_INT, MPI_COMM_WORLD);
  std::string list;
  for (int c : all) {
    list += " " + name_of(c);
  }
  const bool same = std::all_of(all.begin(), all.end(), [&](int c) { return c == mine; });
  expect(same || rank_ != 0, what + ": ranks differ:" + list);
}

int Session::finish() {
  int total = 0;
  at("the end");
  MPI_Allreduce(&failures_, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank_ == 0) {
    std::printf("%d checks on rank 0, %d failures on all ranks\n", checks_, total);
  }
  MPI_Finalize();
  return total == 0 ? 0 : 1;
}

int class_of(int code) {
  int out = MPI_SUCCESS;
  MPI_Error_class(code, &out);
  return out;
}

std::string name_of(int code) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(class_of(code), text, &length);
  char* end = std::strpbrk(text, ":,");
  return std::string(text, end != nullptr ? static_cast<size_t>(end - text) : std::strlen(text)) +
         "(" + std::to_string(class_of(code)) + ")";
}

int64_t bytes_of(const MPI_Status& status) {
  MPI_Count count = -1;
  MPI_Get_elements_x(&status, MPI_BYTE, &count);
  return count;
}

MPI_Info make_info(std::initializer_list<std::pair<const char*, std::string>> pairs) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  for (const auto& [key, value] : pairs) {
    MPI_Info_set(info, key, value.c_str());
  }
  return info;
}

}  // namespace fault_test
