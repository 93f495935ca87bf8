// Which error handler hears of an error, and what the program sees then.
//
// usage: error_handlers             the checks that a program survives
//        error_handlers fatal       sets MPI_ERRORS_ARE_FATAL and errs: must not reach its end
//        error_handlers fatal_open  the same on MPI_FILE_NULL, by a failing open
//        error_handlers wait        an error of a nonblocking write, under fatal communicators
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstring>

#include "fault_test.h"

namespace {

using fault_test::Session;

int calls = 0;
int last_class = MPI_SUCCESS;
MPI_File last_file = MPI_FILE_NULL;

void note(MPI_File* file, int* code, ...) {
  ++calls;
  last_class = fault_test::class_of(*code);
  last_file = *file;
}

MPI_File open_scratch(Session& session) {
  MPI_File file = MPI_FILE_NULL;
  const int code = MPI_File_open(MPI_COMM_WORLD, "scratch",
                                 MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE,
                                 MPI_INFO_NULL, &file);
  session.expect_all(code, {MPI_SUCCESS}, "open");
  return file;
}

int failing_write(MPI_File file) {
  int value = 0;
  MPI_Status status;
  return MPI_File_write_at(file, -1, &value, 1, MPI_INT, &status);
}

int failing_open() {
  MPI_File file = MPI_FILE_NULL;
  return MPI_File_open(MPI_COMM_WORLD, "nowhere", MPI_MODE_RDONLY, MPI_INFO_NULL, &file);
}

void defaults(Session& session) {
  session.at("default handlers");
  MPI_File file = open_scratch(session);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_File_get_errhandler(file, &handler);
  session.expect(handler == MPI_ERRORS_RETURN, "a new file returns its errors");
  MPI_Errhandler_free(&handler);
  MPI_File_get_errhandler(MPI_FILE_NULL, &handler);
  session.expect(handler == MPI_ERRORS_RETURN, "MPI_FILE_NULL returns its errors");
  MPI_Errhandler_free(&handler);
  MPI_File_close(&file);
}

void own_handler(Session& session) {
  session.at("a handler of the program");
  MPI_File file = open_scratch(session);
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_File_create_errhandler(note, &handler);
  MPI_File_set_errhandler(file, handler);
  calls = 0;
  session.expect_class(failing_write(file), {MPI_ERR_ARG}, "write at -1");
  session.expect(calls == 1, "the handler was called " + std::to_string(calls) + " times");
  session.expect(last_class == MPI_ERR_ARG, "the handler got " + fault_test::name_of(last_class));
  session.expect(last_file == file, "the handler got another file");
  MPI_File_call_errhandler(file, MPI_ERR_ARG);
  session.expect(calls == 2, "MPI_File_call_errhandler calls it");
  MPI_File_set_errhandler(file, MPI_ERRORS_RETURN);
  session.expect_class(failing_write(file), {MPI_ERR_ARG}, "write at -1 again");
  session.expect(calls == 2, "the handler is out of use");
  MPI_Errhandler_free(&handler);
  MPI_File_close(&file);
}

void handler_of_null(Session& session) {
  session.at("a handler of MPI_FILE_NULL");
  MPI_Errhandler handler = MPI_ERRHANDLER_NULL;
  MPI_File_create_errhandler(note, &handler);
  MPI_File_set_errhandler(MPI_FILE_NULL, handler);
  calls = 0;
  session.expect_all(failing_open(), {MPI_ERR_NO_SUCH_FILE}, "open of a missing file");
  session.expect(calls == 1 && last_class == MPI_ERR_NO_SUCH_FILE,
                 "open: " + std::to_string(calls) + " calls, " + fault_test::name_of(last_class));
  MPI_File file = open_scratch(session);
  session.expect_class(failing_write(file), {MPI_ERR_ARG}, "write at -1");
  session.expect(calls == 2, "a new file inherits the handler");
  MPI_File_close(&file);
  MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN);
  MPI_Errhandler_free(&handler);
}

// An error of a nonblocking operation belongs to its file, whose handler returns: MPI_Wait must
// not bring the communicator's fatal handler upon the program.
void error_in_wait(Session& session) {
  session.at("an error in MPI_Wait");
  MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_ARE_FATAL);
  std::signal(SIGXFSZ, SIG_IGN);
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const rlimit limit{100, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &limit);
  MPI_File file = open_scratch(session);
  std::vector<char> bytes(5000, 'x');
  MPI_Request request = MPI_REQUEST_NULL;
  MPI_Status status;
  int code = MPI_File_iwrite_at(file, 0, bytes.data(), 5000, MPI_BYTE, &request);
  code = code == MPI_SUCCESS ? MPI_Wait(&request, &status) : code;
  session.expect_class(code, {MPI_ERR_IO, MPI_ERR_NO_SPACE}, "iwrite_at past the limit");
  setrlimit(RLIMIT_FSIZE, &before);
  MPI_File_close(&file);
}

}  // namespace

int main(int argc, char** argv) {
  Session session(&argc, &argv, 40);
  if (argc == 2 && std::strcmp(argv[1], "fatal") == 0) {
    MPI_File file = open_scratch(session);
    MPI_File_set_errhandler(file, MPI_ERRORS_ARE_FATAL);
    failing_write(file);
    std::puts("SURVIVED");
  } else if (argc == 2 && std::strcmp(argv[1], "fatal_open") == 0) {
    MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_ARE_FATAL);
    failing_open();
    std::puts("SURVIVED");
  } else if (argc == 2 && std::strcmp(argv[1], "wait") == 0) {
    error_in_wait(session);
  } else {
    defaults(session);
    own_handler(session);
    handler_of_null(session);
  }
  return session.finish();
}
