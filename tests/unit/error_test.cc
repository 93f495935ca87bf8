#include "core/error.h"

#include <gmock/gmock.h>

#include <cerrno>
#include <cstring>
#include <set>
#include <string>

#include "core/result.h"

namespace longshore {
namespace {

using testing::HasSubstr;

TEST(ErrorClass, ErrnoBecomesTheClassUsersExpect) {
  EXPECT_EQ(class_of_errno(0), ErrorClass::kOk);
  EXPECT_EQ(class_of_errno(ENOSPC), ErrorClass::kNoSpace);
  EXPECT_EQ(class_of_errno(EDQUOT), ErrorClass::kQuota);
  EXPECT_EQ(class_of_errno(EACCES), ErrorClass::kAccess);
  EXPECT_EQ(class_of_errno(EPERM), ErrorClass::kAccess);
  EXPECT_EQ(class_of_errno(EROFS), ErrorClass::kReadOnly);
  EXPECT_EQ(class_of_errno(ENOENT), ErrorClass::kNoSuchFile);
  EXPECT_EQ(class_of_errno(EEXIST), ErrorClass::kFileExists);
  EXPECT_EQ(class_of_errno(EISDIR), ErrorClass::kBadFile);
  EXPECT_EQ(class_of_errno(ENAMETOOLONG), ErrorClass::kBadFile);
  EXPECT_EQ(class_of_errno(ETXTBSY), ErrorClass::kFileInUse);
  EXPECT_EQ(class_of_errno(EINVAL), ErrorClass::kInvalidArgument);
  EXPECT_EQ(class_of_errno(ENOTSUP), ErrorClass::kUnsupportedOperation);
}

TEST(ErrorClass, UnlistedErrnoIsAnIoError) {
  for (const int sys_errno : {EIO, EFBIG, ESTALE, EBADF, ESPIPE, 4095}) {
    EXPECT_EQ(class_of_errno(sys_errno), ErrorClass::kIo) << sys_errno;
  }
}

// Ranks agree by taking the greatest: an I/O error must win over a full disk, that over a bad
// argument, and an internal error over all.
TEST(ErrorClass, PrecedenceRises) {
  EXPECT_LT(ErrorClass::kOk, ErrorClass::kOther);
  EXPECT_LT(ErrorClass::kInvalidArgument, ErrorClass::kNoSuchFile);
  EXPECT_LT(ErrorClass::kNoSpace, ErrorClass::kIo);
  EXPECT_LT(ErrorClass::kIo, ErrorClass::kIntern);
}

TEST(ErrorClass, NamesAreDistinct) {
  std::set<std::string> names;
  const int last = static_cast<int>(ErrorClass::kIntern);
  for (int code = 0; code <= last; ++code) {
    names.insert(name(static_cast<ErrorClass>(code)));
  }
  EXPECT_EQ(names.size(), static_cast<size_t>(last) + 1);
  EXPECT_FALSE(names.contains("UNKNOWN"));
  EXPECT_STREQ(name(static_cast<ErrorClass>(last + 1)), "UNKNOWN");
}

TEST(Error, CarriesErrnoAndItsText) {
  const Error error = errno_error(ENOSPC, "write /data/x");
  EXPECT_EQ(error.code, ErrorClass::kNoSpace);
  EXPECT_EQ(error.sys_errno, ENOSPC);
  EXPECT_THAT(error.detail, HasSubstr("write /data/x: "));
  EXPECT_THAT(error.detail, HasSubstr(std::strerror(ENOSPC)));
}

TEST(Error, StatusAndOutcome) {
  const Status status = fail_errno(ENOENT, "open");
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, ErrorClass::kNoSuchFile);
  EXPECT_TRUE((Outcome{3, {}}.ok()));
  EXPECT_FALSE((Outcome{3, errno_error(EIO, "x")}.ok()));
}

}  // namespace
}  // namespace longshore
