// BeeGFS, CephFS and GPFS, and how files are made and looked at on any of them.
#include "layout/striping.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_probe.h"
#include "layout/beegfs.h"
#include "layout/cephfs.h"
#include "layout/gpfs.h"
#include "layout/lustre.h"

namespace longshore {
namespace {

using testing_support::bytes;
using testing_support::FakeProbe;
using testing_support::Image;
using testing_support::operator+;
using ::testing::ElementsAre;
using ::testing::Pair;

constexpr int64_t kMiB = 1 << 20;
constexpr unsigned long kBeegfsInfo = 0x800c6619;    // _IOR('f', 25, 12 bytes)
constexpr unsigned long kBeegfsTarget = 0x8106661a;  // _IOR('f', 26, 262 bytes)
constexpr unsigned long kBeegfsMake = 0x4018661b;    // _IOW('f', 27, 24 bytes)
constexpr unsigned long kCephPlace = 0xc0f89703;     // _IOWR(0x97, 3, 248 bytes)
constexpr unsigned long kLustreSet = 0x4008669a;
constexpr unsigned long kLustreGet = 0x4008669b;

FakeProbe on(uint64_t magic) {
  FakeProbe probe;
  probe.facts = {magic, 4096};
  return probe;
}

// BeegfsIoctl_GetStripeInfo_Arg.
Image beegfs_info(int pattern, int targets) {
  return bytes({
      pattern, 0, 0, 0,        // outPatternType
      0x00, 0x00, 0x08, 0x00,  // outChunkSize: 512 KiB
      targets, 0,              // outNumTargets
      0, 0,                    // padding
  });
}

// Targets 101, 102, ... as BeegfsIoctl_GetStripeTarget_Arg tells them.
void answer_targets(FakeProbe& probe) {
  probe.file->controls[kBeegfsTarget] = [](std::span<std::byte> argument) -> Status {
    EXPECT_EQ(argument.size(), 262U);
    argument[2] = static_cast<std::byte>(101 + static_cast<int>(argument[0]));  // outTargetNumID
    argument[4] = std::byte{9};                                                 // outNodeNumID
    return {};
  };
}

TEST(Beegfs, ChunksGoRoundTheTargets) {
  FakeProbe probe = on(kBeegfsMagic);
  probe.file->answer(kBeegfsInfo, beegfs_info(1, 3));
  answer_targets(probe);
  const Layout layout = read_layout(probe, "/d/f");
  EXPECT_EQ(layout.file_system, FileSystem::kBeegfs);
  EXPECT_EQ(layout.stripe_bytes, kMiB / 2);
  EXPECT_THAT(layout.devices, ElementsAre(101, 102, 103));
  EXPECT_EQ(layout.device_of(kMiB), 103);
  EXPECT_EQ(layout.lock_bytes, 0);
}

TEST(Beegfs, TargetsThatAreNotToldAreNumbered) {
  FakeProbe probe = on(kBeegfsMagic);
  probe.file->answer(kBeegfsInfo, beegfs_info(3, 2));
  const Layout layout = read_layout(probe, "/d/f");
  EXPECT_EQ(layout.targets, 2);
  EXPECT_EQ(layout.target_of(kMiB / 2), 1);
  EXPECT_EQ(layout.device_of(0), -1);
}

TEST(Beegfs, NonsenseIsAPlainFile) {
  for (const Image& answer : {beegfs_info(0, 2), beegfs_info(4, 2), beegfs_info(1, 0)}) {
    FakeProbe probe = on(kBeegfsMagic);
    probe.file->answer(kBeegfsInfo, answer);
    Error trouble;
    EXPECT_EQ(read_layout(probe, "/d/f", &trouble).file_system, FileSystem::kPlain);
    EXPECT_EQ(trouble.code, ErrorClass::kOther);
  }
}

TEST(Beegfs, MakesAFileByItsFolder) {
  FakeProbe probe = on(kBeegfsMagic);
  std::string made;
  probe.folder->controls[kBeegfsMake] = [&](std::span<std::byte> argument) -> Status {
    const char* name = nullptr;
    std::memcpy(&name, argument.data(), sizeof(name));  // filename
    made = name;
    EXPECT_EQ(Image(argument.begin() + 8, argument.end()),
              bytes({
                  0xa0, 0x01, 0x00, 0x00,  // 0640
                  0x04, 0x00, 0x00, 0x00,  // numtargets
                  0x00, 0x00, 0x10, 0x00,  // chunksize
                  0, 0, 0, 0,              // padding
              }));
    return {};
  };
  const auto creation = create_striped(probe, {"/d/f", {kMiB, 4, -1}});
  EXPECT_TRUE(creation.created);
  EXPECT_EQ(creation.outcome, StripingOutcome::kSet);
  EXPECT_EQ(made, "f");
}

TEST(Beegfs, RefusesOddChunks) {
  FakeProbe probe = on(kBeegfsMagic);
  const auto creation = create_striped(probe, {"/d/f", {3 * 65536, 4, -1}});
  EXPECT_FALSE(creation.created);
  EXPECT_EQ(creation.outcome, StripingOutcome::kRefused);
  EXPECT_EQ(creation.refusal.code, ErrorClass::kInvalidArgument);
  EXPECT_TRUE(probe.folder->told.empty());
}

void ceph_attributes(FakeProbe& probe, const char* unit, const char* count, const char* size) {
  probe.file->attributes = {{"ceph.file.layout.stripe_unit", unit},
                            {"ceph.file.layout.stripe_count", count},
                            {"ceph.file.layout.object_size", size}};
}

// Stripes of 1 MiB, two side by side, objects of 2 MiB. Objects 0 1 2 3 lie on OSDs 5 0 5 5.
TEST(Cephfs, AsksWhereTheObjectsAre) {
  FakeProbe probe = on(kCephMagic);
  ceph_attributes(probe, "1048576", "2", "2097152");
  std::vector<int64_t> asked;
  probe.file->devices = [&](int64_t offset) -> Result<int32_t> {
    asked.push_back(offset);
    if (asked.size() > 5) {  // the last one would begin a third set
      return fail_errno(EIO, "enough");
    }
    return asked.size() == 2 ? 0 : 5;
  };
  const Layout layout = read_layout(probe, "/d/f");
  EXPECT_EQ(layout.file_system, FileSystem::kCephfs);
  EXPECT_THAT(asked, ElementsAre(0, kMiB, 4 * kMiB, 5 * kMiB, 8 * kMiB, 9 * kMiB));
  EXPECT_THAT(layout.devices, ElementsAre(0, 5));
  std::vector<int> devices;
  for (int64_t stripe = 0; stripe < 10; ++stripe) {
    devices.push_back(layout.device_of(stripe * kMiB));
  }
  EXPECT_THAT(devices, ElementsAre(5, 0, 5, 0, 5, 5, 5, 5, 5, 0));
}

// struct ceph_ioctl_dataloc, 248 bytes.
TEST(Cephfs, TheKernelsClientIsAskedByControl) {
  FakeProbe probe = on(kCephMagic);
  ceph_attributes(probe, "65536", "1", "65536");
  probe.file->controls[kCephPlace] = [](std::span<std::byte> argument) -> Status {
    EXPECT_EQ(argument.size(), 248U);
    // file_offset, in: object 3 begins at 0x30000. osd, out, at 112.
    argument[112] = argument[2] == std::byte{3} ? std::byte{7} : std::byte{1};
    return {};
  };
  const Layout layout = read_layout(probe, "/d/f");
  EXPECT_EQ(probe.file->told.size(), static_cast<size_t>(kAskedObjects));
  EXPECT_EQ(layout.device_of(2 * 65536), 1);
  EXPECT_EQ(layout.device_of(3 * 65536), 7);
}

TEST(Cephfs, ThroughFuseDevicesAreNotTold) {
  FakeProbe probe = on(kFuseMagic);
  ceph_attributes(probe, "65536", "3", "4194304");
  const Layout layout = read_layout(probe, "/d/f");
  EXPECT_EQ(layout.file_system, FileSystem::kCephfs);
  EXPECT_EQ(layout.targets, 3);
  EXPECT_EQ(layout.target_of(65536 * 4), 1);
  EXPECT_EQ(layout.device_of(0), -1);
}

TEST(Cephfs, OtherFileSystemsThroughFuseArePlain) {
  FakeProbe probe = on(kFuseMagic);
  const Layout layout = read_layout(probe, "/d/f");
  EXPECT_EQ(layout.file_system, FileSystem::kPlain);
  EXPECT_EQ(layout.stripe_bytes, 4096);
}

TEST(Cephfs, NonsenseIsAPlainFile) {
  for (const auto& [unit, count, size] :
       std::vector<std::array<const char*, 3>>{{"0", "1", "4194304"},
                                               {"-65536", "1", "4194304"},
                                               {"65536", "0", "4194304"},
                                               {"65536", "99999999999", "4194304"},
                                               {"65536", "1", "100000"},
                                               {"65536", "1", "big"},
                                               {"", "1", "65536"}}) {
    FakeProbe probe = on(kCephMagic);
    ceph_attributes(probe, unit, count, size);
    EXPECT_EQ(read_layout(probe, "/d/f").file_system, FileSystem::kPlain) << unit << size;
  }
}

TEST(Cephfs, SetsTheLayoutOfANewFile) {
  FakeProbe probe = on(kCephMagic);
  probe.file->there = false;
  ceph_attributes(probe, "4194304", "1", "4194304");
  EXPECT_EQ(create_striped(probe, {"/d/f", {kMiB, 4, -1}}).outcome, StripingOutcome::kSet);
  EXPECT_THAT(probe.file->set,
              ElementsAre(Pair("ceph.file.layout",
                               "stripe_unit=1048576 stripe_count=4 object_size=4194304")));
}

TEST(Cephfs, ObjectsHoldWholeStripes) {
  FakeProbe probe = on(kCephMagic);
  probe.file->there = false;
  ceph_attributes(probe, "4194304", "2", "4194304");
  EXPECT_TRUE(create_striped(probe, {"/d/f", {3 * 65536, 0, -1}}).created);
  EXPECT_EQ(probe.file->set.at(0).second,
            "stripe_unit=196608 stripe_count=2 object_size=4128768");  // 21 stripes
  probe.file->there = false;
  EXPECT_TRUE(create_striped(probe, {"/d/f", {8 * kMiB, 0, -1}}).created);
  EXPECT_EQ(probe.file->set.at(1).second, "stripe_unit=8388608 stripe_count=2 object_size=8388608");
}

TEST(Cephfs, RefusesStripesThatItCannotHave) {
  FakeProbe probe = on(kCephMagic);
  probe.file->there = false;
  ceph_attributes(probe, "4194304", "1", "4194304");
  const auto creation = create_striped(probe, {"/d/f", {1000, 4, -1}});
  EXPECT_TRUE(creation.created);  // with the folder's layout
  EXPECT_EQ(creation.outcome, StripingOutcome::kRefused);
  EXPECT_TRUE(probe.file->set.empty());
}

TEST(Striping, AFileThatExistsIsLeftAlone) {
  for (const uint64_t magic : {kLustreMagic, kCephMagic}) {
    FakeProbe probe = on(magic);
    const auto creation = create_striped(probe, {"/d/f", {kMiB, 4, -1}});
    EXPECT_FALSE(creation.created);
    EXPECT_EQ(creation.outcome, StripingOutcome::kFileExisted);
    EXPECT_TRUE(probe.file->told.empty());
    EXPECT_TRUE(probe.file->set.empty());
  }
}

TEST(Striping, NothingIsMadeWhereItCannotBeSetOrIsNotAsked) {
  for (const uint64_t magic : {kGpfsMagic, uint64_t{0xef53}, kFuseMagic}) {
    FakeProbe probe = on(magic);
    probe.file->there = false;
    const auto creation = create_striped(probe, {"/d/f", {kMiB, 4, -1}});
    EXPECT_FALSE(creation.created);
    EXPECT_FALSE(probe.file->there);
    EXPECT_EQ(creation.outcome, StripingOutcome::kNotSettable);
  }
  FakeProbe lustre = on(kLustreMagic);
  lustre.file->there = false;
  EXPECT_FALSE(create_striped(lustre, {"/d/f", {}}).created);
  EXPECT_FALSE(lustre.file->there);
}

// The file is made without objects, its stripes are set, and what it has then is read back.
TEST(Striping, OnLustreWhatIsInEffectIsReadBack) {
  FakeProbe probe = on(kLustreMagic);
  probe.file->there = false;
  probe.file->answer(kLustreSet, {});
  const StripingWish wish{kMiB, 8, 2};
  const auto creation = create_striped(probe, {"/d/f", wish});
  EXPECT_TRUE(creation.created);
  // O_LOV_DELAY_CREATE: 0100000000, FASYNC and O_NOCTTY.
  EXPECT_EQ(probe.file->created_with, 0x1000000 | 0x2000 | 0x100);
  Image answer = bytes({0xd0, 0x0b, 0xd1, 0x0b, 1, 0, 0, 0, 0, 0, 0,    0, 0, 0, 0, 0,
                        0,    0,    0,    0,    0, 0, 0, 0, 0, 0, 0x10, 0, 2, 0, 0, 0});
  for (const int ost : {2, 3}) {
    answer = answer + Image(20) + bytes({ost, 0, 0, 0});
  }
  probe.file->answer(kLustreGet, answer);
  const Layout layout = read_layout(probe, "/d/f");
  // Two OSTs are all there are.
  EXPECT_EQ(outcome_of(wish, creation, layout), StripingOutcome::kAdjusted);
  EXPECT_EQ(outcome_of({kMiB, 2, 2}, creation, layout), StripingOutcome::kSet);
  EXPECT_EQ(outcome_of({kMiB, 2, 3}, creation, layout), StripingOutcome::kAdjusted);
  EXPECT_EQ(outcome_of({}, {}, layout), StripingOutcome::kNotAsked);
  EXPECT_EQ(outcome_of(wish, {}, layout), StripingOutcome::kFileExisted);
  EXPECT_EQ(outcome_of(wish, {}, plain_layout(4096, 0, 0)), StripingOutcome::kNotSettable);
}

TEST(Striping, ARefusalLeavesTheFileMade) {
  FakeProbe probe = on(kLustreMagic);
  probe.file->there = false;  // and no answer to the request
  const auto creation = create_striped(probe, {"/d/f", {kMiB, 8, -1}});
  EXPECT_TRUE(creation.created);
  EXPECT_EQ(creation.outcome, StripingOutcome::kRefused);
  EXPECT_EQ(creation.refusal.sys_errno, ENOTTY);
}

TEST(Gpfs, BlocksAreStripesAndLocks) {
  FakeProbe probe = on(kGpfsMagic);
  probe.facts.block_bytes = 4 * kMiB;
  const Layout layout = read_layout(probe, "/d/f");
  EXPECT_EQ(layout.file_system, FileSystem::kGpfs);
  EXPECT_TRUE(layout.striped);
  EXPECT_EQ(layout.stripe_bytes, 4 * kMiB);
  EXPECT_EQ(layout.lock_bytes, 4 * kMiB);
  EXPECT_EQ(layout.device_of(0), -1);
}

TEST(Striping, AnOrdinaryFileIsPlain) {
  const Layout layout = read_layout(system_probe(), "/proc/self/exe");
  EXPECT_EQ(layout.file_system, FileSystem::kPlain);
  EXPECT_FALSE(layout.striped);
  EXPECT_GT(layout.stripe_bytes, 1);
  EXPECT_EQ(read_layout(system_probe(), "/no/such/file").file_system, FileSystem::kPlain);
}

}  // namespace
}  // namespace longshore
