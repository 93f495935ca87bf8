#include "comm/shared_segment.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <utility>

#include "comm/communicator.h"

namespace longshore {

namespace {

// Unique on the host also when processes live in different pid namespaces that share /dev/shm.
std::string fresh_name() {
  static std::atomic<uint64_t> sequence{0};
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  return "/longshore-" + std::to_string(getpid()) + "-" + std::to_string(now) + "-" +
         std::to_string(sequence.fetch_add(1));
}

}  // namespace

SharedSegment::~SharedSegment() {
  drop_name();
  if (!memory_.empty()) {
    munmap(memory_.data(), memory_.size());
  }
  if (fd_ >= 0) {
    close(fd_);
  }
}

SharedSegment::SharedSegment(SharedSegment&& other) noexcept { *this = std::move(other); }

SharedSegment& SharedSegment::operator=(SharedSegment&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(owns_name_, other.owns_name_);
  std::swap(memory_, other.memory_);
  std::swap(fd_, other.fd_);
  return *this;
}

Result<SharedSegment> SharedSegment::create(size_t bytes) {
  auto segment = create_sparse(bytes);
  if (!segment) {
    return segment;
  }
  if (auto reserved = segment->reserve({0, static_cast<int64_t>(bytes)}); !reserved) {
    return fail(reserved.error());
  }
  close(std::exchange(segment->fd_, -1));
  return segment;
}

Result<SharedSegment> SharedSegment::attach(const std::string& name, size_t bytes) {
  auto segment = attach_sparse(name, bytes);
  if (segment) {
    close(std::exchange(segment->fd_, -1));
  }
  return segment;
}

Result<SharedSegment> SharedSegment::create_sparse(size_t bytes) {
  std::string name = fresh_name();
  const int fd = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (fd < 0) {
    return fail_errno(errno, "shm_open");
  }
  if (ftruncate(fd, static_cast<off_t>(bytes)) != 0) {
    const int refused = errno;
    close(fd);
    shm_unlink(name.c_str());
    return fail_errno(refused, "shared memory of " + std::to_string(bytes) + " bytes");
  }
  auto segment = map(fd, name, bytes);
  if (segment) {
    segment->owns_name_ = true;
  } else {
    shm_unlink(name.c_str());
  }
  return segment;
}

Result<SharedSegment> SharedSegment::attach_sparse(const std::string& name, size_t bytes) {
  const int fd = shm_open(name.c_str(), O_RDWR | O_CLOEXEC, 0600);
  if (fd < 0) {
    return fail_errno(errno, "shm_open " + name);
  }
  return map(fd, name, bytes);
}

Result<SharedSegment> SharedSegment::map(int fd, std::string name, size_t bytes) {
  void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (at == MAP_FAILED) {
    const int refused = errno;
    close(fd);
    return fail_errno(refused, "mmap");
  }
  SharedSegment segment;
  segment.name_ = std::move(name);
  segment.memory_ = {static_cast<std::byte*>(at), bytes};
  segment.fd_ = fd;
  return segment;
}

Status SharedSegment::reserve(Extent range) const {
  int refused = EINTR;
  while (refused == EINTR) {
    refused = posix_fallocate(fd_, range.begin, range.length());
  }
  if (refused != 0) {
    return fail_errno(refused, "shared memory of " + std::to_string(range.length()) + " bytes");
  }
  return {};
}

void SharedSegment::give_back(Extent range) const {
  fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, range.begin, range.length());
}

SegmentName SharedSegment::name() const {
  SegmentName name{};
  std::copy_n(name_.data(), std::min(name_.size(), name.size() - 1), name.data());
  return name;
}

void SharedSegment::drop_name() {
  if (owns_name_) {
    shm_unlink(name_.c_str());
    owns_name_ = false;
  }
}

Result<SharedSegment> share_segment(Communicator& comm, size_t bytes) {
  SegmentName name{};
  Result<SharedSegment> segment = SharedSegment();
  if (comm.rank() == 0) {
    segment = SharedSegment::create(bytes);
    name = segment ? segment->name() : name;
  }
  if (auto told = comm.broadcast(std::as_writable_bytes(std::span(name)), 0); !told) {
    return fail(told.error());
  }
  if (comm.rank() != 0 && name[0] != '\0') {
    segment = SharedSegment::attach(name.data(), bytes);
  }
  const bool usable = segment && !segment->memory().empty();
  std::array<int64_t, 1> failures{usable ? 0 : 1};
  if (auto agreed = comm.all_sum(failures); !agreed) {
    return fail(agreed.error());
  }
  if (failures[0] > 0) {
    return SharedSegment();
  }
  segment->drop_name();
  return segment;
}

}  // namespace longshore
