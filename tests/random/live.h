// live.h - one access under way on this rank: its buffer, its request, its outcome.
#pragma once

#include <mpi.h>

#include <string>
#include <vector>

#include "plan.h"

namespace random_test {

class Live {
 public:
  // Makes the buffer and fills it. `op` must outlive this.
  Live(const Op& op, bool external32);
  ~Live();
  Live(const Live&) = delete;
  Live& operator=(const Live&) = delete;

  // Calls the MPI function that `op` stands for; returns its error code.
  int start(MPI_File file);

  // Completes what start() left open (a request, the end of a split collective).
  int finish(MPI_File file);

  bool open() const { return open_; }
  const Op& op() const { return op_; }
  MPI_Request* request() { return &request_; }

  // Takes the status of a request completed elsewhere.
  void completed(const MPI_Status& status);

  // Compares status and buffer, with every byte in it and around it, with `stream`. Returns what
  // differs first, or an empty string.
  std::string check(const std::vector<uint8_t>& stream) const;

  // The data stream that a read delivered, in file representation; `bytes` long at most.
  std::vector<uint8_t> received(size_t bytes) const;

 private:
  void make_call_arguments();
  int start_write(MPI_File file);
  int start_read(MPI_File file);
  int finish_split(MPI_File file);
  std::string check_status(int64_t bytes) const;

  const Op& op_;
  std::vector<int64_t> order_;  // memory offset of each byte of the stream
  std::vector<uint8_t> memory_;
  int64_t low_ = 0;  // memory offset of memory_[0]
  void* base_ = nullptr;
  void* buffer_ = nullptr;  // arguments of the call
  int count_ = 0;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  bool wrapped_ = false;  // type_ is ours to free
  MPI_Request request_ = MPI_REQUEST_NULL;
  MPI_Status status_{};
  bool open_ = false;
};

}  // namespace random_test
