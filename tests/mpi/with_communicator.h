// with_communicator.h - a test fixture on a duplicate of MPI_COMM_WORLD.
#pragma once
#include <gtest/gtest.h>
#include <mpi.h>

#include <memory>
#include <utility>

#include "comm/mpi_communicator.h"

namespace longshore {

template <typename Base = testing::Test>
class WithCommunicator : public Base {
 protected:
  void SetUp() override {
    auto made = MpiCommunicator::duplicate(MPI_COMM_WORLD);
    ASSERT_TRUE(made);
    comm_ = std::move(*made);
  }
  void TearDown() override { comm_->release(); }

  std::unique_ptr<MpiCommunicator> comm_;
};

}  // namespace longshore
