// The cephfs backend on a stand-in for libcephfs, which fails as it is told. What all backends owe
// is in storage_conformance_test.cc.
#include "storage/ceph.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <thread>

#include "storage/zero_fill.h"
#include "storage_test_support.h"

namespace longshore {
namespace {

using testing::HasSubstr;
using testing_support::Bytes;
using testing_support::contents;
using testing_support::fake_ceph_library;
using testing_support::FakeCephfs;
using testing_support::filled;
using testing_support::random_bytes;
using testing_support::read_write;
using testing_support::ScratchDir;
using testing_support::use_ceph_library;

TEST(CephUser, IsFoundAmongTheArguments) {
  EXPECT_EQ(ceph_user(""), "");
  EXPECT_EQ(ceph_user("--id ana -m host"), "ana");
  EXPECT_EQ(ceph_user("-m host --id=ana"), "ana");
  EXPECT_EQ(ceph_user("--user ana"), "ana");
  EXPECT_EQ(ceph_user("-n client.ana.b --id other"), "ana.b");
  EXPECT_EQ(ceph_user("--name=client.ana"), "ana");
  EXPECT_EQ(ceph_user("--client_fs=id --id"), "");
}

class StorageCeph : public testing::Test {
 protected:
  StorageCeph() : fake_(*use_ceph_library(fake_ceph_library("whole"))) {
    fake_.reset();
    unsetenv("CEPH_ARGS");
  }
  ~StorageCeph() override {
    fake_.reset();
    unsetenv("CEPH_ARGS");
    unsetenv("LONGSHORE_LIBCEPHFS");
    release_idle_storage();
  }

  Result<std::unique_ptr<Storage>> try_open(const std::string& leaf = "data") {
    return open_storage("cephfs:" + dir_.file(leaf), read_write(), "auto");
  }
  std::unique_ptr<Storage> open(const std::string& leaf = "data") {
    auto opened = try_open(leaf);
    EXPECT_TRUE(opened) << opened.error().detail;
    return opened ? std::move(*opened) : nullptr;
  }

  ScratchDir dir_{testing_support::temp_parent()};
  FakeCephfs& fake_;
};

TEST_F(StorageCeph, OneMountServesAllFilesAndIsKept) {
  auto first = open("a");
  auto second = open("b");
  EXPECT_EQ(first->backend(), "cephfs");
  EXPECT_EQ(fake_.mounts, 1);
  EXPECT_TRUE(first->close());
  EXPECT_TRUE(second->close());
  EXPECT_TRUE(open("c")->close());
  EXPECT_EQ(fake_.mounts, 1);
  EXPECT_EQ(fake_.unmounts, 0);
  release_idle_storage();
  EXPECT_EQ(fake_.unmounts, 1);
  EXPECT_EQ(fake_.handles, 0);
  release_idle_storage();
  EXPECT_TRUE(open("a")->close());
  EXPECT_EQ(fake_.mounts, 2);
}

TEST_F(StorageCeph, AnOpenFileKeepsItsMount) {
  auto file = open();
  release_idle_storage();
  EXPECT_EQ(fake_.unmounts, 0);
  EXPECT_TRUE(file->write_at(0, filled(10, 1)).ok());
  EXPECT_TRUE(open("other")->close());
  EXPECT_EQ(fake_.mounts, 1);
  release_idle_storage();
  EXPECT_TRUE(file->close());
  EXPECT_EQ(fake_.unmounts, 1);
}

TEST_F(StorageCeph, ThreadsThatOpenAtOnceShareTheMount) {
  std::vector<std::thread> threads;
  std::atomic<int> closed = 0;
  for (int i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      auto file = try_open("file" + std::to_string(i));
      closed += file && (*file)->close() ? 1 : 0;
    });
  }
  for (auto& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(closed, 8);
  EXPECT_EQ(fake_.mounts, 1);
}

TEST_F(StorageCeph, ShortAndInterruptedTransfersAreCarriedOn) {
  fake_.most_bytes = 7;
  fake_.interrupt_every = 3;
  auto file = open();
  std::mt19937 random(5);
  Bytes data = random_bytes(random, 5000);
  const std::vector<IoPiece> pieces = {
      {0, data.data() + 2500, 1000}, {1000, data.data(), 1500}, {4000, data.data() + 4000, 1000}};
  EXPECT_EQ(file->transfer(IoKind::kWrite, pieces).bytes, 3500);
  Bytes back(5000);
  EXPECT_EQ(file->read_at(0, back).bytes, 5000);
  EXPECT_EQ(back, contents(dir_.file("data")));
  EXPECT_TRUE(std::equal(back.begin(), back.begin() + 1000, data.begin() + 2500));
  EXPECT_TRUE(std::equal(back.begin() + 1000, back.begin() + 2500, data.begin()));
  EXPECT_TRUE(std::equal(back.begin() + 4000, back.end(), data.begin() + 4000));
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(file->resize(100));
    EXPECT_TRUE(file->sync());
    EXPECT_TRUE(file->lock({0, 10}, true));
    file->unlock({0, 10});
  }
  EXPECT_TRUE(file->close());
  for (int i = 0; i < 4; ++i) {
    EXPECT_TRUE(open()->close());
  }
  EXPECT_TRUE(remove_file("cephfs:" + dir_.file("data")));
}

TEST_F(StorageCeph, WhatAdjoinsIsOneCall) {
  auto file = open();
  Bytes memory = filled(3000, 1);
  std::vector<IoPiece> pieces;
  for (int64_t i = 0; i < 1000; ++i) {
    pieces.push_back({100 + i, memory.data() + 3 * i, 1});
  }
  EXPECT_EQ(file->transfer(IoKind::kWrite, pieces).bytes, 1000);
  EXPECT_EQ(file->transfer(IoKind::kRead, pieces).bytes, 1000);
  EXPECT_EQ(fake_.transfers, 2);
  EXPECT_TRUE(file->close());
}

TEST_F(StorageCeph, NoCallMovesMoreThanTheLimit) {
  auto file = open();
  Bytes memory = filled(CephStorage::kMaxCallBytes + 1000, 1);
  const auto half = CephStorage::kMaxCallBytes / 2;
  EXPECT_EQ(file->write_at(0, memory).bytes, static_cast<int64_t>(memory.size()));
  // Two halves make one call; the third piece is one byte too many for it.
  const std::vector<IoPiece> pieces = {
      {0, memory.data() + half, half}, {half, memory.data(), half}, {2 * half, memory.data(), 1}};
  EXPECT_EQ(file->transfer(IoKind::kWrite, pieces).bytes, 2 * half + 1);
  EXPECT_EQ(fake_.transfers, 4);
  EXPECT_EQ(fake_.longest_transfer, CephStorage::kMaxCallBytes);
  EXPECT_TRUE(file->close());
}

TEST_F(StorageCeph, FullFileSystemKeepsThePrefix) {
  fake_.full_at = 2500;
  auto file = open();
  Bytes data = filled(4000, 1);
  const std::vector<IoPiece> pieces = {{0, data.data(), 1000}, {2000, data.data(), 1000}};
  for (const bool background : {false, true}) {
    const Outcome outcome = background ? file->start(IoKind::kWrite, pieces)->wait()
                                       : file->transfer(IoKind::kWrite, pieces);
    EXPECT_EQ(outcome.error.code, ErrorClass::kNoSpace);
    EXPECT_EQ(outcome.bytes, 1500);
    EXPECT_THAT(outcome.error.detail, HasSubstr("cephfs:" + dir_.file("data")));
  }
  EXPECT_EQ(append_zeros(*file, 4000).error().code, ErrorClass::kNoSpace);
  EXPECT_TRUE(file->close());
}

TEST_F(StorageCeph, CloseHandsOverWhatWasWritten) {
  auto file = open();
  EXPECT_TRUE(file->close());
  EXPECT_EQ(fake_.flushes, 0);
  file = open();
  (void)file->write_at(0, filled(10, 1));
  EXPECT_TRUE(file->sync());
  EXPECT_TRUE(file->close());
  EXPECT_EQ(fake_.flushes, 1);
  file = open();
  (void)file->write_at(0, filled(10, 1));
  EXPECT_TRUE(file->close());
  EXPECT_EQ(fake_.flushes, 2);
}

TEST_F(StorageCeph, LateErrorsAreReportedAtSyncAndClose) {
  auto file = open();
  (void)file->write_at(0, filled(10, 1));
  fake_.flush_errno = ENOSPC;
  EXPECT_EQ(file->sync().error().code, ErrorClass::kNoSpace);
  EXPECT_EQ(file->close().error().code, ErrorClass::kNoSpace);
}

TEST_F(StorageCeph, AMountThatFailsSaysWhyAndLeavesNothing) {
  const std::vector<std::pair<int, ErrorClass>> cases = {{ETIMEDOUT, ErrorClass::kIo},
                                                         {ENOENT, ErrorClass::kIo},
                                                         {EACCES, ErrorClass::kAccess},
                                                         {EPERM, ErrorClass::kAccess}};
  for (const auto& [reason, code] : cases) {
    fake_.mount_errno = reason;
    const auto opened = try_open();
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, code);
    EXPECT_EQ(opened.error().sys_errno, reason);
    EXPECT_THAT(opened.error().detail, HasSubstr("cannot use CephFS"));
    EXPECT_EQ(remove_file("cephfs:/x").error().code, code);
    EXPECT_EQ(fake_.handles, 0);
  }
  EXPECT_EQ(fake_.unmounts, 0);
  fake_.mount_errno = 0;
  fake_.init_errno = ETIMEDOUT;
  EXPECT_EQ(try_open().error().code, ErrorClass::kIo);
  EXPECT_EQ(fake_.handles, 0);
  fake_.init_errno = 0;
  EXPECT_TRUE(open()->close());
}

TEST_F(StorageCeph, TheUsersConfigurationCounts) {
  EXPECT_TRUE(open()->close());
  EXPECT_EQ(fake_.user, "-");
  EXPECT_EQ(fake_.root, "/");
  EXPECT_EQ(fake_.options["client_mount_timeout"], "30");
  release_idle_storage();
  const std::string arguments =
      "--id ana --client_mount_timeout=77 --client_force_lazyio=true --client_mountpoint=" +
      dir_.path();
  setenv("CEPH_ARGS", arguments.c_str(), 1);
  auto file = open_storage("cephfs:/below", read_write(), "auto");
  ASSERT_TRUE(file);
  EXPECT_TRUE((*file)->close());
  EXPECT_EQ(contents(dir_.file("below")).size(), 0U);
  EXPECT_EQ(fake_.user, "ana");
  EXPECT_EQ(fake_.root, dir_.path());
  EXPECT_EQ(fake_.options["client_mount_timeout"], "77");
  EXPECT_EQ(fake_.options["client_force_lazyio"], "false");
}

// The real library forgets them if they are set too early.
TEST_F(StorageCeph, TheProcesssGroupsAreKnown) {
  std::vector<gid_t> own(static_cast<size_t>(getgroups(0, nullptr)));
  ASSERT_GE(getgroups(static_cast<int>(own.size()), own.data()), 0);
  fake_.groups.assign(1, 4711);  // no such group: what is there before
  EXPECT_TRUE(open()->close());
  EXPECT_EQ(fake_.groups, own);
}

TEST_F(StorageCeph, AClientThatWasThrownOutMountsAgain) {
  EXPECT_TRUE(open()->close());
  fake_.lost_opens = 1;
  EXPECT_TRUE(open()->close());
  EXPECT_EQ(fake_.mounts, 2);
  EXPECT_EQ(fake_.unmounts, 1);
  fake_.lost_opens = 1;
  EXPECT_TRUE(remove_file("cephfs:" + dir_.file("data")));
  fake_.lost_opens = 2;
  const auto opened = try_open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorClass::kIo);
  EXPECT_EQ(opened.error().sys_errno, ESHUTDOWN);
  EXPECT_TRUE(open()->close());
}

TEST_F(StorageCeph, WithoutALibraryItIsUnsupported) {
  use_ceph_library("/nowhere/libcephfs.so.2");
  for (int i = 0; i < 2; ++i) {
    const auto opened = try_open();
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorClass::kUnsupportedOperation);
    EXPECT_THAT(opened.error().detail, HasSubstr("/nowhere/libcephfs.so.2"));
  }
  EXPECT_EQ(remove_file("cephfs:/x").error().code, ErrorClass::kUnsupportedOperation);
}

TEST_F(StorageCeph, ALibraryThatLacksTooMuchIsNamed) {
  use_ceph_library(fake_ceph_library("broken"));
  const auto opened = try_open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().code, ErrorClass::kUnsupportedOperation);
  EXPECT_THAT(opened.error().detail, HasSubstr("ceph_fstatx"));
}

TEST_F(StorageCeph, ABareLibraryMovesBytesAllTheSame) {
  FakeCephfs& bare = *use_ceph_library(fake_ceph_library("bare"));
  auto file = open();
  Bytes memory = filled(30, 1);
  const std::vector<IoPiece> pieces = {{0, memory.data() + 20, 10}, {10, memory.data(), 10}};
  EXPECT_EQ(file->transfer(IoKind::kWrite, pieces).bytes, 20);
  EXPECT_EQ(file->transfer(IoKind::kRead, pieces).bytes, 20);
  EXPECT_EQ(bare.transfers, 4);
  EXPECT_EQ(contents(dir_.file("data")), filled(20, 1));
  EXPECT_EQ(file->lock({0, 1}, true).error().code, ErrorClass::kUnsupportedOperation);
  file->unlock({0, 1});
  EXPECT_EQ(file->device_of(0).error().code, ErrorClass::kUnsupportedOperation);
  EXPECT_TRUE(file->close());
}

TEST_F(StorageCeph, AttributesAndDevices) {
  auto file = open();
  EXPECT_EQ(file->attribute("user.none").error().code, ErrorClass::kUnsupportedOperation);
  const std::string lengthy(3000, 'x');
  EXPECT_TRUE(file->set_attribute("user.short", "a"));
  EXPECT_TRUE(file->set_attribute("user.long", lengthy));
  EXPECT_EQ(*file->attribute("user.short"), "a");
  EXPECT_EQ(*file->attribute("user.long"), lengthy);
  EXPECT_EQ(file->block_bytes(), 4 << 20);
  for (const int64_t stripe : {0, 1, 2, 3}) {
    EXPECT_EQ(*file->device_of(stripe << 22), stripe % 3);
    EXPECT_EQ(*file->device_of(((stripe + 1) << 22) - 1), stripe % 3);
  }
  EXPECT_EQ(file->device_of(-1).error().code, ErrorClass::kInvalidArgument);
  EXPECT_TRUE(file->close());
}

TEST_F(StorageCeph, RemovesFiles) {
  EXPECT_TRUE(open()->close());
  EXPECT_TRUE(remove_file("cephfs:" + dir_.file("data")));
  EXPECT_EQ(remove_file("cephfs:" + dir_.file("data")).error().code, ErrorClass::kNoSuchFile);
  EXPECT_EQ(remove_file("cephfs:" + dir_.path()).error().code, ErrorClass::kBadFile);
}

TEST_F(StorageCeph, NewFilesHaveTheProcesssUmask) {
  const mode_t before = umask(0137);
  EXPECT_TRUE(open()->close());
  umask(before);
  EXPECT_EQ(fake_.mode, 0640);
}

TEST_F(StorageCeph, RangesAreLockedAgainstOtherOpeners) {
  auto mine = open();
  auto other = open();
  ASSERT_TRUE(mine->lock({0, 100}, true));
  ASSERT_TRUE(other->lock({100, 200}, true));  // the neighbour is free
  std::atomic<bool> granted = false;
  std::thread waiter([&] {
    EXPECT_TRUE(other->lock({50, 60}, false));
    granted = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(granted);
  mine->unlock({0, 100});
  waiter.join();
  EXPECT_TRUE(other->close());
  EXPECT_TRUE(mine->lock({0, 200}, true));  // closing gave up the rest
  EXPECT_TRUE(mine->close());
}

TEST_F(StorageCeph, AnExclusiveLockNeedsAFileOpenForWriting) {
  EXPECT_TRUE(open()->close());
  auto reader = open_storage("cephfs:" + dir_.file("data"), OpenOptions{}, "auto");
  ASSERT_TRUE(reader);
  EXPECT_EQ((*reader)->lock({0, 1}, true).error().code, ErrorClass::kAccess);
  EXPECT_TRUE((*reader)->lock({0, 1}, false));
  EXPECT_TRUE((*reader)->close());
}

TEST_F(StorageCeph, ALocalFileMayHaveSuchAName) {
  const std::string path = dir_.path() + "/cephfs:x";
  auto file = open_storage(path, read_write(), "auto");
  ASSERT_TRUE(file);
  EXPECT_EQ((*file)->backend(), "posix");
  EXPECT_TRUE((*file)->close());
  EXPECT_EQ(open_storage("cephfs:/x", read_write(), "tape").error().code,
            ErrorClass::kInvalidArgument);
}

}  // namespace
}  // namespace longshore
