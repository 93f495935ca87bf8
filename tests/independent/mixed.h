// mixed.h - small independent reads and writes beside everything else: the cases of mixed.cc.
#pragma once

#include <unistd.h>

#include <string>
#include <utility>

#include "small_file.h"

namespace independent_test {

constexpr int64_t kRecordBytes = 100;  // does not divide a page
constexpr int64_t kRecords = 90;       // of a rank

// Each case is collective over the world and leaves its failures with the session.
class Mixed {
 public:
  Mixed(Session& session, std::string path, HintPairs hints, bool threads)
      : session_(session),
        path_(std::move(path)),
        hints_(std::move(hints)),
        threads_(threads),
        rank_(session.rank()),
        ranks_(session.size()) {}

  void independent_and_collective();
  void several_files();
  void communicators_in_turn();
  void communicators_at_once();
  void opened_with_more_memory();
  void two_threads();
  void two_threads_that_read();
  void computing_rank();
  void reads_beside_a_flush();
  void writes_beside_a_flush();
  void no_memory_once();
  void far_out();
  void sync_then_plain_read();
  void set_size();
  void preallocate();
  void deleted_while_open();
  void atomic_and_back();
  void delete_on_close();
  void size_after_writes();
  void own_and_others_writes();
  void shared_pointer();
  void small_and_large();

  void remove_file() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_ == 0) {
      unlink(path_.c_str());
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

 private:
  // Records of the ranks lie in turn.
  int64_t place(int64_t record, int rank) const { return (record * ranks_ + rank) * kRecordBytes; }
  int64_t records_end() const { return place(kRecords, 0); }

  void write_records(SmallFile& file, int generation) {
    for (int64_t i = 0; i < kRecords; ++i) {
      file.write(place(i, rank_), kRecordBytes, generation);
    }
  }
  void expect_own(SmallFile& file, int generation, const std::string& what) {
    for (int64_t i = 0; i < kRecords; i += 7) {
      file.expect(place(i, rank_), kRecordBytes, generation, what);
    }
  }
  // Of all ranks, in pieces of another size than they were written in.
  void expect_everything(SmallFile& file, int generation, const std::string& what) {
    for (int64_t at = rank_; at < records_end() - 333; at += 4 * 333) {
      file.expect(at, 333, generation, what);
    }
  }
  void expect_on_storage(int64_t offset, int64_t count, int generation, const std::string& what) {
    session_.expect(plain_read(path_, offset, count) == content(offset, count, generation),
                    what + ": not in the file itself");
  }

  Session& session_;
  std::string path_;
  HintPairs hints_;
  bool threads_;
  int rank_;
  int ranks_;
};

}  // namespace independent_test
