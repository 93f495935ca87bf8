// entry/requests.h - calls under way and the requests that stand for them.
//
// A request is a generalized one of the MPI. Two things MPI does not do for those: an error of the
// operation must go to the file's error handler, not to that of MPI_COMM_WORLD, which ends the job
// by default; and who waits for a file should not spin. So the completion calls (MPI_Wait, ...)
// pass through here; as long as no request of ours is alive, they cost one load more.
#pragma once
#include <mpi.h>

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <vector>

#include "core/result.h"
#include "datatype/decode_representation.h"
#include "file/file.h"

namespace longshore {

// One call under way: the buffer in the form the file takes, and how it ended.
struct Transfer {
  UserBuffer user;
  Operation operation;
  std::shared_ptr<const Representation> representation;  // null: bytes go as they are
  std::vector<std::byte> converted;
  Memory memory;
  Status ready;
  std::weak_ptr<File> file;  // what carries it out; gone only when the transfer has ended
  MPI_File handle = MPI_FILE_NULL;
  MPI_Request request = MPI_REQUEST_NULL;

  // Takes a read's bytes over from their form in the file and keeps the outcome, counted in the
  // program's bytes.
  void finish(Outcome moved);
  // Returns when finish() was called; the outcome is final then. The caller helps with the work.
  void wait();
  // After the MPI was told that the request is complete.
  void set_answered();
  // Returns then. REQUIRES: a request stands for it.
  void wait_for_answer();
  // How it ended. REQUIRES: finish() was called, as the MPI says by completing the request.
  [[nodiscard]] const Outcome& outcome() const {
    const std::lock_guard lock(mutex_);
    return outcome_;
  }

 private:
  mutable std::mutex mutex_;
  Outcome outcome_;
  std::condition_variable changed_;
  std::atomic<bool> finished_{false};
  bool answered_ = false;
};

// A new request for the transfer; kIntern if the MPI has none to give.
[[nodiscard]] Status start_request(std::shared_ptr<Transfer> transfer, MPI_Request* request);
// After finish(): lets the program's completion call return. Any thread.
void complete_request(Transfer& transfer);

// The byte count of an operation; nothing for MPI_STATUS_IGNORE.
void set_status(MPI_Status* status, int64_t bytes);

}  // namespace longshore
