// case_runner.h - runs one case on the ranks of a communicator and compares it with the model.
#pragma once

#include <mpi.h>

#include <memory>
#include <string>

#include "live.h"
#include "model.h"
#include "options.h"
#include "phase_gen.h"
#include "polite.h"
#include "shared_check.h"

namespace random_test {

// The number of ranks that case `number` takes, 1 to `most`.
int ranks_of_case(uint64_t seed, int64_t number, int most);

// What this process does right now, for the report of a hang.
extern char current_activity[256];

class CaseRunner {
 public:
  CaseRunner(const Options& options, int64_t number, MPI_Comm comm);

  // Collective over the communicator. Returns true on every rank if no rank saw a difference.
  bool run();

  // Accesses that this rank made, and how many of them moved bytes.
  int64_t accesses() const { return accesses_; }
  int64_t moving() const { return moving_; }

 private:
  // --- sessions: from open to close ---
  void prepare_file();
  void draw_limits();
  int draw_amode(bool first);
  void session(bool first, bool last);
  bool open(int amode);
  void close();
  void step();
  bool shared_step();

  // --- single steps, each collective ---
  void set_view();
  void set_size();
  void preallocate();
  void seek_shared();
  void set_atomicity(bool atomic);
  void set_info();
  void query();
  void query_offsets();
  void run_phase(const Phase& phase);
  void run_accesses();
  void run_alternating();
  void leave_phase();
  void run_shared(bool write);
  void run_overlapping();

  // --- executing the accesses of this rank ---
  using Lives = std::vector<std::unique_ptr<Live>>;
  void execute(const Phase& phase, Lives& lives);
  void start_op(const Op& op, Lives& lives);
  void after_short_read(const Op& op);
  void finish_open(Lives& lives, How how);
  void finish_requests(Lives& lives);
  void set_shared_pointer(int64_t etypes);

  // --- judging ---
  void check_lives(const Lives& lives);
  void check_position(int64_t expected_etypes);
  void check_size(int64_t least_bytes);
  void check_shared_write(const Phase& phase);
  void check_shared_read(const Phase& phase, const Lives& lives);
  void check_atomic_access(const Op& op, const Live& live, const std::vector<AtomicWrite>& writes);
  void sync_point(bool compare);
  void compare_file();
  void compare_bytes(const std::vector<uint8_t>& actual);
  std::vector<uint8_t> read_actual();
  bool agree();
  void ok(int code, const char* call);
  void fail(const std::string& what);
  void say(const std::string& what);
  void describe_phase(const Phase& phase);

  bool has(const char* feature) const { return limits_.has(feature); }
  bool writable() const { return (model_.amode & MPI_MODE_RDONLY) == 0; }
  bool readable() const { return (model_.amode & MPI_MODE_WRONLY) == 0; }
  bool sequential() const { return (model_.amode & MPI_MODE_SEQUENTIAL) != 0; }

  const Options& options_;
  int64_t number_;
  MPI_Comm comm_;
  int rank_ = 0;
  Rng rng_;
  Model model_;
  PhaseLimits limits_;
  std::string datarep_ = "native";
  bool atomic_case_ = false;
  std::string path_;
  bool exists_ = false;
  MPI_File file_ = MPI_FILE_NULL;
  bool failed_ = false;   // on this rank
  bool stopped_ = false;  // some rank failed: all leave the case
  bool leaving_ = false;  // close next, with nothing between
  int phase_number_ = 0;
  int64_t accesses_ = 0;
  int64_t moving_ = 0;
};

}  // namespace random_test
