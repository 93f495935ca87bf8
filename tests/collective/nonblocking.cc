// Nonblocking collective calls go on while the program computes: most of a large iwrite_all is in
// the file before anybody waits for it, and not because the call itself had written it. And several
// of them may be under way on one file.
//
// usage: nonblocking [DIRECTORY]
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>

#include "../faults/fault_test.h"
#include "scratch.h"

namespace {

using fault_test::Session;

constexpr int kHangSeconds = 100;
constexpr int64_t kBlockBytes = 4096;
constexpr int64_t kLargeBytes = 256 << 20;  // of all ranks together
constexpr int64_t kSmallBytes = 4 << 20;
constexpr double kComputeSeconds = 1;
constexpr double kGoal = 0.8;
constexpr double kMostSecondsInCall = 0.1;
constexpr int kAttempts = 3;
constexpr int kInFlight = 3;

unsigned char content(int rank, int64_t position, int call) {
  return static_cast<unsigned char>(1 + (rank * 53 + position * 7 + position / 4099 + call) % 250);
}

// A file of interleaved blocks, new at each opening.
class BlockFile {
 public:
  BlockFile(Session& session, std::string path) : session_(session), path_(std::move(path)) {
    if (session.rank() == 0) {
      unlink(path_.c_str());
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const int code = MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                                   MPI_INFO_NULL, &file_);
    session_.expect_all(code, {MPI_SUCCESS}, "open");
    MPI_Datatype block = MPI_DATATYPE_NULL;
    MPI_Datatype turn = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(kBlockBytes, MPI_BYTE, &block);
    MPI_Type_create_resized(block, 0, kBlockBytes * session.size(), &turn);
    MPI_Type_commit(&turn);
    MPI_File_set_view(file_, kBlockBytes * session.rank(), MPI_BYTE, turn, "native", MPI_INFO_NULL);
    MPI_Type_free(&turn);
    MPI_Type_free(&block);
  }
  void close() {
    session_.expect_all(MPI_File_close(&file_), {MPI_SUCCESS}, "close");
    if (session_.rank() == 0) {
      unlink(path_.c_str());
    }
  }

  MPI_File handle() const { return file_; }
  int64_t allocated_bytes() const {
    struct stat about = {};
    return stat(path_.c_str(), &about) == 0 ? about.st_blocks * 512 : -1;
  }

 private:
  Session& session_;
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
};

volatile double sink = 0;

// Arithmetic, and no call of MPI.
void compute(double seconds) {
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (Clock::now() < end) {
    for (int i = 1; i < 20000; ++i) {
      sink = sink + 1.0 / i;
    }
  }
}

class Nonblocking {
 public:
  Nonblocking(Session& session, const std::string& dir)
      : session_(session), path_(collective_test::scratch_path(dir, "nonblocking")) {}

  // Others may keep the cores busy: the best of a few attempts counts.
  void goes_on_while_computing() {
    double best = 0;
    for (int attempt = 0; attempt < kAttempts && best < kGoal; ++attempt) {
      best = std::max(best, share_written_before_wait());
    }
    session_.expect(best >= kGoal, "only " + std::to_string(best) +
                                       " was there before the wait (0: the call took long)");
  }

  void several_in_flight() {
    BlockFile file(session_, path_);
    session_.at("three iwrite_all at once");
    const auto bytes = static_cast<size_t>(kSmallBytes / session_.size());
    std::array<std::vector<unsigned char>, kInFlight> buffers;
    for (int call = 0; call < kInFlight; ++call) {
      buffers[static_cast<size_t>(call)] = filled(bytes, call);
    }
    start_and_wait(file, buffers, true);
    session_.at("three iread_all at once");
    MPI_File_seek(file.handle(), 0, MPI_SEEK_SET);
    for (auto& buffer : buffers) {
      std::fill(buffer.begin(), buffer.end(), 0);
    }
    start_and_wait(file, buffers, false);
    for (int call = 0; call < kInFlight; ++call) {
      session_.expect(buffers[static_cast<size_t>(call)] == filled(bytes, call),
                      "iread_all " + std::to_string(call) + " read other bytes");
    }
    check_file(bytes * kInFlight, [&](int rank, int64_t position) {
      const auto length = static_cast<int64_t>(bytes);
      return content(rank, position % length, static_cast<int>(position / length));
    });
    file.close();
  }

  void among_null_requests() {
    BlockFile file(session_, path_);
    session_.at("waitall among null requests");
    constexpr size_t kAll = 6;
    constexpr int kBytes = 1 << 16;
    std::vector<unsigned char> bytes = filled(kBytes, 0);
    for (int round = 0; round < 100; ++round) {
      std::array<MPI_Request, kAll> requests;
      std::array<MPI_Status, kAll> statuses;
      requests.fill(MPI_REQUEST_NULL);
      for (size_t i = 1; i < kAll; i += 2) {
        MPI_File_iwrite_all(file.handle(), bytes.data(), kBytes, MPI_BYTE, &requests[i]);
      }
      session_.expect_class(MPI_Waitall(kAll, requests.data(), statuses.data()), {MPI_SUCCESS},
                            "waitall");
      for (size_t i = 0; i < kAll; ++i) {
        session_.expect(fault_test::bytes_of(statuses[i]) == (i % 2 == 1 ? kBytes : 0),
                        "the count of request " + std::to_string(i));
      }
    }
    file.close();
  }

 private:
  std::vector<unsigned char> filled(size_t bytes, int call) const {
    std::vector<unsigned char> buffer(bytes);
    for (size_t i = 0; i < bytes; ++i) {
      buffer[i] = content(session_.rank(), static_cast<int64_t>(i), call);
    }
    return buffer;
  }

  double share_written_before_wait() {
    BlockFile file(session_, path_);
    session_.at("a large iwrite_all");
    const auto bytes = static_cast<size_t>(kLargeBytes / session_.size());
    std::vector<unsigned char> buffer = filled(bytes, 0);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Request request = MPI_REQUEST_NULL;
    const double start = MPI_Wtime();
    const int code = MPI_File_iwrite_all(file.handle(), buffer.data(), static_cast<int>(bytes),
                                         MPI_BYTE, &request);
    const double called = MPI_Wtime();
    compute(kComputeSeconds);
    const int64_t there = file.allocated_bytes();
    const double before_wait = MPI_Wtime();
    MPI_Status status;
    session_.expect_class(code, {MPI_SUCCESS}, "iwrite_all");
    session_.expect_class(MPI_Wait(&request, &status), {MPI_SUCCESS}, "its wait");
    const double waited = MPI_Wtime();
    session_.expect(fault_test::bytes_of(status) == static_cast<int64_t>(bytes), "its count");
    MPI_Barrier(MPI_COMM_WORLD);
    check_file(bytes, [](int rank, int64_t position) { return content(rank, position, 0); });
    file.close();
    double share = static_cast<double>(there) / static_cast<double>(kLargeBytes);
    MPI_Bcast(&share, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    if (session_.rank() == 0) {
      std::printf(
          "iwrite_all of %lld MiB: the call took %.1f ms; after %.2f s of computation "
          "%.0f%% were there; the wait took %.1f ms\n",
          static_cast<long long>(kLargeBytes >> 20), (called - start) * 1e3, before_wait - called,
          share * 100, (waited - before_wait) * 1e3);
    }
    int blocked_somewhere = 0;
    const int blocked_here = called - start > kMostSecondsInCall ? 1 : 0;
    MPI_Allreduce(&blocked_here, &blocked_somewhere, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return blocked_somewhere != 0 ? 0 : share;
  }

  void start_and_wait(const BlockFile& file,
                      std::array<std::vector<unsigned char>, kInFlight>& buffers, bool writes) {
    std::array<MPI_Request, kInFlight> requests;
    std::array<MPI_Status, kInFlight> statuses;
    for (size_t i = 0; i < kInFlight; ++i) {
      const int count = static_cast<int>(buffers[i].size());
      unsigned char* const at = buffers[i].data();
      const int code = writes
                           ? MPI_File_iwrite_all(file.handle(), at, count, MPI_BYTE, &requests[i])
                           : MPI_File_iread_all(file.handle(), at, count, MPI_BYTE, &requests[i]);
      session_.expect_class(code, {MPI_SUCCESS}, "the start");
    }
    compute(0.02);
    session_.expect_class(MPI_Waitall(kInFlight, requests.data(), statuses.data()), {MPI_SUCCESS},
                          "waitall");
    for (size_t i = 0; i < kInFlight; ++i) {
      session_.expect(fault_test::bytes_of(statuses[i]) == static_cast<int64_t>(buffers[i].size()),
                      "the count of call " + std::to_string(i));
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  // Rank 0 looks at every byte. `wanted(rank, k)` is byte k of a rank's stream of `bytes`.
  template <typename Wanted>
  void check_file(size_t bytes, const Wanted& wanted) {
    if (session_.rank() != 0) {
      return;
    }
    const int fd = ::open(path_.c_str(), O_RDONLY);
    std::vector<unsigned char> block(kBlockBytes);
    int64_t wrong = 0;
    for (int64_t k = 0; k < static_cast<int64_t>(bytes); k += kBlockBytes) {
      for (int rank = 0; rank < session_.size(); ++rank) {
        const ssize_t got =
            ::pread(fd, block.data(), block.size(), k * session_.size() + rank * kBlockBytes);
        wrong += got == kBlockBytes ? 0 : kBlockBytes;
        for (int64_t i = 0; i < got; ++i) {
          wrong += block[static_cast<size_t>(i)] == wanted(rank, k + i) ? 0 : 1;
        }
      }
    }
    ::close(fd);
    session_.expect(wrong == 0, std::to_string(wrong) + " bytes of the file are wrong");
  }

  Session& session_;
  std::string path_;
};

}  // namespace

int main(int argc, char** argv) {
  Session session(&argc, &argv, kHangSeconds);
  Nonblocking test(session, argc > 1 ? argv[1] : collective_test::default_directory());
  test.several_in_flight();
  test.among_null_requests();
  test.goes_on_while_computing();
  return session.finish();
}
