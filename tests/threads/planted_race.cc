// Two threads and a file: a race that the sanitizer for threads must tell, whatever is suppressed.
//
// usage: planted_race none      the threads take turns: nothing must be told
//        planted_race program   both change a number of this program
//        planted_race library   one changes a buffer that the library reads for the other
#include <mpi.h>

#include <array>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <thread>

#include "../collective/scratch.h"

namespace {

constexpr int kRecordBytes = 100;

struct Shared {
  std::mutex turns;
  MPI_File file = MPI_FILE_NULL;
  int rank = 0;
  std::array<char, kRecordBytes> record = {};
  int changes = 0;
};

void change_number(Shared& shared) { ++shared.changes; }

void change_record(Shared& shared) { shared.record[7] = 'x'; }

void write_record(Shared& shared) {
  MPI_File_write_at(shared.file, MPI_Offset{shared.rank} * kRecordBytes, shared.record.data(),
                    kRecordBytes, MPI_CHAR, MPI_STATUS_IGNORE);
}

void take_turns(Shared& shared) {
  const std::lock_guard lock(shared.turns);
  change_number(shared);
  change_record(shared);
  write_record(shared);
}

void run_both(Shared& shared, void (*one)(Shared&), void (*other)(Shared&)) {
  std::thread beside([&] { one(shared); });
  other(shared);
  beside.join();
}

}  // namespace

int main(int argc, char** argv) {
  int level = MPI_THREAD_SINGLE;
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
  if (level != MPI_THREAD_MULTIPLE || argc != 2) {
    std::puts("FAIL: needs MPI_THREAD_MULTIPLE and a word");
    return 1;
  }
  Shared shared;
  MPI_Comm_rank(MPI_COMM_WORLD, &shared.rank);
  const std::string path =
      collective_test::scratch_path(collective_test::default_directory(), "race");
  MPI_File_open(MPI_COMM_WORLD, path.c_str(),
                MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                &shared.file);
  if (std::strcmp(argv[1], "program") == 0) {
    run_both(shared, change_number, change_number);
  } else if (std::strcmp(argv[1], "library") == 0) {
    run_both(shared, change_record, write_record);
  } else {
    run_both(shared, take_turns, take_turns);
  }
  MPI_File_close(&shared.file);
  MPI_Finalize();
  return 0;
}
