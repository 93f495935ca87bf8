// A stand-in for the vendor's libgpfs.so: keeps each argument of gpfs_fcntl() byte by byte, and
// accepts as many access ranges as the test allows.
#include <array>
#include <cerrno>
#include <cstring>

extern "C" {

int fake_gpfs_calls = 0;
int fake_gpfs_last_fd = -1;
int fake_gpfs_accepts = 8;
int fake_gpfs_errno = 0;
int fake_gpfs_interrupts = 0;  // so many calls are broken off first
std::array<std::array<char, 512>, 64> fake_gpfs_arguments{};

int gpfs_fcntl(int fd, void* argument) {
  int length = 0;
  std::memcpy(&length, argument, sizeof(length));
  auto& kept = fake_gpfs_arguments.at(static_cast<size_t>(fake_gpfs_calls));
  std::memcpy(
      kept.data(), argument,
      static_cast<size_t>(length) < kept.size() ? static_cast<size_t>(length) : kept.size());
  ++fake_gpfs_calls;
  fake_gpfs_last_fd = fd;
  if (fake_gpfs_interrupts > 0) {
    --fake_gpfs_interrupts;
    errno = EINTR;
    return -1;
  }
  if (fake_gpfs_errno != 0) {
    errno = fake_gpfs_errno;
    return -1;
  }
  int type = 0;
  std::memcpy(&type, static_cast<char*>(argument) + 20, sizeof(type));
  if (type != 1003) {  // GPFS_MULTIPLE_ACCESS_RANGE
    return 0;
  }
  int wanted = 0;
  char* count = static_cast<char*>(argument) + 24;  // accRangeCnt
  std::memcpy(&wanted, count, sizeof(wanted));
  wanted = wanted < fake_gpfs_accepts ? wanted : fake_gpfs_accepts;
  std::memcpy(count, &wanted, sizeof(wanted));
  return 0;
}
}
