// Several files, groups, threads and programs.
#include <map>
#include <memory>
#include <thread>

#include "mixed.h"

namespace independent_test {

void Mixed::several_files() {
  constexpr int kFiles = 5;
  std::vector<std::unique_ptr<SmallFile>> files;
  for (int f = 0; f < kFiles; ++f) {
    files.push_back(
        std::make_unique<SmallFile>(session_, MPI_COMM_WORLD, path_ + std::to_string(f), hints_));
  }
  for (int64_t i = 0; i < kRecords; ++i) {
    for (int f = 0; f < kFiles; ++f) {
      files[static_cast<size_t>(f)]->write(place(i, rank_), kRecordBytes, f);
    }
  }
  for (int f = 0; f < kFiles; ++f) {
    expect_own(*files[static_cast<size_t>(f)], f, "own records of file " + std::to_string(f));
  }
  files[2]->sync_barrier_sync();
  expect_everything(*files[2], 2, "the file that was synced");
  for (int f = kFiles - 1; f >= 0; --f) {
    files[static_cast<size_t>(f)]->close();
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int f = 0; f < kFiles; ++f) {
    const std::string path = path_ + std::to_string(f);
    session_.expect(plain_read(path, 0, records_end() + 1) == content(0, records_end(), f),
                    "file " + std::to_string(f) + " after its close");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  for (int f = rank_; f < kFiles; f += ranks_) {
    unlink((path_ + std::to_string(f)).c_str());
  }
}

void Mixed::communicators_in_turn() {
  SmallFile world(session_, MPI_COMM_WORLD, path_, hints_);
  write_records(world, 1);
  world.close();
  MPI_Barrier(MPI_COMM_WORLD);
  expect_on_storage(0, records_end(), 1, "after the close");
  MPI_Barrier(MPI_COMM_WORLD);

  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank_ % 2, -rank_, &half);
  SmallFile halves(session_, half, path_, hints_);
  expect_own(halves, 1, "what the world wrote");
  write_records(halves, 2);
  halves.close();
  MPI_Barrier(MPI_COMM_WORLD);
  expect_on_storage(0, records_end(), 2, "after both halves closed");
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Comm_free(&half);

  SmallFile self(session_, MPI_COMM_SELF, path_, hints_);
  expect_everything(self, 2, "what the halves wrote");
  MPI_Barrier(MPI_COMM_WORLD);
  write_records(self, 3);
  expect_own(self, 3, "own records by MPI_COMM_SELF");
  self.close();
  MPI_Barrier(MPI_COMM_WORLD);
  expect_on_storage(0, records_end(), 3, "after all closed");
}

// All but one rank: a host may have fewer of them than another, and needs no more pages for half as
// much memory again where the other does.
void Mixed::opened_with_more_memory() {
  MPI_Comm most = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank_ + 1 < ranks_ ? 0 : MPI_UNDEFINED, rank_, &most);
  if (most == MPI_COMM_NULL) {
    return;
  }
  for (const int64_t cache : {4096, 6144, 8192}) {
    HintPairs hints = hints_;
    std::erase_if(hints, [](const auto& hint) { return hint.first != "longshore_write_behind"; });
    hints.emplace_back("longshore_page_size", "4096");
    hints.emplace_back("longshore_cache_size", std::to_string(cache));
    SmallFile file(session_, most, path_, hints);
    write_records(file, 1);
    expect_own(file, 1, "own records in a cache of " + std::to_string(cache));
    file.close();
  }
  MPI_Comm_free(&most);
}

void Mixed::communicators_at_once() {
  MPI_Comm half = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, rank_ % 2, rank_, &half);
  SmallFile world(session_, MPI_COMM_WORLD, path_, hints_);
  SmallFile halves(session_, half, path_, hints_);
  SmallFile self(session_, MPI_COMM_SELF, path_, hints_);
  SmallFile* const handles[] = {&world, &halves, &self};
  for (int generation = 0; generation < 6; ++generation) {
    SmallFile& from = *handles[generation % 3];
    SmallFile& to = *handles[(generation + 1 + generation / 3) % 3];
    write_records(from, generation);
    from.sync();
    MPI_Barrier(MPI_COMM_WORLD);
    to.sync();
    expect_everything(to, generation, "through another communicator");
    expect_everything(to, generation, "through another communicator, again");
    MPI_Barrier(MPI_COMM_WORLD);
    from.sync();  // pages that it has read are old as soon as another one writes
  }
  self.close();
  halves.close();
  world.close();
  MPI_Comm_free(&half);
}

void Mixed::two_threads() {
  if (!threads_) {
    return;
  }
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  bool fine[2] = {true, true};
  const auto work = [&](int thread) {
    for (int generation = 0; generation < 3; ++generation) {
      for (int64_t i = thread; i < kRecords; i += 2) {
        fine[thread] &= file.try_write(place(i, rank_), kRecordBytes, generation);
        fine[thread] &= file.try_read(place(i, rank_), kRecordBytes, generation);
      }
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  session_.expect(fine[0] && fine[1], "a thread did not read what it wrote");
  file.sync_barrier_sync();
  expect_everything(file, 2, "what both threads of all ranks wrote");
  file.close();
}

// Of a file that nobody writes: who finds a page being loaded does not wait for it.
void Mixed::two_threads_that_read() {
  if (!threads_) {
    return;
  }
  SmallFile written(session_, MPI_COMM_WORLD, path_, hints_);
  write_records(written, 3);
  written.close();
  MPI_Barrier(MPI_COMM_WORLD);
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_, MPI_MODE_RDONLY);
  bool fine[2] = {true, true};
  const auto work = [&](int thread) {
    for (int64_t i = 0; i < 3 * kRecords; ++i) {
      fine[thread] &= file.try_read(place(i % kRecords, rank_), kRecordBytes, 3);
    }
  };
  std::thread other(work, 1);
  work(0);
  other.join();
  session_.expect(fine[0] && fine[1], "a thread did not read what is in the file");
  file.close();
}

void Mixed::computing_rank() {
  constexpr double kLeastSeconds = 0.2;
  constexpr double kMostSeconds = 20;
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  const auto done_by = [&](int rank) { return path_ + ".done" + std::to_string(rank); };
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == ranks_ - 1) {
    const double start = MPI_Wtime();
    int waiting_for = 0;
    while (MPI_Wtime() - start < kLeastSeconds ||
           (waiting_for < rank_ && MPI_Wtime() - start < kMostSeconds)) {
      waiting_for += waiting_for < rank_ && access(done_by(waiting_for).c_str(), F_OK) == 0;
    }
    session_.expect(waiting_for == rank_, "others waited for a rank that computes");
  } else {
    write_records(file, 4);
    expect_own(file, 4, "own records while a rank computes");
    create(done_by(rank_));
  }
  MPI_Barrier(MPI_COMM_WORLD);
  unlink(done_by(rank_).c_str());
  if (rank_ == ranks_ - 1) {
    write_records(file, 4);
  }
  file.sync_barrier_sync();
  expect_everything(file, 4, "at the end");
  file.close();
}

void Mixed::deleted_while_open() {
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  write_records(file, 1);
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank_ == 0) {
    session_.expect_class(MPI_File_delete(path_.c_str(), MPI_INFO_NULL), {MPI_SUCCESS}, "delete");
  }
  MPI_Barrier(MPI_COMM_WORLD);
  expect_own(file, 1, "a deleted file");
  write_records(file, 2);
  file.sync_barrier_sync();
  expect_everything(file, 2, "a deleted file after a sync");
  file.close();
  MPI_Barrier(MPI_COMM_WORLD);
  session_.expect(access(path_.c_str(), F_OK) != 0, "a deleted file came back");
}

void Mixed::delete_on_close() {
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_,
                 MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
  write_records(file, 1);
  expect_own(file, 1, "own records");
  file.close();
  MPI_Barrier(MPI_COMM_WORLD);
  session_.expect(access(path_.c_str(), F_OK) != 0, "MPI_MODE_DELETE_ON_CLOSE left the file");
}

void Mixed::own_and_others_writes() {
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  for (int generation = 0; generation < 60; ++generation) {
    const int64_t at = place(generation % 5, rank_);
    file.write(at, kRecordBytes, generation);
    file.expect(at, kRecordBytes, generation, "at once");
    file.write(at + 30, 20, generation + 1);
    file.expect(at + 30, 20, generation + 1, "a part of it at once");
    file.expect(at + 50, 50, generation, "the rest of it");
    file.write(at + 30, 20, generation);
  }
  file.sync_barrier_sync();
  for (int other = 0; other < ranks_; ++other) {
    file.expect(place(4, other), kRecordBytes, 59, "of others after sync, barrier, sync");
  }
  file.close();
}

void Mixed::shared_pointer() {
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  constexpr int kWords = 16;
  for (int i = 0; i < kRecords; ++i) {
    std::vector<int> record(kWords, rank_ * 1000 + i + 1);
    session_.expect_class(
        MPI_File_write_shared(file.handle(), record.data(), kWords, MPI_INT, MPI_STATUS_IGNORE),
        {MPI_SUCCESS}, "write_shared");
  }
  file.sync_barrier_sync();
  MPI_Offset end = -1;
  MPI_File_get_position_shared(file.handle(), &end);
  const int64_t bytes = kRecords * ranks_ * kWords * int64_t{sizeof(int)};
  session_.expect(end == bytes, "the shared pointer is at " + std::to_string(end));
  std::vector<int> all(static_cast<size_t>(bytes) / sizeof(int));
  MPI_File_read_at(file.handle(), 0, all.data(), static_cast<int>(all.size()), MPI_INT,
                   MPI_STATUS_IGNORE);
  std::map<int, int> next;
  bool right = true;
  for (size_t i = 0; i < all.size(); ++i) {
    const int rank = all[i] / 1000;
    right &= i % kWords == 0 ? all[i] % 1000 == ++next[rank] : all[i] == all[i - 1];
  }
  session_.expect(right && static_cast<int>(next.size()) == ranks_, "the records of write_shared");
  file.close();
}

}  // namespace independent_test
