// Extended attributes and devices: what plain files have, and that wrappers hand the calls on.
#include <gtest/gtest.h>

#include <memory>

#include "storage/forwarding.h"
#include "storage_test_support.h"

namespace longshore {
namespace {

using testing_support::fake_ceph_library;
using testing_support::read_write;
using testing_support::ScratchDir;
using testing_support::use_ceph_library;

TEST(StorageAttribute, PlainFilesHaveThoseOfTheirFileSystem) {
  const ScratchDir dir(testing_support::temp_parent());
  auto file = std::move(*open_storage(dir.file("data"), read_write(), "posix"));
  EXPECT_EQ(file->attribute("user.none").error().code, ErrorClass::kUnsupportedOperation);
  EXPECT_EQ(file->device_of(0).error().code, ErrorClass::kUnsupportedOperation);
  const std::string lengthy(1000, 'x');
  const Status set = file->set_attribute("user.long", lengthy);
  if (set) {
    EXPECT_EQ(*file->attribute("user.long"), lengthy);
    EXPECT_TRUE(file->set_attribute("user.long", "ab"));
    EXPECT_EQ(*file->attribute("user.long"), "ab");
  } else {
    EXPECT_EQ(set.error().code, ErrorClass::kUnsupportedOperation);
  }
  EXPECT_TRUE(file->close());
}

TEST(StorageAttribute, WrappersHandTheCallsOn) {
  use_ceph_library(fake_ceph_library("whole"));
  {
    const ScratchDir dir(testing_support::temp_parent());
    ForwardingStorage file(
        std::move(*open_storage("cephfs:" + dir.file("data"), read_write(), "auto")));
    EXPECT_TRUE(file.set_attribute("user.a", "b"));
    EXPECT_EQ(*file.attribute("user.a"), "b");
    EXPECT_EQ(*file.device_of(4 << 20), 1);
    EXPECT_TRUE(file.close());
  }
  use_ceph_library("");
}

}  // namespace
}  // namespace longshore
