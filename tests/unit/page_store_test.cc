// Pages of a file against a plain array of bytes.
#include "agent/page_store.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <limits>
#include <map>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include "independent/paged.h"
#include "storage/forwarding.h"
#include "storage/recording.h"
#include "storage_test_support.h"

namespace longshore {
namespace {

using testing_support::Bytes;
using testing_support::contents;
using testing_support::filled;
using testing_support::read_write;
using testing_support::ScratchDir;
using testing_support::temp_parent;

constexpr Extent kAll{0, std::numeric_limits<int64_t>::max()};
constexpr int64_t kPage = 4096;

// Memory of this process, with a bound.
class PrivateArena final : public Arena {
 public:
  explicit PrivateArena(size_t bytes, int64_t most = std::numeric_limits<int64_t>::max())
      : bytes_(bytes), left_(most) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memory_ = {static_cast<std::byte*>(at), bytes};
  }
  ~PrivateArena() override { munmap(memory_.data(), bytes_); }
  [[nodiscard]] std::span<std::byte> memory() const override { return memory_; }
  [[nodiscard]] Status reserve(Extent range) override {
    left_ -= range.length();
    return left_ >= 0 ? Status{} : fail(ErrorClass::kNoSpace, "no memory");
  }
  void give_back(Extent range) override {
    madvise(memory_.data() + range.begin, static_cast<size_t>(range.length()), MADV_DONTNEED);
  }

 private:
  size_t bytes_;
  std::atomic<int64_t> left_;
  std::span<std::byte> memory_;
};

// Writes fail while told so.
class MoodyStorage final : public ForwardingStorage {
 public:
  using ForwardingStorage::ForwardingStorage;
  Outcome transfer(IoKind kind, std::span<const IoPiece> pieces) override {
    if (kind == IoKind::kWrite && full) {
      return {0, {ErrorClass::kNoSpace, 0, "full"}};
    }
    const auto beyond = [&](const IoPiece& piece) { return piece.offset >= end; };
    if (kind == IoKind::kWrite && std::any_of(pieces.begin(), pieces.end(), beyond)) {
      return {0, {ErrorClass::kIo, EINVAL, "beyond all files"}};
    }
    return inner().transfer(kind, pieces);
  }
  bool full = false;
  int64_t end = std::numeric_limits<int64_t>::max();  // nothing is ever written from here on
};

class Fixture {
 public:
  explicit Fixture(const PageGeometry& geometry, bool readable = true,
                   int64_t memory = std::numeric_limits<int64_t>::max(), bool read_only = false)
      : path_(scratch_.file("pages")), arena_(geometry.arena_bytes(), memory) {
    auto opened = open_storage(path_, read_write(), "posix");
    auto moody = std::make_unique<MoodyStorage>(std::move(*opened));
    moody_ = moody.get();
    storage_ = std::make_unique<RecordingStorage>(std::move(moody), log_);
    PageStore::Terms terms;
    terms.storage = storage_.get();
    terms.readable = readable;
    terms.read_only = read_only;
    terms.budget_bytes = std::numeric_limits<int64_t>::max();
    store_ = std::make_unique<PageStore>(arena_, geometry, terms);
    EXPECT_TRUE(store_->prepare());
  }
  ~Fixture() { EXPECT_TRUE(storage_->close()); }

  Outcome move(IoKind kind, int64_t offset, Bytes& bytes) {
    Access access;
    access.kind = kind;
    access.first = offset;
    access.last = offset + static_cast<int64_t>(bytes.size());
    access.memory = Pattern::run(static_cast<int64_t>(bytes.size()));
    access.base = bytes.data();
    return transfer_paged({*store_, *storage_}, access);
  }
  Outcome write(int64_t offset, Bytes bytes) { return move(IoKind::kWrite, offset, bytes); }
  Bytes read(int64_t offset, size_t length) {
    Bytes bytes(length);
    const Outcome got = move(IoKind::kRead, offset, bytes);
    EXPECT_TRUE(got.ok());
    bytes.resize(static_cast<size_t>(got.bytes));
    return bytes;
  }
  PageStore& store() { return *store_; }
  Storage& storage() { return *storage_; }
  MoodyStorage& moody() { return *moody_; }
  size_t writes() const { return log_->count(StorageCall::Kind::kWrite); }
  size_t reads() const { return log_->count(StorageCall::Kind::kRead); }
  [[nodiscard]] Bytes on_storage() const { return contents(path_); }

 private:
  ScratchDir scratch_{temp_parent()};
  std::string path_;
  PrivateArena arena_;
  std::shared_ptr<CallLog> log_ = std::make_shared<CallLog>();
  MoodyStorage* moody_ = nullptr;
  std::unique_ptr<RecordingStorage> storage_;
  std::unique_ptr<PageStore> store_;
};

PageGeometry small() { return {kPage, 2, 2}; }

TEST(DirtyBits, MarksCountsAndFindsRuns) {
  std::vector<uint64_t> words(4, 0);
  DirtyBits bits(words.data());
  EXPECT_EQ(bits.mark({60, 70}), 10);
  EXPECT_EQ(bits.mark({65, 200}), 130);  // 70 to 200
  EXPECT_EQ(bits.mark({0, 0}), 0);
  EXPECT_TRUE(bits.all({60, 200}));
  EXPECT_FALSE(bits.all({59, 200}));
  bits.clear({64, 128});
  std::vector<Extent> set;
  std::vector<Extent> unset;
  bits.each_run({0, 256}, true, [&](Extent run) { set.push_back(run); });
  bits.each_run({0, 256}, false, [&](Extent run) { unset.push_back(run); });
  EXPECT_EQ(set, (std::vector<Extent>{{60, 64}, {128, 200}}));
  EXPECT_EQ(unset, (std::vector<Extent>{{0, 60}, {64, 128}, {200, 256}}));
}

RC_GTEST_PROP(DirtyBits, AgreeWithAListOfBools, ()) {
  constexpr int64_t kBits = 512;
  std::vector<uint64_t> words(kBits / 64, 0);
  DirtyBits bits(words.data());
  std::vector<bool> model(kBits, false);
  for (int i = 0; i < 20; ++i) {
    const auto begin = *rc::gen::inRange<int64_t>(0, kBits);
    const auto end = *rc::gen::inRange<int64_t>(begin, kBits + 1);
    const bool clears = *rc::gen::inRange(0, 4) == 0;
    const auto fresh = std::count(model.begin() + begin, model.begin() + end, false);
    if (clears) {
      bits.clear({begin, end});
    } else {
      RC_ASSERT(bits.mark({begin, end}) == fresh);
    }
    std::fill(model.begin() + begin, model.begin() + end, !clears);
    std::vector<bool> seen(kBits, false);
    bits.each_run({0, kBits}, true, [&](Extent run) {
      std::fill(seen.begin() + run.begin, seen.begin() + run.end, true);
    });
    RC_ASSERT(seen == model);
  }
}

TEST(PageStore, HoldsASmallWriteBackUntilItIsExpelled) {
  Fixture file(small());
  ASSERT_EQ(file.write(100, filled(50, 7)).bytes, 50);
  EXPECT_EQ(file.writes(), 0U);
  EXPECT_EQ(*end_of_file({file.store(), file.storage()}), 150);
  EXPECT_EQ(file.read(100, 50), filled(50, 7));
  ASSERT_TRUE(file.store().expel(kAll));
  EXPECT_EQ(file.writes(), 1U);
  EXPECT_FALSE(file.store().holds_pages());
  Bytes wanted = filled(150, 0);
  std::fill(wanted.begin() + 100, wanted.end(), std::byte{7});
  EXPECT_EQ(file.on_storage(), wanted);
}

// The bytes between are someone else's: another program may have changed them meanwhile.
TEST(PageStore, WritesOnlyWhatWasWritten) {
  Fixture file(small());
  ASSERT_TRUE(file.write(0, filled(10, 1)).ok());
  ASSERT_TRUE(file.write(20, filled(10, 2)).ok());
  ASSERT_TRUE(file.storage().write_at(0, filled(100, 9)).ok());
  ASSERT_TRUE(file.store().expel(kAll));
  Bytes wanted = filled(100, 9);
  std::fill_n(wanted.begin(), 10, std::byte{1});
  std::fill_n(wanted.begin() + 20, 10, std::byte{2});
  EXPECT_EQ(file.on_storage(), wanted);
}

TEST(PageStore, AFullPageGoesWhenTheNextIsBegun) {
  Fixture file(small(), false);
  for (int64_t at = 0; at < kPage; at += 64) {
    ASSERT_TRUE(file.write((at + kPage / 2) % kPage, filled(64, 3)).ok());
  }
  EXPECT_EQ(file.writes(), 0U);
  ASSERT_TRUE(file.write(kPage, filled(1, 3)).ok());
  EXPECT_EQ(file.writes(), 1U);
  EXPECT_EQ(file.on_storage(), filled(kPage, 3));
}

TEST(PageStore, AdjoiningPagesGoInOneCall) {
  Fixture file({kPage, 8, 2});
  for (int64_t page = 0; page < 8; ++page) {
    ASSERT_TRUE(file.write(page * kPage + 1, filled(kPage - 1, 4)).ok());
  }
  ASSERT_TRUE(file.store().expel(kAll));
  EXPECT_EQ(file.writes(), 1U);
}

TEST(PageStore, APageIsReadOnceForAll) {
  Fixture file(small());
  ASSERT_TRUE(file.storage().write_at(0, filled(2 * kPage, 5)).ok());
  for (int64_t at = 0; at < kPage; at += 64) {
    EXPECT_EQ(file.read(at, 64), filled(64, 5));
  }
  EXPECT_EQ(file.reads(), 2U);  // the first access goes past the store, the second loads
}

TEST(PageStore, ReadsEndWhereTheFileEnds) {
  Fixture file(small());
  ASSERT_TRUE(file.storage().write_at(0, filled(100, 5)).ok());
  EXPECT_EQ(file.read(90, 50).size(), 10U);
  EXPECT_EQ(file.read(90, 50).size(), 10U);  // now from the page
  ASSERT_TRUE(file.write(3 * kPage, filled(1, 1)).ok());
  Bytes wanted = filled(50, 0);  // the file goes on: a hole
  std::fill_n(wanted.begin(), 10, std::byte{5});
  EXPECT_EQ(file.read(90, 50), wanted);
}

TEST(PageStore, WhatCannotBeWrittenStays) {
  Fixture file(small());
  file.moody().full = true;
  ASSERT_TRUE(file.write(10, filled(10, 1)).ok());
  EXPECT_EQ(file.store().expel(kAll).error().code, ErrorClass::kNoSpace);
  ASSERT_TRUE(file.write(0, filled(kPage, 2)).ok());
  const Outcome next = file.write(kPage, filled(1, 3));  // finds the full page to be written
  EXPECT_EQ(next.error.code, ErrorClass::kNoSpace);
  EXPECT_EQ(next.bytes, 0);
  file.moody().full = false;
  ASSERT_TRUE(file.store().expel(kAll));
  EXPECT_EQ(file.on_storage(), filled(kPage, 2));
}

TEST(PageStore, WhatCanNeverBeWrittenIsGivenUpAndTold) {
  Fixture file(small());
  file.moody().end = kPage;
  (void)file.write(0, filled(10, 1));
  (void)file.write(kPage + 5, filled(10, 2));
  EXPECT_TRUE(file.store().take_lost());
  EXPECT_FALSE(file.store().expel(kAll));
  EXPECT_FALSE(file.store().holds_pages());
  EXPECT_EQ(file.on_storage(), filled(10, 1));
  EXPECT_FALSE(file.store().take_lost());
  EXPECT_TRUE(file.store().take_lost());
  EXPECT_TRUE(file.store().expel(kAll));
}

TEST(PageStore, WithoutMemoryBytesGoStraightToStorage) {
  const auto geometry = small();
  Fixture file(geometry, true, 8192);  // for what is not a page
  ASSERT_TRUE(file.write(10, filled(10, 1)).ok());
  EXPECT_EQ(file.writes(), 1U);
  EXPECT_EQ(file.read(10, 10), filled(10, 1));
}

TEST(PageStore, AnArenaIsUsedAgainByTheNextFile) {
  const auto geometry = small();
  PrivateArena arena(geometry.arena_bytes());
  for (const int64_t page_bytes : {kPage, kPage, 2 * kPage}) {
    ScratchDir scratch(temp_parent());
    auto storage = open_storage(scratch.file("pages"), read_write(), "posix");
    const PageGeometry cut{page_bytes, 1, 1};
    PageStore store(arena, cut, {storage->get(), true, int64_t{1} << 30});
    ASSERT_TRUE(store.prepare());
    EXPECT_FALSE(store.holds_pages());
    auto page = store.page_to_write(0, {});
    ASSERT_TRUE(page && *page);
    (*page)->put(5, filled(1, 1));
    store.retire();  // as after a failed close: what is left is nobody's
  }
}

TEST(PageStore, ALoneWriteMakesNoPageIfSoAgreed) {
  const auto geometry = small();
  PrivateArena arena(geometry.arena_bytes());
  ScratchDir scratch(temp_parent());
  auto storage = open_storage(scratch.file("pages"), read_write(), "posix");
  PageStore store(arena, geometry, {storage->get(), true, int64_t{1} << 30, true});
  ASSERT_TRUE(store.prepare());
  Bytes bytes = filled(10, 6);
  const auto lands = [&](int64_t page) {
    auto made = store.page_to_write(page, {page * kPage, bytes.data(), 10});
    EXPECT_TRUE(made);
    return made->has_value();
  };
  EXPECT_TRUE(lands(0));   // the file's begin
  EXPECT_TRUE(lands(1));   // follows
  EXPECT_FALSE(lands(7));  // out of the blue: written
  EXPECT_TRUE(lands(7));   // again
  EXPECT_EQ(contents(scratch.file("pages")).size(), 7U * kPage + 10);
}

// Where sets are now, an earlier file of another geometry may have had its pages.
TEST(PageStore, WhatWasInTheArenaBeforeDoesNotMatter) {
  const auto geometry = small();
  PrivateArena arena(geometry.arena_bytes());
  auto* words = reinterpret_cast<int64_t*>(arena.memory().data());
  std::fill_n(words, arena.memory().size() / sizeof(int64_t), -3);
  ScratchDir scratch(temp_parent());
  auto storage = open_storage(scratch.file("pages"), read_write(), "posix");
  PageStore store(arena, geometry, {storage->get(), true, int64_t{1} << 30});
  ASSERT_TRUE(store.prepare());
  const auto first = store.page_to_read(0, {0, 1});
  ASSERT_TRUE(first);
  EXPECT_FALSE(*first);
  const auto second = store.page_to_read(0, {0, 1});
  ASSERT_TRUE(second);
  EXPECT_TRUE(*second);
}

#ifndef __SANITIZE_THREAD__  // which does without peeking
TEST(PageStore, LoadedPagesAreReadWithoutALock) {
  Fixture file(small());
  ASSERT_TRUE(file.storage().write_at(0, filled(2 * kPage, 7)).ok());
  Bytes seen(10);
  EXPECT_FALSE(file.store().peek(0, 0, seen));
  (void)file.read(0, 1);
  (void)file.read(0, 1);  // loads it
  const auto held = file.store().page_to_read(0, {0, 1});
  ASSERT_TRUE(held && *held);
  EXPECT_TRUE(file.store().peek(0, 20, seen));
  EXPECT_EQ(seen, filled(10, 7));
  EXPECT_FALSE(file.store().peek(1, 20, seen));
  EXPECT_FALSE(file.store().peek(2, 20, seen));  // as page 0, but for the number
}

TEST(PageStore, PeekingSeesWritesAndNoPageThatWent) {
  Fixture file(small());
  ASSERT_TRUE(file.storage().write_at(0, filled(kPage - 100, 7)).ok());
  (void)file.read(0, 1);
  (void)file.read(0, 1);
  ASSERT_TRUE(file.write(20, filled(5, 9)).ok());
  Bytes seen(5);
  ASSERT_TRUE(file.store().peek(0, 20, seen));
  EXPECT_EQ(seen, filled(5, 9));
  EXPECT_FALSE(file.store().peek(0, kPage - 102, seen));  // the file ends there
  ASSERT_TRUE(file.store().expel(kAll));
  EXPECT_FALSE(file.store().peek(0, 20, seen));
}

// What is copied while it changes must not be taken for a page.
TEST(PageStore, PeekingNeverSeesHalfAChange) {
  constexpr int kRounds = 3000;
  Fixture file({kPage, 1, 2});
  ASSERT_TRUE(file.write(0, filled(kPage, 1)).ok());
  ASSERT_TRUE(file.storage().write_at(kPage, filled(4 * kPage, 1)).ok());
  std::atomic<bool> over{false};
  std::thread writer([&] {
    for (int round = 0; round < kRounds; ++round) {
      EXPECT_TRUE(file.write(0, filled(kPage, round % 100 + 1)).ok());
      (void)file.read(kPage * (1 + round % 4), 1);  // others need the room
    }
    over = true;
  });
  int64_t seen = 0;
  Bytes page(kPage);
  while (!over) {
    if (file.store().peek(0, 0, page)) {
      ++seen;
      ASSERT_EQ(std::count(page.begin(), page.end(), page.front()), kPage);
    }
  }
  writer.join();
  EXPECT_GT(seen, 0);
}
#endif

TEST(PageStore, WhoOnlyReadsDoesNotWaitButLoadsTheNextPage) {
  Fixture file(small(), true, std::numeric_limits<int64_t>::max(), true);
  ASSERT_TRUE(file.storage().write_at(0, filled(2 * kPage, 7)).ok());
  (void)file.read(0, 1);
  (void)file.read(0, 1);
  const auto held = file.store().page_to_read(0, {0, 1});
  ASSERT_TRUE(held && *held);
  const size_t before = file.reads();
  std::thread([&] {
    const auto busy = file.store().page_to_read(0, {0, 1});
    EXPECT_TRUE(busy && !*busy);
  }).join();
  EXPECT_EQ(file.reads(), before + 1);
  (void)file.store().page_to_read(1, {0, 1});
  EXPECT_EQ(file.reads(), before + 1);
}

TEST(PageStore, WhatWasLoadedIsNotUsedForLong) {
  const auto geometry = small();
  PrivateArena arena(geometry.arena_bytes());
  ScratchDir scratch(temp_parent());
  auto storage = open_storage(scratch.file("pages"), read_write(), "posix");
  PageStore::Terms terms;
  terms.storage = storage->get();
  terms.readable = true;
  terms.longest_use_ms = 20;
  PageStore store(arena, geometry, terms);
  ASSERT_TRUE(store.prepare());
  ASSERT_TRUE((*storage)->write_at(0, filled(kPage, 1)).ok());
  const auto first_byte = [&] {
    Bytes byte(1);
    Access access;
    access.last = 1;
    access.memory = Pattern::run(1);
    access.base = byte.data();
    EXPECT_TRUE(transfer_paged({store, **storage}, access).ok());
    return byte.front();
  };
  EXPECT_EQ(first_byte(), std::byte{1});
  EXPECT_EQ(first_byte(), std::byte{1});  // loaded
  ASSERT_TRUE((*storage)->write_at(0, filled(kPage, 2)).ok());
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_EQ(first_byte(), std::byte{2});
}

// Small pages and little room, so that pages come and go all the time.
RC_GTEST_PROP(PageStore, IsAFile, ()) {
  const bool readable = *rc::gen::inRange(0, 4) > 0;
  Fixture file({kPage, *rc::gen::inRange<int64_t>(1, 3), *rc::gen::inRange<int64_t>(1, 3)},
               readable);
  Bytes model;
  for (int i = 0; i < 60; ++i) {
    const auto offset = *rc::gen::inRange<int64_t>(0, 6 * kPage);
    const auto length = *rc::gen::inRange<int64_t>(1, *rc::gen::element<int64_t>(10, 300, 9000));
    const auto end = static_cast<size_t>(offset + length);
    const int what = *rc::gen::inRange(0, 10);
    if (what == 0) {
      const auto status = file.store().expel({offset, offset + length});
      RC_ASSERT(status.has_value());
    } else if (what < 5 && readable) {
      Bytes wanted(static_cast<size_t>(length));
      const auto there =
          std::clamp<int64_t>(static_cast<int64_t>(model.size()) - offset, 0, length);
      wanted.resize(static_cast<size_t>(there));
      std::copy_n(model.begin() + std::min<int64_t>(offset, std::ssize(model)), there,
                  wanted.begin());
      RC_ASSERT(file.read(offset, static_cast<size_t>(length)) == wanted);
    } else {
      const Bytes bytes = filled(static_cast<size_t>(length), i + 1);
      RC_ASSERT(file.write(offset, bytes).bytes == length);
      model.resize(std::max(model.size(), end));
      std::copy(bytes.begin(), bytes.end(), model.begin() + offset);
    }
    RC_ASSERT(*end_of_file({file.store(), file.storage()}) == std::ssize(model));
  }
  RC_ASSERT(file.store().expel(kAll).has_value());
  RC_ASSERT(file.on_storage() == model);
}

// Each thread owns every fourth record; they share all pages.
TEST(PageStore, ThreadsShareIt) {
  constexpr int kThreads = 4;
  constexpr int64_t kRecords = 4000;
  constexpr int64_t kRecord = 48;
  Fixture file({kPage, 4, 3});
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int me = 0; me < kThreads; ++me) {
    threads.emplace_back([&, me] {
      for (int64_t i = me; i < kRecords; i += kThreads) {
        wrong += file.write(i * kRecord, filled(kRecord, me + 1)).bytes != kRecord;
        wrong += file.read(i * kRecord, kRecord) != filled(kRecord, me + 1);
        if (i % 997 == 0) {
          wrong += !file.store().expel({0, i * kRecord + 1});
        }
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
  ASSERT_TRUE(file.store().expel(kAll));
  const Bytes all = file.on_storage();
  ASSERT_EQ(std::ssize(all), kRecords * kRecord);
  for (int64_t i = 0; i < kRecords; ++i) {
    ASSERT_EQ(all[static_cast<size_t>(i * kRecord)], static_cast<std::byte>(i % kThreads + 1));
  }
}

// Pages come and go under readers that do not wait for each other.
TEST(PageStore, ThreadsReadItWithoutWaiting) {
  constexpr int kThreads = 4;
  constexpr int64_t kPages = 20;
  Fixture file({kPage, 2, 2}, true, std::numeric_limits<int64_t>::max(), true);
  for (int64_t page = 0; page < kPages; ++page) {
    ASSERT_TRUE(file.storage().write_at(page * kPage, filled(kPage, static_cast<int>(page))).ok());
  }
  std::vector<std::thread> threads;
  std::atomic<int> wrong{0};
  for (int me = 0; me < kThreads; ++me) {
    threads.emplace_back([&, me] {
      for (int64_t i = 0; i < 2000; ++i) {
        const int64_t page = i / (me + 2) % kPages;
        wrong += file.read(page * kPage + i % 100, 100) != filled(100, static_cast<int>(page));
      }
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace longshore
