// longshore-workload - one I/O pattern on one shared file, timed and checked.
//
// A plain MPI program that knows nothing of Longshore: the same binary runs on the stock MPI-IO
// and, with the library preloaded, on Longshore. Each repetition: remove the file; fill memory;
// open; common start; timed: all writes and the close; with --cold, let the page cache go of the
// file; clear memory; open; common start; timed: all reads and the close; check memory; check the
// file by pread.
#include <dlfcn.h>
#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include "workloads/check.h"
#include "workloads/content.h"
#include "workloads/file_check.h"
#include "workloads/options.h"
#include "workloads/transfer.h"

namespace longshore::bench {
namespace {

struct Run {
  Options options;
  int rank = 0;
  int ranks = 1;
  int64_t bytes = 0;  // really written by all ranks
  size_t calls = 0;
  std::vector<Times> writes;
  std::vector<Times> reads;
  std::string wrong;  // empty if every byte that was written was right
  std::string hole;   // empty if every byte of the holes was zero
};

int64_t bytes_of(const std::vector<Workload>& parts) {
  int64_t bytes = 0;
  for (const auto& part : parts) {
    for (const auto& call : part.calls) {
      bytes += part.bytes_of(call);
    }
  }
  return bytes;
}

std::vector<Workload> make_parts(const Run& run) {
  const auto make_all = [&](auto make, int64_t bytes) {
    std::vector<Workload> parts;
    for (int rank = 0; rank < run.ranks; ++rank) {
      parts.push_back(make(Part{rank, run.ranks, bytes}));
    }
    return parts;
  };
  auto parts = make_all(run.options.workload->make, run.options.bytes);
  return run.options.limit ? make_all(make_contiguous, bytes_of(parts)) : std::move(parts);
}

void remove_file(const Run& run) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (run.rank == 0) {
    unlink(run.options.plain_file.c_str());
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

// The file goes to its medium and out of this host's page cache. On tmpfs, which is its own medium,
// nothing happens.
void cool_file(const Run& run) {
  MPI_Barrier(MPI_COMM_WORLD);
  if (run.rank == 0) {
    const int fd = open(run.options.plain_file.c_str(), O_RDONLY | O_CLOEXEC);
    check_errno(fd >= 0, run.options.plain_file);
    check_errno(fsync(fd) == 0, "fsync");
    (void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
    close(fd);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void flip_byte(const Run& run, int64_t offset) {
  if (run.rank == 0) {
    FILE* file = std::fopen(run.options.plain_file.c_str(), "r+b");
    check_errno(file != nullptr, run.options.plain_file);
    std::fseek(file, static_cast<long>(offset), SEEK_SET);
    const int byte = std::fgetc(file);
    std::fseek(file, static_cast<long>(offset), SEEK_SET);
    std::fputc(byte ^ 1, file);
    std::fclose(file);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

Times transfer(const Run& run, const Workload& own, Direction direction,
               std::vector<std::byte>& buffer) {
  return run.options.limit ? run_limit(run.options, own, direction, buffer)
                           : run_mpiio(run.options, own, direction, buffer);
}

// What is wrong with this rank's memory after the read, on the lowest rank where something is.
void judge_memory(Run& run, int64_t wrong) {
  std::vector<int64_t> all(static_cast<size_t>(run.ranks));
  MPI_Allgather(&wrong, 1, MPI_INT64_T, all.data(), 1, MPI_INT64_T, MPI_COMM_WORLD);
  for (int rank = 0; rank < run.ranks && run.wrong.empty(); ++rank) {
    const int64_t found = all[static_cast<size_t>(rank)];
    if (found >= 0) {
      run.wrong = "rank " + std::to_string(rank) + " read a wrong byte from offset " +
                  std::to_string(found);
    } else if (found < -1) {
      run.wrong = "rank " + std::to_string(rank) + ": the read changed byte " +
                  std::to_string(-2 - found) + " of the buffer, which no call names";
    }
  }
}

// Where the first byte of the first call stands.
int64_t first_offset(const Workload& workload) {
  int64_t first = -1;
  for_each_segment(workload, workload.calls.front(), [&first](const Segment& segment) {
    first = first < 0 ? segment.file_offset : first;
  });
  return first;
}

void repeat_once(Run& run, const std::vector<Workload>& parts, int repetition,
                 std::vector<std::byte>& buffer) {
  const auto& own = parts[static_cast<size_t>(run.rank)];
  remove_file(run);
  std::fill(buffer.begin(), buffer.end(), std::byte{0xa5});
  fill_memory(own, repetition, buffer);
  run.writes.push_back(transfer(run, own, Direction::kWrite, buffer));
  std::fill(buffer.begin(), buffer.end(), std::byte{0});
  if (run.options.cold) {
    cool_file(run);
  }
  run.reads.push_back(transfer(run, own, Direction::kRead, buffer));
  judge_memory(run, check_memory(own, repetition, buffer));
  if (run.options.corrupt) {
    flip_byte(run, first_offset(own));
  }
  const auto found = find_wrong_bytes({run.options.plain_file, parts, repetition});
  if (found.written && run.wrong.empty()) {
    run.wrong = "the file is wrong at offset " + std::to_string(*found.written);
  }
  if (run.options.workload->dense && found.length != run.bytes && run.wrong.empty()) {
    run.wrong = "the pattern is to have no holes, but has some";
  }
  if (found.hole && run.hole.empty()) {
    run.hole = "the file is not zero in a hole, at offset " + std::to_string(*found.hole);
  }
}

double median(const std::vector<Times>& times, double Times::*which) {
  std::vector<double> values;
  for (const auto& one : times) {
    values.push_back(one.*which);
  }
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// Whose MPI-IO this process has.
const char* io_library() {
  Dl_info info{};
  void* const symbol = dlsym(RTLD_DEFAULT, "MPI_File_open");
  const bool known = symbol != nullptr && dladdr(symbol, &info) != 0;
  return known && std::strstr(info.dli_fname, "liblongshore") != nullptr ? "longshore" : "stock";
}

// In JSON's quotes; control characters become blanks.
std::string quoted(const std::string& text) {
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    result += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return result + "\"";
}

std::string mpi_version() {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  MPI_Get_library_version(text.data(), &length);
  const std::string all = text.data();
  return all.substr(0, all.find('\n'));
}

void report(const Run& run) {
  const auto& options = run.options;
  const bool only_hole = run.wrong.empty() && !run.hole.empty();
  const auto& wrong = only_hole ? run.hole : run.wrong;
  std::printf(
      "{\"workload\": %s, \"mode\": \"%s\", \"io\": \"%s\", \"collective\": %s, "
      "\"ranks\": %d, \"bytes\": %lld, \"calls\": %zu, \"inner\": %d, \"cold\": %s, "
      "\"write_seconds\": %.6f, \"write_call_seconds\": %.6f, "
      "\"read_seconds\": %.6f, \"read_call_seconds\": %.6f, "
      "\"verified\": %s, \"only_holes\": %s, \"wrong\": %s, \"mpi\": %s}\n",
      quoted(options.workload->name).c_str(), options.limit ? "limit" : "mpiio", io_library(),
      options.independent ? "false" : "true", run.ranks, static_cast<long long>(run.bytes),
      run.calls, options.inner, options.cold ? "true" : "false", median(run.writes, &Times::total),
      median(run.writes, &Times::calls), median(run.reads, &Times::total),
      median(run.reads, &Times::calls), wrong.empty() ? "true" : "false",
      only_hole ? "true" : "false", quoted(wrong).c_str(), quoted(mpi_version()).c_str());
  std::fflush(stdout);
  if (!wrong.empty()) {
    std::fprintf(stderr, "longshore-workload: %s: %s\n", options.workload->name.c_str(),
                 wrong.c_str());
  }
}

bool execute(int argc, char** argv) {
  Run run;
  MPI_Comm_rank(MPI_COMM_WORLD, &run.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &run.ranks);
  run.options = parse(argc, argv, run.ranks);
  const auto parts = make_parts(run);
  const auto& own = parts[static_cast<size_t>(run.rank)];
  run.bytes = bytes_of(parts);
  run.calls = own.calls.size();
  std::vector<std::byte> buffer(static_cast<size_t>(own.memory_bytes));
  for (int i = 0; i < run.options.inner; ++i) {
    repeat_once(run, parts, i, buffer);
  }
  if (run.rank == 0) {
    report(run);
  }
  if (!run.options.keep) {
    remove_file(run);
  }
  return run.wrong.empty() && run.hole.empty();
}

}  // namespace
}  // namespace longshore::bench

int main(int argc, char** argv) {
  if (longshore::bench::answer_questions(argc, argv)) {
    return 0;
  }
  MPI_Init(&argc, &argv);
  const bool ok = longshore::bench::execute(argc, argv);
  MPI_Finalize();
  return ok ? 0 : longshore::bench::kWrongBytes;
}
