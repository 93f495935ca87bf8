// comm/rivals.h - windows and mailboxes of this process, which do not go together on every MPI.
#pragma once
#include <mpi.h>

#include <atomic>

#include "core/result.h"

namespace longshore {

// MPICH 4.0 over UCX does not guard a window's memory against threads that pass messages: bytes
// land in the wrong place, and MPI_Finalize ends with a failed assertion. There a process has
// windows or mailboxes, whichever came first.
class Rivals {
 public:
  // Counts one thing of a kind while it lives.
  class Ticket {
   public:
    explicit Ticket(std::atomic<int>& count) : count_(count) { ++count_; }
    ~Ticket() { --count_; }
    Ticket(const Ticket&) = delete;
    Ticket& operator=(const Ticket&) = delete;

   private:
    std::atomic<int>& count_;
  };
  static inline std::atomic<int> windows{0};
  static inline std::atomic<int> mailboxes{0};

  // kUnsupportedOperation if one of the other kind is there and that matters.
  [[nodiscard]] static Status check_none(const std::atomic<int>& others) {
#ifdef MPICH_VERSION
    if (others > 0) {
      return fail(ErrorClass::kUnsupportedOperation,
                  "MPICH does not take windows beside threads that serve other hosts");
    }
#endif
    (void)others;
    return {};
  }
};

}  // namespace longshore
