// fault_test.h - what the programs of this folder share: expectations about error classes, agreed
// among ranks, under a watchdog. Plain MPI: the programs run on any MPI-IO.
#pragma once

#include <mpi.h>

#include <functional>
#include <initializer_list>
#include <string>
#include <vector>

namespace fault_test {

// One per process. Starts MPI; a program that does not end within `seconds` reports where it
// stands and exits with 3, so that a hang is a failure with a name.
class Session {
 public:
  // With `thread_level`: asks for that level of threads, and says there which one it is.
  Session(int* argc, char*** argv, int seconds, int* thread_level = nullptr);

  int rank() const { return rank_; }
  int size() const { return size_; }

  // Says what is being done, for the report of a failure or a hang.
  void at(const std::string& what);

  void expect(bool condition, const std::string& what);

  // This rank's call must have ended with one of `classes`.
  void expect_class(int code, std::initializer_list<int> classes, const std::string& what);

  // Collective: as expect_class, and every rank must have got the same class.
  void expect_all(int code, std::initializer_list<int> classes, const std::string& what);

  // Collective: ends MPI and returns the exit status: 0 if no rank saw a failure.
  int finish();

 private:
  void fail(const std::string& what);

  int rank_ = 0;
  int size_ = 1;
  int failures_ = 0;
  int checks_ = 0;
};

int class_of(int code);
std::string name_of(int code);

// Bytes that the status counts.
int64_t bytes_of(const MPI_Status& status);

// An info with the given pairs; the caller frees.
MPI_Info make_info(std::initializer_list<std::pair<const char*, std::string>> pairs);

}  // namespace fault_test
