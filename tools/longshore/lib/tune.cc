#include "lib/tune.h"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <functional>
#include <mutex>
#include <sstream>
#include <thread>

namespace longshore::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kBlockBytes = size_t{1} << 20;
constexpr size_t kBlocks = 32;
constexpr size_t kCallBytes = 4096;
constexpr size_t kPieceBytes = 512;
constexpr size_t kLeastRounds = 5;
constexpr double kBytesPerMegabyte = 1e6;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Rounds until the time is over, at least a few; the median of what they return. A round returns
// below 0 if it failed: so does this.
double median_of(double seconds, const std::function<double()>& round) {
  const auto begin = Clock::now();
  std::vector<double> values;
  while (values.size() < kLeastRounds || seconds_since(begin) < seconds) {
    const double value = round();
    if (value < 0) {
      return value;
    }
    values.push_back(value);
  }
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

// MB/s of copies that do not fit into a cache.
double copy_mb_s(double seconds) {
  const std::vector<char> from(kBlocks * kBlockBytes, 'x');
  std::vector<char> to(from.size(), 'y');
  return median_of(seconds, [&] {
    const auto begin = Clock::now();
    for (size_t i = 0; i < kBlocks; ++i) {
      std::memcpy(to.data() + i * kBlockBytes, from.data() + i * kBlockBytes, kBlockBytes);
    }
    return static_cast<double>(from.size()) / kBytesPerMegabyte / seconds_since(begin);
  });
}

// Microseconds from waking another thread to its being awake: half of there and back.
double switch_us(double seconds) {
  std::mutex mutex;
  std::condition_variable changed;
  int turn = 0;  // 0: ours, 1: the other's, 2: the end
  std::thread other([&] {
    std::unique_lock lock(mutex);
    while (true) {
      changed.wait(lock, [&] { return turn != 0; });
      if (turn == 2) {
        return;
      }
      turn = 0;
      changed.notify_all();
    }
  });
  const double result = median_of(seconds, [&] {
    const auto begin = Clock::now();
    std::unique_lock lock(mutex);
    turn = 1;
    changed.notify_all();
    changed.wait(lock, [&] { return turn == 0; });
    return seconds_since(begin) * 1e6 / 2;
  });
  {
    const std::lock_guard lock(mutex);
    turn = 2;
  }
  changed.notify_all();
  other.join();
  return result;
}

// A new file without a name, or -1 with errno set. Signals wait until the name is gone.
int open_nameless(const std::string& dir) {
  const std::string path = dir + "/.longshore-tune-" + std::to_string(getpid());
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const int why = errno;
  if (fd >= 0) {
    unlink(path.c_str());
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  errno = why;
  return fd;
}

// A file that goes with its owner, also if a signal ends the process.
class ScratchFile {
 public:
  explicit ScratchFile(const std::string& dir) : fd_(open_nameless(dir)) {}
  ~ScratchFile() {
    if (fd_ >= 0) {
      close(fd_);
    }
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  [[nodiscard]] int fd() const { return fd_; }

 private:
  int fd_;
};

// Microseconds of a write of `bytes`, each `stride` behind the one before; below 0 if one fails.
double write_us(const ScratchFile& file, size_t bytes, size_t stride, double seconds) {
  constexpr size_t kCalls = 64;
  const std::vector<char> data(bytes, 'z');
  size_t next = 0;
  return median_of(seconds, [&] {
    const auto begin = Clock::now();
    for (size_t i = 0; i < kCalls; ++i, next = (next + stride) % (kBlocks * kBlockBytes)) {
      if (pwrite(file.fd(), data.data(), bytes, static_cast<off_t>(next)) !=
          static_cast<ssize_t>(bytes)) {
        return -1.0;
      }
    }
    return seconds_since(begin) * 1e6 / kCalls;
  });
}

// MB/s of large writes, on servers until they are there.
double write_mb_s(const ScratchFile& file, bool synced, double seconds) {
  const std::vector<char> data(kBlockBytes, 'z');
  return median_of(seconds, [&] {
    const auto begin = Clock::now();
    for (size_t i = 0; i < kBlocks; ++i) {
      if (pwrite(file.fd(), data.data(), data.size(), static_cast<off_t>(i * kBlockBytes)) !=
          static_cast<ssize_t>(kBlockBytes)) {
        return -1.0;
      }
    }
    if (synced && fsync(file.fd()) != 0) {
      return -1.0;
    }
    return static_cast<double>(kBlocks * kBlockBytes) / kBytesPerMegabyte / seconds_since(begin);
  });
}

Status measure_storage(const TuneRequest& request, double share, StorageCosts& costs) {
  const ScratchFile file(request.dir);
  if (file.fd() < 0) {
    return fail(ErrorClass::kAccess, request.dir + ": " + std::strerror(errno));
  }
  const double mb_s = write_mb_s(file, request.remote, share);
  const double call = write_us(file, kCallBytes, kCallBytes, share);
  const double piece = write_us(file, kPieceBytes, 2 * kPieceBytes, share);
  if (mb_s <= 0 || call <= 0 || piece <= 0) {
    return fail(ErrorClass::kIo, request.dir + ": " + std::strerror(errno));
  }
  costs = {call, piece, mb_s, mb_s};
  return {};
}

}  // namespace

Result<TuneResult> tune(const TuneRequest& request) {
  constexpr double kMeasurements = 5;
  const double share = request.seconds / kMeasurements;
  TuneResult result;
  auto& storage = request.remote ? result.profile.remote : result.profile.local;
  if (auto measured = measure_storage(request, share, storage); !measured) {
    return fail(measured.error());
  }
  result.profile.copy_mb_s = copy_mb_s(share);
  result.profile.switch_us = switch_us(share);
  const std::string prefix = request.remote ? "remote_" : "local_";
  result.measured = {"copy_mb_s",
                     "switch_us",
                     prefix + "call_us",
                     prefix + "piece_us",
                     prefix + "client_mb_s",
                     prefix + "target_mb_s"};
  return result;
}

std::string profile_text(const TuneResult& result) {
  std::ostringstream text;
  text << "# site profile for longshore explain; name it in LONGSHORE_PROFILE\n"
          "# microseconds, and 10^6 bytes a second\n";
  for (const auto& [key, value] : values_of(result.profile)) {
    const bool measured =
        std::find(result.measured.begin(), result.measured.end(), key) != result.measured.end();
    text << key << " = " << value << (measured ? "  # measured" : "  # built in, not measured")
         << '\n';
  }
  return text.str();
}

}  // namespace longshore::cli
