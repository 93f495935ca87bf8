#include "lib/machine.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace longshore::cli {
namespace {

constexpr const char* kMounts =
    "21 1 0:20 / / rw,relatime shared:1 - overlay overlay rw\n"
    "22 21 0:21 / /dev/shm rw - tmpfs tmpfs rw\n"
    "23 21 8:1 /sub /scratch rw shared:2 master:3 - ext4 /dev/sda1 rw\n"
    "24 23 0:30 / /scratch/my\\040files rw - lustre mgs:/fs rw\n"
    "25 23 0:31 / /scratch/twice rw - nfs a rw\n"
    "26 23 0:32 / /scratch/twice rw - nfs4 b rw\n"
    "a line of another form\n";

TEST(Machine, TheDeepestMountCounts) {
  EXPECT_EQ(file_system_in(kMounts, "/home/me"), "overlay");
  EXPECT_EQ(file_system_in(kMounts, "/"), "overlay");
  EXPECT_EQ(file_system_in(kMounts, "/dev/shm"), "tmpfs");
  EXPECT_EQ(file_system_in(kMounts, "/dev/shm2"), "overlay");
  EXPECT_EQ(file_system_in(kMounts, "/scratch/a/b"), "ext4");
  EXPECT_EQ(file_system_in(kMounts, "/scratch/my files/x"), "lustre");
}

TEST(Machine, OfMountsOverEachOtherTheLastCounts) {
  EXPECT_EQ(file_system_in(kMounts, "/scratch/twice/x"), "nfs4");
}

TEST(Machine, NothingIsInvented) { EXPECT_EQ(file_system_in("", "/x"), "unknown"); }

TEST(Machine, ThisOneIsKnown) {
  const auto machine = this_machine();
  EXPECT_FALSE(machine.hostname.empty());
  EXPECT_GE(machine.cores, 1U);
  EXPECT_THAT(machine.kernel, testing::StartsWith("Linux "));
  EXPECT_EQ(file_system_of("/proc/self/not_there"), "proc");
}

}  // namespace
}  // namespace longshore::cli
