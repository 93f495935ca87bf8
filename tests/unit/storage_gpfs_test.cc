// Access ranges and data shipping of GPFS, told to a stand-in for its library.
#include "storage/gpfs.h"

#include <dlfcn.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "storage_test_support.h"

namespace longshore {
namespace {

using testing_support::read_write;
using testing_support::ScratchDir;
using testing_support::temp_parent;

class GpfsRanges : public ::testing::Test {
 protected:
  void SetUp() override {
    handle_ = dlopen(LONGSHORE_FAKE_GPFS, RTLD_LAZY);
    ASSERT_NE(handle_, nullptr) << dlerror();
    number("fake_gpfs_calls") = 0;
    number("fake_gpfs_accepts") = 8;
    number("fake_gpfs_errno") = 0;
    number("fake_gpfs_interrupts") = 0;
    library_ = GpfsLibrary::load(LONGSHORE_FAKE_GPFS);
    ASSERT_NE(library_, nullptr);
    auto file = open_file(scratch_.file("f"), read_write());
    ASSERT_TRUE(file);
    storage_ = std::make_unique<GpfsStorage>(std::move(*file), scratch_.file("f"), read_write(),
                                             *library_);
    block_ = storage_->block_bytes();
  }

  int& number(const char* name) { return *static_cast<int*>(dlsym(handle_, name)); }
  // A field of the n-th argument.
  template <typename Number>
  Number field(size_t call, size_t offset) {
    const auto* all =
        static_cast<std::array<std::array<char, 512>, 64>*>(dlsym(handle_, "fake_gpfs_arguments"));
    Number value{};
    std::memcpy(&value, all->at(call).data() + offset, sizeof(value));
    return value;
  }
  // The n-th argument as numbers of 4 bytes, to the length that it has in its first one.
  std::vector<int32_t> words(size_t call) {
    std::vector<int32_t> all;
    for (size_t at = 0; at < static_cast<size_t>(field<int32_t>(call, 0)); at += 4) {
      all.push_back(field<int32_t>(call, at));
    }
    return all;
  }
  int calls() { return number("fake_gpfs_calls"); }

  ScratchDir scratch_{temp_parent()};
  void* handle_ = nullptr;
  std::unique_ptr<GpfsLibrary> library_;
  std::unique_ptr<GpfsStorage> storage_;
  int64_t block_ = 0;
};

// [block 2 + 10, block 3 + 5): two ranges in one call.
TEST_F(GpfsRanges, BlocksAreAnnounced) {
  storage_->will_need({2 * block_ + 10, 3 * block_ + 5});
  ASSERT_EQ(calls(), 1);
  EXPECT_EQ(field<int32_t>(0, 0), 416);           // gpfsFcntlHeader_t: totalLength
  EXPECT_EQ(field<int32_t>(0, 4), 1);             // fcntlVersion
  EXPECT_EQ(field<int32_t>(0, 8), 0);             // errorOffset
  EXPECT_EQ(field<int32_t>(0, 12), 0);            // fcntlReserved
  EXPECT_EQ(field<int32_t>(0, 16), 400);          // gpfsMultipleAccessRange_t: structLen
  EXPECT_EQ(field<int32_t>(0, 20), 1003);         // structType
  EXPECT_EQ(field<int32_t>(0, 24), 2);            // accRangeCnt
  EXPECT_EQ(field<int32_t>(0, 28), 0);            // relRangeCnt
  EXPECT_EQ(field<int64_t>(0, 32), 2);            // accRangeArray[0]: blockNumber
  EXPECT_EQ(field<int32_t>(0, 40), 10);           // start
  EXPECT_EQ(field<int32_t>(0, 44), block_ - 10);  // length
  EXPECT_EQ(field<int32_t>(0, 48), 0);            // isWrite
  EXPECT_EQ(field<int64_t>(0, 56), 3);            // accRangeArray[1]: blockNumber
  EXPECT_EQ(field<int32_t>(0, 64), 0);            // start
  EXPECT_EQ(field<int32_t>(0, 68), 5);            // length
}

TEST_F(GpfsRanges, WhatWasTakenIsReleasedOnce) {
  number("fake_gpfs_accepts") = 1;
  storage_->will_need({0, 2 * block_});
  storage_->done_with({0, 2 * block_});
  ASSERT_EQ(calls(), 2);
  EXPECT_EQ(field<int32_t>(1, 24), 0);                     // accRangeCnt
  EXPECT_EQ(field<int32_t>(1, 28), 1);                     // relRangeCnt
  EXPECT_EQ(field<int64_t>(1, 32 + 8 * 24), 0);            // relRangeArray[0]: blockNumber
  EXPECT_EQ(field<int32_t>(1, 32 + 8 * 24 + 12), block_);  // length
  storage_->done_with({0, 2 * block_});
  EXPECT_EQ(calls(), 2);
}

TEST_F(GpfsRanges, ABlockIsAnnouncedOnce) {
  storage_->will_need({0, 100});
  storage_->will_need({200, 300});
  EXPECT_EQ(calls(), 1);
}

TEST_F(GpfsRanges, NoCallHasMoreThanEight) {
  storage_->will_need({0, 20 * block_});
  ASSERT_EQ(calls(), 3);
  EXPECT_EQ(field<int32_t>(0, 24), 8);
  EXPECT_EQ(field<int32_t>(2, 24), 4);
  storage_->done_with({0, 20 * block_});
  ASSERT_EQ(calls(), 6);
  EXPECT_EQ(field<int32_t>(5, 28), 4);
}

TEST_F(GpfsRanges, AFailureIsNoOnesBusiness) {
  number("fake_gpfs_errno") = ENOSYS;
  storage_->will_need({0, block_});
  storage_->done_with({0, block_});
  EXPECT_EQ(calls(), 1);
  EXPECT_TRUE(storage_->write_at(0, testing_support::filled(10, 1)).ok());
}

using GpfsShipping = GpfsRanges;

TEST_F(GpfsShipping, StartsWithTheNumberOfOpeners) {
  ASSERT_TRUE(storage_->can_ship_data());
  ASSERT_TRUE(storage_->start_data_shipping({6, 262144, {}}));
  ASSERT_EQ(calls(), 1);
  EXPECT_THAT(words(0), testing::ElementsAre(32, 1, 0, 0,       // gpfsFcntlHeader_t
                                             16, 2002, 6, 0));  // gpfsDataShipStart_t
}

// Three agents take four places, so that the structure is a multiple of 8 bytes.
TEST_F(GpfsShipping, MapsPartitionsToTheAgentsInTheirOrder) {
  ASSERT_TRUE(storage_->start_data_shipping({4, 262144, {7, 2, 5}}));
  EXPECT_THAT(words(0), testing::ElementsAre(64, 1, 0, 0,          // gpfsFcntlHeader_t
                                             16, 2002, 4, 0,       // gpfsDataShipStart_t
                                             32, 2003, 262144, 3,  // gpfsDataShipMapVariable_t
                                             7, 2, 5, 0));         // agentNodeNumber
  ASSERT_TRUE(storage_->start_data_shipping({4, 262144, {7, 2}}));
  EXPECT_THAT(words(1),
              testing::ElementsAre(56, 1, 0, 0, 16, 2002, 4, 0, 24, 2003, 262144, 2, 7, 2));
}

TEST_F(GpfsShipping, Stops) {
  ASSERT_TRUE(storage_->stop_data_shipping());
  EXPECT_THAT(words(0), testing::ElementsAre(24, 1, 0, 0, 8, 2004));
}

TEST_F(GpfsShipping, ARefusalIsTold) {
  number("fake_gpfs_errno") = EINVAL;
  EXPECT_FALSE(storage_->start_data_shipping({2, 262144, {}}));
  EXPECT_FALSE(storage_->stop_data_shipping());
  EXPECT_EQ(calls(), 2);
}

TEST_F(GpfsShipping, ASignalInBetweenIsNoRefusal) {
  number("fake_gpfs_interrupts") = 2;
  EXPECT_TRUE(storage_->start_data_shipping({2, 262144, {}}));
  EXPECT_EQ(calls(), 3);
  EXPECT_EQ(words(0), words(2));
}

TEST(GpfsLibrary, MayBeMissing) {
  EXPECT_EQ(GpfsLibrary::load("/no/such/libgpfs.so"), nullptr);
  EXPECT_EQ(GpfsLibrary::load("libc.so.6"), nullptr);
}

}  // namespace
}  // namespace longshore
