// Every way of an independent transfer against a byte-by-byte reference.
#include "independent/transfer.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <cstring>
#include <string>
#include <vector>

namespace longshore {
namespace {

using Bytes = std::vector<std::byte>;

std::byte value(int64_t i) { return static_cast<std::byte>(i * 7 + 1); }

Bytes filled(int64_t length, int seed) {
  Bytes bytes(static_cast<size_t>(length));
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = value(static_cast<int64_t>(i) * 3 + seed);
  }
  return bytes;
}

class TempFile {
 public:
  explicit TempFile(const Bytes& content)
      : path_(testing::TempDir() + "independent_test." + std::to_string(getpid())) {
    OpenOptions options;
    options.write = true;
    options.create = true;
    storage_ = std::move(*open_storage(path_, options, "posix"));
    EXPECT_TRUE(storage_->resize(0));
    EXPECT_TRUE(storage_->write_at(0, content).ok());
  }
  ~TempFile() {
    EXPECT_TRUE(storage_->close());
    EXPECT_TRUE(remove_file(path_));
  }
  Storage& storage() { return *storage_; }
  Bytes content() {
    Bytes bytes(static_cast<size_t>(*storage_->size()));
    EXPECT_TRUE(storage_->read_at(0, bytes).ok());
    return bytes;
  }

 private:
  std::string path_;
  std::unique_ptr<Storage> storage_;
};

// Blocks of `block` bytes every `stride`, seen through tiles of `blocks`.
TiledPattern random_view() {
  const auto block = *rc::gen::inRange<int64_t>(1, 20);
  const auto stride = block + *rc::gen::inRange<int64_t>(0, 20);
  const auto blocks = *rc::gen::inRange<int64_t>(1, 5);
  return {*rc::gen::inRange<int64_t>(0, 30), stride * blocks,
          Pattern::repeat(blocks, stride, Pattern::run(block))};
}

Access random_access(IoKind kind, std::byte* base) {
  Access access;
  access.kind = kind;
  access.view = random_view();
  access.first = *rc::gen::inRange<int64_t>(0, 60);
  const auto piece = *rc::gen::inRange<int64_t>(1, 9);
  const auto gap = *rc::gen::inRange<int64_t>(0, 5);
  access.memory =
      Pattern::repeat(*rc::gen::inRange<int64_t>(0, 25), piece + gap, Pattern::run(piece));
  access.last = access.first + access.memory.size();
  access.base = base;
  return access;
}

IndependentOptions random_options(std::mutex& locks) {
  IndependentOptions options;
  options.read = *rc::gen::element(Sieving::kAutomatic, Sieving::kEnable, Sieving::kDisable);
  options.write = *rc::gen::element(Sieving::kAutomatic, Sieving::kEnable, Sieving::kDisable);
  options.read_buffer_bytes = *rc::gen::inRange<int64_t>(1, 64);
  options.write_buffer_bytes = *rc::gen::inRange<int64_t>(1, 64);
  options.locks = *rc::gen::element<std::mutex*>(nullptr, &locks);
  return options;
}

constexpr int64_t kMemoryBytes = 400;

RC_GTEST_PROP(IndependentProperty, WritesTouchWhatTheyShouldAndNothingElse, ()) {
  Bytes memory = filled(kMemoryBytes, 5);
  std::mutex locks;
  const Access access = random_access(IoKind::kWrite, memory.data());
  Bytes expected = filled(*rc::gen::inRange<int64_t>(0, 500), 0);
  TempFile file(expected);
  for (int64_t p = 0; p < access.bytes(); ++p) {
    const auto at = static_cast<size_t>(access.view.offset_at(access.first + p));
    expected.resize(std::max(expected.size(), at + 1));
    expected[at] = memory[static_cast<size_t>(access.memory.offset_at(p))];
  }
  const Outcome outcome = run_independent(file.storage(), access, random_options(locks));
  RC_ASSERT(outcome.ok());
  RC_ASSERT(outcome.bytes == access.bytes());
  RC_ASSERT(file.content() == expected);
}

RC_GTEST_PROP(IndependentProperty, ReadsBringATruePrefix, ()) {
  const Bytes content = filled(*rc::gen::inRange<int64_t>(0, 500), 0);
  TempFile file(content);
  Bytes memory = filled(kMemoryBytes, 9);
  Bytes expected = memory;
  std::mutex locks;
  const Access access = random_access(IoKind::kRead, memory.data());
  int64_t count = 0;
  for (int64_t p = 0; p < access.bytes(); ++p, ++count) {
    const auto at = static_cast<size_t>(access.view.offset_at(access.first + p));
    if (at >= content.size()) {
      break;
    }
    expected[static_cast<size_t>(access.memory.offset_at(p))] = content[at];
  }
  const Outcome outcome = run_independent(file.storage(), access, random_options(locks));
  RC_ASSERT(outcome.ok());
  RC_ASSERT(outcome.bytes == count);
  RC_ASSERT(memory == expected);
}

}  // namespace
}  // namespace longshore
