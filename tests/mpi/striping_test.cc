// Layouts between real ranks, and what a program learns of its file's stripes.
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "comm/communicator_pool.h"
#include "file/layout_news.h"

namespace longshore {
namespace {

int rank_of_world() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

// A table that is far too long to ride with other news.
Layout on_many_devices() {
  PartOnDevices part{{{0, std::numeric_limits<int64_t>::max()}, 65536, 4, 3, {}}, {}};
  for (int32_t object = 0; object < 1024; ++object) {
    part.devices.push_back(object * 7 % 13);
  }
  return *layout_on_devices(FileSystem::kCephfs, {part});
}

TEST(ShareLayout, RankZerosWordIsEverybodys) {
  auto comm = borrow_communicator(MPI_COMM_WORLD);
  ASSERT_TRUE(comm);
  const Layout real = on_many_devices();
  for (const Layout& layout : {real, plain_layout(4096, 512, 3)}) {
    const Layout own = rank_of_world() == 0 ? layout : Layout{};
    LayoutNews news = news_of(own, StripingOutcome::kSet);
    MPI_Bcast(&news, sizeof news, MPI_BYTE, 0, MPI_COMM_WORLD);
    const auto shared = share_layout(**comm, news, own);
    ASSERT_TRUE(shared);
    EXPECT_EQ(shared->encode(), layout.encode());
  }
}

class StripingInfo : public ::testing::Test {
 protected:
  using Pairs = std::map<std::string, std::string>;

  // Opens the file with these hints on rank 0, others on the rest, and returns what it says.
  Pairs open(const Pairs& hints, int mode = MPI_MODE_CREATE | MPI_MODE_RDWR) {
    MPI_Info info = MPI_INFO_NULL;
    MPI_Info_create(&info);
    for (const auto& [key, value] : hints) {
      MPI_Info_set(info, key.c_str(), rank_of_world() == 0 ? value.c_str() : "131072");
    }
    EXPECT_EQ(MPI_File_open(MPI_COMM_WORLD, kPath, mode, info, &file_), MPI_SUCCESS);
    MPI_Info_free(&info);
    MPI_Info used = MPI_INFO_NULL;
    MPI_File_get_info(file_, &used);
    Pairs said;
    for (const char* key : {"striping_unit", "striping_factor", "start_iodevice",
                            "longshore_striping", "longshore_file_system", "longshore_page_size"}) {
      std::array<char, MPI_MAX_INFO_VAL + 1> value{};
      int found = 0;
      MPI_Info_get(used, key, MPI_MAX_INFO_VAL, value.data(), &found);
      if (found != 0) {
        said[key] = value.data();
      }
    }
    MPI_Info_free(&used);
    return said;
  }
  void SetUp() override {
    if (rank_of_world() == 0) {
      unlink(kPath);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void TearDown() override {
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank_of_world() == 0) {
      unlink(kPath);
    }
  }
  void close() { EXPECT_EQ(MPI_File_close(&file_), MPI_SUCCESS); }

  // Of a file on GPFS or a plain file system none of this can be set.
  static bool settable(const Pairs& said) {
    return said.at("longshore_file_system") != "plain" &&
           said.at("longshore_file_system") != "gpfs";
  }

  static constexpr const char* kPath = "striping_test.tmp";
  MPI_File file_ = MPI_FILE_NULL;
};

TEST_F(StripingInfo, SaysWhatTheFileHasAndNotWhatWasAsked) {
  const auto said = open({{"striping_unit", "262144"}, {"striping_factor", "2"}});
  close();
  if (settable(said)) {
    EXPECT_EQ(said.at("longshore_striping"), "set");
    EXPECT_EQ(said.at("striping_unit"), "262144");
    EXPECT_EQ(said.at("striping_factor"), "2");
  } else {
    EXPECT_EQ(said.at("longshore_striping"), "not settable on this file system");
    EXPECT_EQ(said.count("striping_factor"), 0U);
  }
}

TEST_F(StripingInfo, AFileThatIsThereKeepsItsStripes) {
  const auto before = open({});
  close();
  EXPECT_EQ(before.at("longshore_striping"), "default");
  const auto said = open({{"striping_unit", "196608"}, {"striping_factor", "3"}});
  close();
  EXPECT_EQ(said.at("longshore_striping"),
            settable(said) ? "not settable: the file existed" : "not settable on this file system");
  EXPECT_EQ(said.count("striping_unit"), before.count("striping_unit"));
  if (before.count("striping_unit") != 0) {
    EXPECT_EQ(said.at("striping_unit"), before.at("striping_unit"));
  }
}

// The library has made the file before it opens it: that must not count as being there.
TEST_F(StripingInfo, ExclusiveStillMeansNew) {
  constexpr int kNew = MPI_MODE_CREATE | MPI_MODE_EXCL | MPI_MODE_WRONLY;
  open({{"striping_unit", "262144"}, {"striping_factor", "2"}}, kNew);
  close();
  MPI_File again = MPI_FILE_NULL;
  EXPECT_NE(MPI_File_open(MPI_COMM_WORLD, kPath, kNew, MPI_INFO_NULL, &again), MPI_SUCCESS);
}

// A stripe may be larger than memory is; a page may not.
TEST_F(StripingInfo, PagesAreNoLargerThanTheyShould) {
  const auto said = open({{"striping_unit", "1073741824"}});
  close();
  EXPECT_LE(std::stoll(said.at("longshore_page_size")), 16 << 20);
}

TEST_F(StripingInfo, ABadStripeIsNoError) {
  const auto said = open({{"striping_unit", "1000"}});
  close();
  EXPECT_EQ(said.at("longshore_striping"),
            settable(said) ? "refused by the file system" : "not settable on this file system");
}

}  // namespace
}  // namespace longshore
