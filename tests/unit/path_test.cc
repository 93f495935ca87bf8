#include "file/path.h"

#include <gtest/gtest.h>

namespace longshore {
namespace {

TEST(Path, KindsOfFileSystemsAreTakenOff) {
  for (const char* prefix : {"ufs:", "nfs:", "lustre:", "gpfs:", "beegfs:", "ceph:", "xfs:",
                             "panfs:", "pvfs2:", "testfs:", "UFS:"}) {
    EXPECT_EQ(without_prefix(std::string(prefix) + "/a/b"), "/a/b") << prefix;
  }
}

TEST(Path, OthersAreNamesOfFiles) {
  EXPECT_EQ(without_prefix("/a/ufs:b"), "/a/ufs:b");
  EXPECT_EQ(without_prefix("other:/a"), "other:/a");
  EXPECT_EQ(without_prefix("uf"), "uf");
}

TEST(Path, WhatSaysHowTheFileIsReachedStays) {
  EXPECT_EQ(without_prefix("cephfs:/a"), "cephfs:/a");
}

}  // namespace
}  // namespace longshore
