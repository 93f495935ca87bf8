// Lustre's binary answers, written out byte by byte from the definitions of its user interface
// (little-endian machines).
#include "layout/lustre.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "fake_probe.h"

namespace longshore {
namespace {

using testing_support::bytes;
using testing_support::FakeFile;
using testing_support::FakeProbedFile;
using testing_support::Image;
using testing_support::operator+;
using ::testing::ElementsAre;

constexpr unsigned long kSetStripe = 0x4008669a;  // _IOW('f', 154, long)
constexpr unsigned long kGetStripe = 0x4008669b;  // _IOW('f', 155, long)
constexpr int64_t kMiB = 1 << 20;

// struct lov_user_ost_data_v1 of an object on OST `index`.
Image object(int index) {
  return bytes({
      0x11,  0x22, 0x33, 0x44, 0x00, 0x00, 0x00, 0x00,  // l_ost_oi: object id
      0x00,  0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x00,  // l_ost_oi: sequence
      0x01,  0x00, 0x00, 0x00,                          // l_ost_gen
      index, 0x00, 0x00, 0x00,                          // l_ost_idx
  });
}

// struct lov_user_md_v1 with stripes of `mib` MiB.
Image header_v1(int pattern, int mib, int count_low, int count_high) {
  return bytes({
      0xd0,           0x0b,         0xd1,
      0x0b,  // lmm_magic: LOV_USER_MAGIC_V1
      pattern & 0xff, pattern >> 8, 0x00,
      0x00,  // lmm_pattern
      0x55,           0x66,         0x77,
      0x88,           0x00,         0x00,
      0x00,           0x00,  // lmm_oi: id
      0x00,           0x04,         0x00,
      0x00,           0x02,         0x00,
      0x00,           0x00,  // lmm_oi: sequence
      0x00,           0x00,         (mib << 4) & 0xff,
      mib >> 4,                    // lmm_stripe_size
      count_low,      count_high,  // lmm_stripe_count
      0x00,           0x00,        // lmm_layout_gen
  });
}

// struct lov_user_md_v3: the same and a pool.
Image header_v3(int mib, int count) {
  Image image = header_v1(0x001, mib, count, 0);
  image[2] = std::byte{0xd3};  // LOV_USER_MAGIC_V3
  return image +
         bytes({'f', 'l', 'a', 's', 'h', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0});  // lmm_pool_name
}

// struct lov_comp_md_entry_v1 for whole MiB below 256 (end 0xff: to the end of the file).
Image entry(int id, int flags, int begin_mib, int end_mib, int offset, int size) {
  const int top = end_mib == 0xff ? 0xff : 0;
  return bytes({
      id,
      0x00,
      0x00,
      0x00,  // lcme_id
      flags,
      0x00,
      0x00,
      0x00,  // lcme_flags
      0x00,
      0x00,
      (begin_mib << 4) & 0xff,
      begin_mib >> 4,
      0,
      0,
      0,
      0,  // lcme_extent.e_start
      top,
      top,
      top != 0 ? top : (end_mib << 4) & 0xff,  // lcme_extent.e_end
      top != 0 ? top : end_mib >> 4,
      top,
      top,
      top,
      top,  //
      offset & 0xff,
      offset >> 8,
      0x00,
      0x00,  // lcme_offset
      size & 0xff,
      size >> 8,
      0x00,
      0x00,  // lcme_size
      0x01,
      0x00,
      0x00,
      0x00,  // lcme_layout_gen
      0,
      0,
      0,
      0,
      0,
      0,
      0,
      0,  // lcme_timestamp
      0,
      0,
      0,
      0,  // lcme_padding_1
  });
}

// struct lov_comp_md_v1.
Image composite(int size, int entries, int mirrors) {
  return bytes({
      0xd0,        0x0b,      0xd6, 0x0b,              // lcm_magic: LOV_USER_MAGIC_COMP_V1
      size & 0xff, size >> 8, 0x00, 0x00,              // lcm_size
      0x03,        0x00,      0x00, 0x00,              // lcm_layout_gen
      0x00,        0x00,                               // lcm_flags
      entries,     0x00,                               // lcm_entry_count
      mirrors - 1, 0x00,                               // lcm_mirror_count
      0,           0,         0,    0,    0, 0,        // lcm_padding1
      0,           0,         0,    0,    0, 0, 0, 0,  // lcm_padding2
  });
}

TEST(Lustre, PlainStripesOnTheirOsts) {
  const auto layout = parse_lustre(header_v1(0x001, 1, 3, 0) + object(7) + object(2) + object(5));
  ASSERT_TRUE(layout) << layout.error().detail;
  EXPECT_EQ(layout->file_system, FileSystem::kLustre);
  EXPECT_TRUE(layout->striped);
  EXPECT_EQ(layout->stripe_bytes, kMiB);
  EXPECT_EQ(layout->lock_bytes, kMiB);
  EXPECT_EQ(layout->targets, 3);
  EXPECT_THAT(layout->devices, ElementsAre(2, 5, 7));
  EXPECT_EQ(layout->device_of(0), 7);
  EXPECT_EQ(layout->device_of(kMiB), 2);
  EXPECT_EQ(layout->device_of(3 * kMiB - 1), 5);
  EXPECT_EQ(layout->device_of(3 * kMiB), 7);
}

TEST(Lustre, PoolsAreStripedAlike) {
  const auto layout = parse_lustre(header_v3(4, 2) + object(1) + object(0));
  ASSERT_TRUE(layout) << layout.error().detail;
  EXPECT_EQ(layout->stripe_bytes, 4 * kMiB);
  EXPECT_EQ(layout->device_of(0), 1);
  EXPECT_EQ(layout->device_of(4 * kMiB), 0);
}

// Pattern 0x201: four stripes on two OSTs.
TEST(Lustre, AnOverstripedOstIsOneTarget) {
  const auto layout =
      parse_lustre(header_v1(0x201, 1, 4, 0) + object(9) + object(9) + object(4) + object(9));
  ASSERT_TRUE(layout) << layout.error().detail;
  EXPECT_EQ(layout->targets, 2);
  EXPECT_EQ(layout->factor(), 4);
  EXPECT_EQ(layout->device_of(kMiB), 9);
  EXPECT_EQ(layout->device_of(2 * kMiB), 4);
  EXPECT_EQ(layout->map->stripe_at(3 * kMiB).turn, 2);
}

// [0, 4 MiB) in one stripe of 1 MiB on OST 3; [4 MiB, end) in stripes of 4 MiB on OSTs 1 and 3.
Image progressive() {
  const Image first = header_v1(0x001, 1, 1, 0) + object(3);
  const Image second = header_v1(0x001, 4, 2, 0) + object(1) + object(3);
  const int begin = 32 + 2 * 48;  // header and entries
  return composite(begin + 56 + 80, 2, 1) + entry(1, 0x10, 0, 4, begin, 56) +
         entry(2, 0x10, 4, 0xff, begin + 56, 80) + first + second;
}

TEST(Lustre, ComponentsHaveTheirOwnStripes) {
  const auto layout = parse_lustre(progressive());
  ASSERT_TRUE(layout) << layout.error().detail;
  EXPECT_EQ(layout->map->parts().size(), 2U);
  EXPECT_EQ(layout->stripe_bytes, 4 * kMiB);
  EXPECT_EQ(layout->device_of(3 * kMiB), 3);
  // Stripes count from the begin of the file: [4, 8) MiB is the second one, on the second OST.
  EXPECT_EQ(layout->device_of(4 * kMiB), 3);
  EXPECT_EQ(layout->device_of(8 * kMiB), 1);
  EXPECT_EQ(layout->unit_bytes(), 4 * kMiB);
  EXPECT_EQ(layout->factor(), 2);
}

TEST(Lustre, AComponentWithoutObjectsHasUnknownDevices) {
  Image image = progressive();
  image[32 + 48 + 4] = std::byte{0};  // second entry: LCME_FL_INIT off
  const auto layout = parse_lustre(image);
  ASSERT_TRUE(layout) << layout.error().detail;
  EXPECT_EQ(layout->device_of(0), 3);
  EXPECT_EQ(layout->targets, 2);
  EXPECT_EQ(layout->target_of(4 * kMiB), 1);
  EXPECT_EQ(layout->device_of(4 * kMiB), -1);
}

TEST(Lustre, OfMirrorsTheFirstCounts) {
  const Image one = header_v1(0x001, 1, 1, 0) + object(3);
  const Image other = header_v1(0x001, 1, 1, 0) + object(8);
  const int begin = 32 + 2 * 48;
  Image first = entry(1, 0x10, 0, 0xff, begin, 56);
  Image second = entry(1, 0x10, 0, 0xff, begin + 56, 56);
  first[2] = std::byte{1};   // lcme_id: mirror 1
  second[2] = std::byte{2};  // lcme_id: mirror 2
  const auto layout = parse_lustre(composite(begin + 112, 2, 2) + first + second + one + other);
  ASSERT_TRUE(layout) << layout.error().detail;
  EXPECT_THAT(layout->devices, ElementsAre(3));
}

TEST(Lustre, DataOnTheMetadataServerIsATargetWithoutNumber) {
  const Image mdt = header_v1(0x100, 1, 0, 0);
  const Image osts = header_v1(0x001, 1, 1, 0) + object(6);
  const int begin = 32 + 2 * 48;
  const auto layout =
      parse_lustre(composite(begin + 32 + 56, 2, 1) + entry(1, 0x10, 0, 1, begin, 32) +
                   entry(2, 0x10, 1, 0xff, begin + 32, 56) + mdt + osts);
  ASSERT_TRUE(layout) << layout.error().detail;
  EXPECT_EQ(layout->device_of(0), -1);
  EXPECT_EQ(layout->device_of(kMiB), 6);
}

// Entry flag 0x40: its stripe size is a step of growth, not a stripe.
TEST(Lustre, AnExtensionBelongsToTheComponentBeforeIt) {
  Image image = progressive();
  image[32 + 48 + 4] = std::byte{0x40};
  const auto layout = parse_lustre(image);
  ASSERT_TRUE(layout) << layout.error().detail;
  EXPECT_EQ(layout->map->parts().size(), 1U);
  EXPECT_EQ(layout->stripe_bytes, kMiB);
}

// Every shorter answer is refused, whatever field it ends in; a copy at the end of its own memory
// lets a sanitizer see a read past it.
TEST(Lustre, TruncatedAnswersAreRefused) {
  for (const Image& whole : {header_v1(0x001, 1, 2, 0) + object(1) + object(2),
                             header_v3(1, 1) + object(1), progressive()}) {
    ASSERT_TRUE(parse_lustre(whole));
    for (size_t length = 0; length < whole.size(); ++length) {
      const Image part(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length));
      EXPECT_FALSE(parse_lustre(part)) << length << " of " << whole.size();
    }
  }
}

TEST(Lustre, CountsThatDoNotFitAreRefused) {
  EXPECT_FALSE(parse_lustre(header_v1(0x001, 1, 0xd0, 0x07) + object(1)));  // 2000 stripes
  Image offset = progressive();
  offset[32 + 24 + 3] = std::byte{0xff};  // first entry: offset of 4 GiB
  EXPECT_FALSE(parse_lustre(offset));
  Image size = progressive();
  size[32 + 28 + 3] = std::byte{0xff};
  EXPECT_FALSE(parse_lustre(size));
  Image entries = progressive();
  entries[14] = std::byte{200};
  EXPECT_FALSE(parse_lustre(entries));
  Image none = progressive();
  none[14] = std::byte{0};
  EXPECT_FALSE(parse_lustre(none));
  Image total = progressive();
  total[6] = std::byte{1};
  EXPECT_FALSE(parse_lustre(total));
}

TEST(Lustre, NonsenseIsRefused) {
  Image magic = header_v1(0x001, 1, 1, 0) + object(1);
  magic[0] = std::byte{0};
  EXPECT_FALSE(parse_lustre(magic));
  EXPECT_FALSE(parse_lustre(header_v1(0x001, 0, 1, 0) + object(1)));  // stripes of no size
  EXPECT_FALSE(parse_lustre(header_v1(0x002, 1, 1, 0) + object(1)));  // RAID1
  Image gap = progressive();
  gap[32 + 48 + 10] = std::byte{0x50};  // the second begins at 5 MiB
  EXPECT_FALSE(parse_lustre(gap));
}

TEST(Lustre, AsksWithRoomForAllStripes) {
  auto file = std::make_shared<FakeFile>();
  file->answer(kGetStripe, header_v1(0x001, 1, 1, 0) + object(6));
  FakeProbedFile open(file);
  const auto layout = read_lustre(open);
  ASSERT_TRUE(layout);
  EXPECT_EQ(layout->device_of(0), 6);
  const Image& asked = file->told.at(0).second;
  EXPECT_GE(asked.size(), 65536U);
  EXPECT_EQ(Image(asked.begin(), asked.begin() + 4), bytes({0xd0, 0x0b, 0xd3, 0x0b}));
  EXPECT_EQ(Image(asked.begin() + 28, asked.begin() + 30), bytes({0xd0, 0x07}));  // 2000
}

TEST(Lustre, SetsStripes) {
  auto file = std::make_shared<FakeFile>();
  file->answer(kSetStripe, {});
  FakeProbedFile open(file);
  ASSERT_TRUE(set_lustre(open, 2 * kMiB, 5, 3));
  EXPECT_EQ(file->told.at(0).second, bytes({
                                         0xd0, 0x0b, 0xd1, 0x0b,              // lmm_magic
                                         0x01, 0x00, 0x00, 0x00,              // lmm_pattern: RAID0
                                         0,    0,    0,    0,    0, 0, 0, 0,  // lmm_oi
                                         0,    0,    0,    0,    0, 0, 0, 0,  //
                                         0x00, 0x00, 0x20, 0x00,              // lmm_stripe_size
                                         0x05, 0x00,                          // lmm_stripe_count
                                         0x03, 0x00,                          // lmm_stripe_offset
                                     }));
  ASSERT_TRUE(set_lustre(open, 0, 2, -1));
  const Image& second = file->told.at(1).second;
  EXPECT_EQ(Image(second.begin() + 24, second.end()),
            bytes({0, 0, 0, 0, 2, 0, 0xff, 0xff}));  // the folder's size, any OST
}

TEST(Lustre, RefusesWhatTheFileSystemWould) {
  auto file = std::make_shared<FakeFile>();
  FakeProbedFile open(file);
  EXPECT_EQ(set_lustre(open, 100000, 1, -1).error().code, ErrorClass::kInvalidArgument);
  EXPECT_EQ(set_lustre(open, int64_t{4} << 30, 1, -1).error().code, ErrorClass::kInvalidArgument);
  EXPECT_EQ(set_lustre(open, 65536, 2001, -1).error().code, ErrorClass::kInvalidArgument);
  EXPECT_TRUE(file->told.empty());
}

}  // namespace
}  // namespace longshore
