// A file of 5 GiB, made and read by single calls of more than 2 GiB, collective and independent.
//
// Memory is spared: a write sends one chunk again and again (a memory type of stride 0), and reads
// of more than 2 GiB are made by one rank at a time. Needs 2 ranks, 5 GiB of disk or memory for the
// file and 2.1 GiB for a buffer.
//
// usage: large_file [DIRECTORY]
#include <fcntl.h>
#include <mpi.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

constexpr int64_t kMiB = int64_t{1} << 20;
constexpr int64_t kGiB = int64_t{1} << 30;
constexpr int64_t kChunkBytes = 64 * kMiB;
constexpr int64_t kChunks = 40;  // per rank and call: 2.5 GiB
constexpr int64_t kRankBytes = kChunkBytes * kChunks;
constexpr int64_t kBlockBytes = kMiB;  // ranks take turns in blocks of this size
constexpr int64_t kReadBytes = 2 * kGiB + 64 * kMiB;

int rank = 0;
int size = 1;
int failures = 0;

void expect(bool condition, const std::string& what) {
  if (!condition) {
    std::fprintf(stderr, "FAIL rank %d: %s\n", rank, what.c_str());
    ++failures;
  }
}

void expect_ok(int code, const char* what) {
  char text[MPI_MAX_ERROR_STRING] = "";
  int length = 0;
  MPI_Error_string(code, text, &length);
  expect(code == MPI_SUCCESS, std::string(what) + ": " + text);
}

void expect_bytes(const MPI_Status& status, int64_t bytes, const char* what) {
  MPI_Count got = -1;
  MPI_Get_elements_x(&status, MPI_BYTE, &got);
  expect(got == bytes, std::string(what) + " counts " + std::to_string(got) + " bytes, not " +
                           std::to_string(bytes));
}

// The word at byte `at` of a chunk of `writer` in `round`.
uint64_t word(int64_t at, int writer, int round) {
  return (static_cast<uint64_t>(at) * 0x9e3779b97f4a7c15ULL) ^
         static_cast<uint64_t>(writer * 16 + round);
}

std::vector<uint64_t> make_chunk(int round) {
  std::vector<uint64_t> words(static_cast<size_t>(kChunkBytes / 8));
  for (size_t i = 0; i < words.size(); ++i) {
    words[i] = word(static_cast<int64_t>(i) * 8, rank, round);
  }
  return words;
}

// What round 1 (blocks in turn) and round 2 (one stretch per rank) leave at a file position.
uint64_t expected_word(int64_t position, int round) {
  if (round == 1) {
    const int64_t block = position / kBlockBytes;
    const int64_t in_view = block / size * kBlockBytes + position % kBlockBytes;
    return word(in_view % kChunkBytes, static_cast<int>(block % size), 1);
  }
  return word(position % kRankBytes % kChunkBytes, static_cast<int>(position / kRankBytes), 2);
}

void check_words(const std::vector<uint64_t>& words, int64_t position, int round,
                 const char* what) {
  for (size_t i = 0; i < words.size(); ++i) {
    const int64_t at = position + static_cast<int64_t>(i) * 8;
    if (words[i] != expected_word(at, round)) {
      expect(false, std::string(what) + ": wrong word at byte " + std::to_string(at));
      return;
    }
  }
}

// One chunk of memory, sent kChunks times.
MPI_Datatype repeated_chunk() {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_create_hvector(static_cast<int>(kChunks), static_cast<int>(kChunkBytes), 0, MPI_BYTE,
                          &type);
  MPI_Type_commit(&type);
  return type;
}

#if MPI_VERSION < 4
// `bytes` bytes in a row as one element, for calls whose count is an int.
MPI_Datatype one_stretch(int64_t bytes) {
  MPI_Datatype mebibyte = MPI_DATATYPE_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(kMiB), MPI_BYTE, &mebibyte);
  MPI_Type_contiguous(static_cast<int>(bytes / kMiB), mebibyte, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&mebibyte);
  return type;
}
#endif

void set_view_in_turn(MPI_File file) {
  MPI_Datatype block = MPI_DATATYPE_NULL;
  MPI_Datatype turn = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(kBlockBytes), MPI_BYTE, &block);
  MPI_Type_create_resized(block, 0, kBlockBytes * size, &turn);
  MPI_Type_commit(&turn);
  expect_ok(MPI_File_set_view(file, rank * kBlockBytes, MPI_BYTE, turn, "native", MPI_INFO_NULL),
            "set_view");
  MPI_Type_free(&block);
  MPI_Type_free(&turn);
}

void collective_write(MPI_File file) {
  const std::vector<uint64_t> chunk = make_chunk(1);
  MPI_Datatype type = repeated_chunk();
  set_view_in_turn(file);
  MPI_Status status;
  expect_ok(MPI_File_write_at_all(file, 0, chunk.data(), 1, type, &status), "write_at_all");
  expect_bytes(status, kRankBytes, "write_at_all");
  MPI_Type_free(&type);
  MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
}

void independent_write(MPI_File file) {
  const std::vector<uint64_t> chunk = make_chunk(2);
  MPI_Datatype type = repeated_chunk();
  MPI_Status status;
  expect_ok(MPI_File_write_at(file, rank * kRankBytes, chunk.data(), 1, type, &status), "write_at");
  expect_bytes(status, kRankBytes, "write_at");
  MPI_Type_free(&type);
}

struct Read {
  bool collective;
  int reader;  // the rank that reads kReadBytes; the others take part with one MiB
  int64_t position;
  int round;
};

int read_call(MPI_File file, const Read& read, std::vector<uint64_t>& words, MPI_Status* status) {
  const auto bytes = static_cast<int64_t>(words.size() * 8);
#if MPI_VERSION >= 4
  return read.collective
             ? MPI_File_read_at_all_c(file, read.position, words.data(), bytes, MPI_BYTE, status)
             : MPI_File_read_at_c(file, read.position, words.data(), bytes, MPI_BYTE, status);
#else
  MPI_Datatype type = one_stretch(bytes);
  const int code = read.collective
                       ? MPI_File_read_at_all(file, read.position, words.data(), 1, type, status)
                       : MPI_File_read_at(file, read.position, words.data(), 1, type, status);
  MPI_Type_free(&type);
  return code;
#endif
}

void read_back(MPI_File file, const Read& read) {
  const char* what = read.collective ? "read_at_all" : "read_at";
  const int64_t bytes = rank == read.reader ? kReadBytes : kMiB;
  if (read.collective || rank == read.reader) {
    std::vector<uint64_t> words(static_cast<size_t>(bytes / 8));
    MPI_Status status;
    expect_ok(read_call(file, read, words, &status), what);
    expect_bytes(status, bytes, what);
    check_words(words, read.position, read.round, what);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// Memory if there is plenty of it, else the current folder.
std::string choose_directory(int argc, char** argv) {
  struct statvfs info {};
  const int64_t memory_bytes = int64_t{sysconf(_SC_AVPHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  const bool fits =
      statvfs("/dev/shm", &info) == 0 &&
      static_cast<int64_t>(info.f_bavail) * static_cast<int64_t>(info.f_bsize) > 6 * kGiB &&
      memory_bytes > 11 * kGiB;
  std::string chosen = argc > 1 ? argv[1] : (fits ? "/dev/shm" : ".");
  chosen += "/longshore_large." + std::to_string(getpid());
  chosen.resize(256, '\0');
  MPI_Bcast(chosen.data(), 256, MPI_CHAR, 0, MPI_COMM_WORLD);
  return chosen.c_str();
}

double seconds_of(void (*step)(MPI_File), MPI_File file) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start = MPI_Wtime();
  step(file);
  MPI_Barrier(MPI_COMM_WORLD);
  return MPI_Wtime() - start;
}

void read_round(MPI_File file, int round) {
  // From below 2 GiB to beyond 4 GiB.
  const int64_t position = size * kRankBytes - kReadBytes - 512 * kMiB;
  read_back(file, {round == 1, round == 1 ? 0 : 1, position, round});
}

}  // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  const std::string path = choose_directory(argc, argv);
  MPI_File file = MPI_FILE_NULL;
  expect_ok(MPI_File_open(MPI_COMM_WORLD, path.c_str(),
                          MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL,
                          &file),
            "open");
  const double collective_s = seconds_of(collective_write, file);
  const double read_all_s = seconds_of([](MPI_File f) { read_round(f, 1); }, file);
  const double independent_s = seconds_of(independent_write, file);
  const double read_s = seconds_of([](MPI_File f) { read_round(f, 2); }, file);
  MPI_Offset bytes = 0;
  expect_ok(MPI_File_get_size(file, &bytes), "get_size");
  expect(bytes == size * kRankBytes, "the size is " + std::to_string(bytes));
  expect_ok(MPI_File_close(&file), "close");
  int total = 0;
  MPI_Allreduce(&failures, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) {
    unlink(path.c_str());
    std::printf(
        "%s: %lld bytes; write_at_all %.1f s, read_at_all %.1f s, write_at %.1f s, "
        "read_at %.1f s; %d failures\n",
        path.c_str(), static_cast<long long>(bytes), collective_s, read_all_s, independent_s,
        read_s, total);
  }
  MPI_Finalize();
  return total == 0 ? 0 : 1;
}
