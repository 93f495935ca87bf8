// Small pieces and the other calls on a file.
#include <sys/resource.h>

#include <algorithm>

#include "mixed.h"

namespace independent_test {

void Mixed::independent_and_collective() {
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  const int64_t mine = records_end() / ranks_;
  for (int round = 0; round < 3; ++round) {
    const int generation = 3 * round;
    write_records(file, generation);
    expect_own(file, generation, "own records");
    file.expect_all(place(5, rank_), kRecordBytes, generation, "own record, collectively");
    file.sync_barrier_sync();
    file.expect_all(rank_ * mine, mine, generation, "all records, collectively");
    expect_everything(file, generation, "all records");

    MPI_Barrier(MPI_COMM_WORLD);
    file.write_all(rank_ * mine, mine, generation + 1);
    file.expect(rank_ * mine + 11, 200, generation + 1, "own part after write_at_all");
    file.sync_barrier_sync();
    expect_everything(file, generation + 1, "after write_at_all");

    // Independent and collective calls that meet in the same pages, with nothing between.
    MPI_Barrier(MPI_COMM_WORLD);
    file.write(rank_ * mine + 13, 50, generation + 2);
    file.write_all(rank_ * mine + 63, 50, generation + 2);
    file.write(rank_ * mine + 113, 50, generation + 2);
    file.expect_all(rank_ * mine + 13, 150, generation + 2, "both kinds, collectively");
    file.expect(rank_ * mine + 13, 150, generation + 2, "both kinds");
    file.expect(rank_ * mine + 163, 50, generation + 1, "the bytes behind them");
    file.sync_barrier_sync();
  }
  file.close();
}

// A nonblocking collective sends pages to storage in its own time, and reads come meanwhile.
void Mixed::reads_beside_a_flush() {
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  const int64_t behind = records_end() + rank_ * kRecordBytes;
  for (int generation = 0; generation < 6; ++generation) {
    write_records(file, generation);
    Bytes bytes = content(behind, kRecordBytes, generation);
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_File_iwrite_at_all(file.handle(), behind, bytes.data(), static_cast<int>(bytes.size()),
                           MPI_BYTE, &request);
    for (int again = 0; again < 3; ++again) {
      expect_own(file, generation, "own records beside a flush");
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    file.expect(behind, kRecordBytes, generation, "what was written meanwhile");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  file.close();
}

// A write of many pieces goes on while pages are sent to storage, and is seen by who made it.
void Mixed::writes_beside_a_flush() {
  constexpr int kPieces = 10000;
  MPI_Datatype pieces = MPI_DATATYPE_NULL;
  MPI_Type_vector(kPieces, kRecordBytes, ranks_ * kRecordBytes, MPI_BYTE, &pieces);
  MPI_Type_commit(&pieces);
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  MPI_File_set_view(file.handle(), rank_ * kRecordBytes, MPI_BYTE, pieces, "native", MPI_INFO_NULL);
  for (int generation = 0; generation < 6; ++generation) {
    file.write(0, kRecordBytes, generation);  // so that there is something to flush
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_File_iwrite_at_all(file.handle(), 0, nullptr, 0, MPI_BYTE, &request);
    file.write(0, kPieces * kRecordBytes, generation);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    file.expect(0, kPieces * kRecordBytes, generation, "what was written beside a flush");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  file.close();
  MPI_Type_free(&pieces);
}

// One rank must not write files of any size, and memory for pages is one. The files after it are
// not hurt.
void Mixed::no_memory_once() {
  SmallFile(session_, MPI_COMM_WORLD, path_, hints_).close();
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  if (rank_ == ranks_ / 2) {
    const rlimit small{1024, before.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  SmallFile meanwhile(session_, MPI_COMM_WORLD, path_, hints_);
  setrlimit(RLIMIT_FSIZE, &before);
  write_records(meanwhile, 1);
  expect_own(meanwhile, 1, "own records without memory for pages");
  meanwhile.close();
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  write_records(file, 2);
  expect_own(file, 2, "own records after that");
  file.sync_barrier_sync();
  expect_everything(file, 2, "all records after that");
  file.close();
}

// With a fault no byte is ever written there. That is told once, and the file goes on.
void Mixed::far_out() {
  constexpr int64_t kFar = int64_t{1} << 30;
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  const Bytes bytes = content(kFar, 10, 1);
  int told = 0;
  for (int again = 0; again < 2; ++again) {
    const int code = MPI_File_write_at(file.handle(), kFar + rank_ * 10, bytes.data(), 10, MPI_BYTE,
                                       MPI_STATUS_IGNORE);
    told += code == MPI_SUCCESS ? 0 : 1;
    MPI_Barrier(MPI_COMM_WORLD);
  }
  told += MPI_File_sync(file.handle()) == MPI_SUCCESS ? 0 : 1;
  const int64_t mine = records_end() / ranks_;
  file.write_all(rank_ * mine, mine, 1);
  file.expect_all(rank_ * mine, mine, 1, "after a write far out, collectively");
  MPI_Barrier(MPI_COMM_WORLD);
  write_records(file, 2);
  file.sync_barrier_sync();
  expect_everything(file, 2, "after a write far out");
  session_.expect(told > 0 || file.size() > kFar, "a write that was lost was not told");
  file.close();
}

void Mixed::sync_then_plain_read() {
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  for (int generation = 0; generation < 3; ++generation) {
    write_records(file, generation);
    file.sync();
    MPI_Barrier(MPI_COMM_WORLD);
    expect_on_storage(0, records_end(), generation, "after a sync");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  // What another program changes is seen after a sync.
  file.expect(place(1, rank_), kRecordBytes, 2, "before the change");
  file.expect(place(1, rank_), kRecordBytes, 2, "before the change, again");
  MPI_Barrier(MPI_COMM_WORLD);
  plain_write(path_, place(1, rank_), content(place(1, rank_), kRecordBytes, 7));
  file.sync_barrier_sync();
  file.expect(place(1, rank_), kRecordBytes, 7, "what another program wrote");
  file.close();
}

void Mixed::set_size() {
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  write_records(file, 1);
  const int64_t shorter = records_end() / 2 + 37;
  session_.expect_class(MPI_File_set_size(file.handle(), shorter), {MPI_SUCCESS}, "set_size");
  session_.expect(file.size() == shorter, "size after shrinking is " + std::to_string(file.size()));
  file.expect_bytes(shorter - 20, 100, content(shorter - 20, 20, 1), "the end after shrinking");
  file.expect_bytes(shorter + 5, 10, {}, "beyond the end after shrinking");
  MPI_Barrier(MPI_COMM_WORLD);
  file.write(shorter + 1000 + rank_ * 64, 64, 2);
  session_.expect(file.size() >= shorter + 1064 + rank_ * 64, "size after a write beyond the end");
  file.expect_bytes(shorter + 500, 100, Bytes(100, 0), "between the old end and a new write");
  file.sync_barrier_sync();
  session_.expect(file.size() == shorter + 1000 + ranks_ * 64, "size after all writes");
  const int64_t longer = 2 * records_end();
  session_.expect_class(MPI_File_set_size(file.handle(), longer), {MPI_SUCCESS}, "set_size");
  session_.expect(file.size() == longer, "size after growing is " + std::to_string(file.size()));
  file.expect(shorter + 1000, ranks_ * 64, 2, "small writes before growing");
  file.expect_bytes(longer - 50, 100, Bytes(50, 0), "the end after growing");
  file.close();
  MPI_Barrier(MPI_COMM_WORLD);
  session_.expect(plain_read(path_, longer - 10, 20).size() == 10, "size of the file itself");
}

// Rank 0 may be far ahead of the others, whose records are beyond the end of the file on storage.
void Mixed::preallocate() {
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  if (rank_ != 0) {
    usleep(2000);
    session_.expect(file.size() == 0, "a size before this rank has come to preallocate");
  }
  session_.expect_class(MPI_File_preallocate(file.handle(), 10), {MPI_SUCCESS}, "preallocate");
  write_records(file, 1);
  const int64_t longer = 2 * records_end();
  session_.expect_class(MPI_File_preallocate(file.handle(), longer), {MPI_SUCCESS}, "preallocate");
  session_.expect(file.size() == longer, "size is " + std::to_string(file.size()));
  expect_everything(file, 1, "records after preallocating");
  file.expect_bytes(longer - 50, 100, Bytes(50, 0), "the end after preallocating");
  MPI_Barrier(MPI_COMM_WORLD);
  write_records(file, 2);
  session_.expect_class(MPI_File_preallocate(file.handle(), 1), {MPI_SUCCESS}, "preallocate");
  session_.expect(file.size() == longer, "preallocate never shortens");
  file.close();
  MPI_Barrier(MPI_COMM_WORLD);
  expect_on_storage(0, records_end(), 2, "after preallocating");
  session_.expect(plain_read(path_, longer - 10, 20) == Bytes(10, 0), "the end of the file itself");
}

void Mixed::atomic_and_back() {
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  const int next = (rank_ + 1) % ranks_;
  for (int generation = 0; generation < 8; generation += 2) {
    write_records(file, generation);
    MPI_File_set_atomicity(file.handle(), 1);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int64_t i = 0; i < kRecords; i += 9) {
      file.expect(place(i, next), kRecordBytes, generation, "nonatomic writes in atomic mode");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    write_records(file, generation + 1);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int64_t i = 0; i < kRecords; i += 9) {
      file.expect(place(i, next), kRecordBytes, generation + 1, "atomic writes without a sync");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File_set_atomicity(file.handle(), 0);
    expect_everything(file, generation + 1, "atomic writes in nonatomic mode");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  file.close();
}

void Mixed::size_after_writes() {
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  for (int64_t i = 0; i < kRecords; ++i) {
    file.write(place(i, rank_), kRecordBytes, 1);
    const int64_t least = place(i, rank_) + kRecordBytes;
    const int64_t size = file.size();
    session_.expect(
        size >= least && size <= records_end(),
        "size " + std::to_string(size) + " after a write that ends at " + std::to_string(least));
  }
  file.sync_barrier_sync();
  session_.expect(file.size() == records_end(), "size after all is " + std::to_string(file.size()));
  MPI_Offset end = -1;
  MPI_File_seek(file.handle(), 0, MPI_SEEK_END);
  MPI_File_get_position(file.handle(), &end);
  session_.expect(end == records_end(), "MPI_SEEK_END is " + std::to_string(end));
  file.close();
}

void Mixed::small_and_large() {
  constexpr int64_t kLargeBytes = 200000;
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  const int64_t begin = rank_ * kLargeBytes + rank_;
  const auto small = [&](int64_t at, int generation) {
    file.write(begin + at, kRecordBytes, generation);
  };
  for (int generation = 0; generation < 9; generation += 3) {
    small(5000, generation);
    small(70000, generation);
    file.write(begin, kLargeBytes, generation + 1);
    file.expect(begin + 4990, 300, generation + 1, "a large write over a small one");
    small(70050, generation + 2);
    small(150000, generation + 2);
    file.expect(begin + 150000, kRecordBytes, generation + 2, "a small write over a large one");
    Bytes wanted = content(begin, kLargeBytes, generation + 1);
    for (const int64_t at : {70050, 150000}) {
      const Bytes record = content(begin + at, kRecordBytes, generation + 2);
      std::copy(record.begin(), record.end(), wanted.begin() + at);
    }
    file.expect_bytes(begin, kLargeBytes, wanted, "a large read of both");
    file.sync_barrier_sync();
  }
  // A large read where storage has no bytes yet, but the file has.
  const int64_t beyond = (ranks_ + 2 * rank_) * kLargeBytes + 1000;
  file.write(beyond + kLargeBytes - kRecordBytes, kRecordBytes, 1);
  Bytes wanted(kLargeBytes, 0);
  const Bytes record = content(beyond + kLargeBytes - kRecordBytes, kRecordBytes, 1);
  std::copy(record.begin(), record.end(), wanted.end() - kRecordBytes);
  file.expect_bytes(beyond, kLargeBytes, wanted, "a large read beyond what storage has");
  file.close();
}

}  // namespace independent_test
