// Data shipping by the file system: started by all ranks or by none.
#include "file/data_shipping.h"

#include <gmock/gmock.h>
#include <mpi.h>
#include <unistd.h>

#include <array>
#include <memory>

#include "storage/forwarding.h"
#include "with_communicator.h"

namespace longshore {
namespace {

// Keeps what it is told.
class ShippingStorage final : public ForwardingStorage {
 public:
  ShippingStorage(std::unique_ptr<Storage> inner, bool can, bool refuses)
      : ForwardingStorage(std::move(inner)), can_(can), refuses_(refuses) {}
  [[nodiscard]] bool can_ship_data() const override { return can_; }
  [[nodiscard]] Status start_data_shipping(const DataShipping& terms) override {
    started.push_back(terms);
    return refuses_ ? fail(ErrorClass::kUnsupportedOperation, "refused") : Status{};
  }
  [[nodiscard]] Status stop_data_shipping() override {
    ++stopped;
    return {};
  }
  std::vector<DataShipping> started;
  int stopped = 0;

 private:
  bool can_;
  bool refuses_;
};

class DataShippingTest : public WithCommunicator<> {
 protected:
  [[nodiscard]] bool last() const { return comm_->rank() == comm_->size() - 1; }

  std::unique_ptr<ShippingStorage> storage(bool can, bool refuses) {
    auto file = open_storage("/dev/null", {}, "posix");
    EXPECT_TRUE(file);
    return std::make_unique<ShippingStorage>(std::move(*file), can, refuses);
  }
  Result<bool> begin(Storage& storage, std::vector<int32_t> agents = {}) {
    return begin_shipping(*comm_, storage, {true, std::move(agents)}, 262144, refusal_);
  }
  std::string refusal_;
};

TEST_F(DataShippingTest, AllOpenersStartWithTheAgentsOfRankZero) {
  const auto file = storage(true, false);
  const auto agents = comm_->rank() == 0 ? std::vector<int32_t>{3, 1, 2} : std::vector<int32_t>{9};
  const auto ships = begin(*file, agents);
  ASSERT_TRUE(ships);
  EXPECT_TRUE(*ships);
  ASSERT_EQ(file->started.size(), 1U);
  EXPECT_EQ(file->started[0].openers, comm_->size());
  EXPECT_EQ(file->started[0].partition_bytes, 262144);
  EXPECT_THAT(file->started[0].agents, testing::ElementsAre(3, 1, 2));
  EXPECT_EQ(file->stopped, 0);
}

// Whoever started would wait for ever for one that does not come.
TEST_F(DataShippingTest, NobodyStartsIfOneCannot) {
  const auto file = storage(!last(), false);
  const auto ships = begin(*file);
  ASSERT_TRUE(ships);
  EXPECT_FALSE(*ships);
  EXPECT_TRUE(file->started.empty());
}

TEST_F(DataShippingTest, IfOneIsRefusedTheOthersStop) {
  const auto file = storage(true, last());
  const auto ships = begin(*file);
  ASSERT_TRUE(ships);
  EXPECT_FALSE(*ships);
  EXPECT_EQ(file->stopped, last() ? 0 : 1);
  EXPECT_EQ(refusal_, last() ? "refused" : "");
}

TEST(DataShippingInfo, ReadsBackAsDisabledWhereThereIsNone) {
  const char* path = "data_shipping_info";
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  MPI_Info_set(info, "longshore_gpfs_data_shipping", "enable");
  MPI_File file = MPI_FILE_NULL;
  ASSERT_EQ(MPI_File_open(MPI_COMM_WORLD, path,
                          MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE, info, &file),
            MPI_SUCCESS);
  ASSERT_EQ(MPI_File_set_info(file, info), MPI_SUCCESS);  // later wishes change nothing
  MPI_Info_free(&info);
  MPI_Info used = MPI_INFO_NULL;
  MPI_File_get_info(file, &used);
  std::array<char, MPI_MAX_INFO_VAL + 1> value{};
  int found = 0;
  MPI_Info_get(used, "longshore_gpfs_data_shipping", MPI_MAX_INFO_VAL, value.data(), &found);
  MPI_Info_free(&used);
  EXPECT_STREQ(value.data(), "disable");
  EXPECT_EQ(MPI_File_close(&file), MPI_SUCCESS);
}

}  // namespace
}  // namespace longshore
