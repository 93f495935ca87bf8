// A program that ends without closing its file: nothing is lost, hangs or crashes, on one host and
// over several.
//
// usage: forgotten_close FILE [SECONDS]      the last rank ends so much later than the others
#include <mpi.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  constexpr int kRecordBytes = 64;
  constexpr int kRecords = 100;
  MPI_Init(&argc, &argv);
  int rank = 0;
  int size = 1;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  MPI_File file = MPI_FILE_NULL;
  MPI_File_open(MPI_COMM_WORLD, argv[1], MPI_MODE_CREATE | MPI_MODE_WRONLY, MPI_INFO_NULL, &file);
  const std::string record(kRecordBytes, static_cast<char>('A' + rank));
  for (int i = 0; i < kRecords; ++i) {
    MPI_File_write_at(file, (i * size + rank) * kRecordBytes, record.data(), kRecordBytes, MPI_BYTE,
                      MPI_STATUS_IGNORE);
  }
  MPI_Barrier(MPI_COMM_WORLD);
  if (rank == size - 1 && argc > 2) {
    sleep(static_cast<unsigned>(std::atoi(argv[2])));
  }
  MPI_Finalize();
  if (rank != 0) {
    return 0;
  }
  std::vector<char> all(static_cast<size_t>(kRecords * size * kRecordBytes) + 1);
  std::FILE* got = std::fopen(argv[1], "r");
  const size_t bytes = got == nullptr ? 0 : std::fread(all.data(), 1, all.size(), got);
  unlink(argv[1]);
  bool right = bytes == all.size() - 1;
  for (size_t i = 0; i < bytes && right; ++i) {
    right = all[i] == static_cast<char>('A' + static_cast<int>(i / kRecordBytes) % size);
  }
  if (!right) {
    std::fprintf(stderr, "FAIL: of %zu bytes %zu are in the file, or wrong ones\n", all.size() - 1,
                 bytes);
  }
  return right ? 0 : 1;
}
