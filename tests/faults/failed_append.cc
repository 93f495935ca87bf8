// An open that fails behind most of its steps leaves nothing that hurts the next one. Started with
// a fault that keeps one rank from learning the size of files called *bad*.
#include <unistd.h>

#include "../collective/scratch.h"
#include "fault_test.h"

int main(int argc, char** argv) {
  constexpr int kRecordBytes = 100;
  constexpr int kRecords = 20;
  fault_test::Session session(&argc, &argv, 40);
  const std::string dir = collective_test::default_directory();
  const std::string bad = collective_test::scratch_path(dir, "bad");
  const std::string good = collective_test::scratch_path(dir, "good");
  for (int i = 0; i < 5; ++i) {
    MPI_File file = MPI_FILE_NULL;
    session.expect_all(
        MPI_File_open(MPI_COMM_WORLD, bad.c_str(),
                      MPI_MODE_CREATE | MPI_MODE_RDWR | MPI_MODE_APPEND, MPI_INFO_NULL, &file),
        {MPI_ERR_IO}, "open for appending");
    usleep(20000);  // a thread that was not told would work meanwhile
  }
  MPI_File file = MPI_FILE_NULL;
  session.expect_all(MPI_File_open(MPI_COMM_WORLD, good.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR,
                                   MPI_INFO_NULL, &file),
                     {MPI_SUCCESS}, "open");
  const std::string record(kRecordBytes, static_cast<char>('a' + session.rank()));
  const auto place = [&](int i) {
    return MPI_Offset{1 << 20} * (i % 4) + (i * session.size() + session.rank()) * kRecordBytes;
  };
  for (int i = 0; i < kRecords; ++i) {
    session.expect_class(
        MPI_File_write_at(file, place(i), record.data(), kRecordBytes, MPI_CHAR, MPI_STATUS_IGNORE),
        {MPI_SUCCESS}, "write");
  }
  for (int i = 0; i < kRecords; ++i) {
    std::string got(kRecordBytes, '?');
    MPI_File_read_at(file, place(i), got.data(), kRecordBytes, MPI_CHAR, MPI_STATUS_IGNORE);
    session.expect(got == record, "a record is not what was written");
  }
  session.expect_all(MPI_File_close(&file), {MPI_SUCCESS}, "close");
  if (session.rank() == 0) {
    unlink(bad.c_str());
    unlink(good.c_str());
  }
  return session.finish();
}
