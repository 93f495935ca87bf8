// small_file.h - a file that is written and read in small pieces of known content.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "../faults/fault_test.h"

namespace independent_test {

using fault_test::Session;
using HintPairs = std::vector<std::pair<std::string, std::string>>;
using Bytes = std::vector<unsigned char>;

// What generation `generation` of the content has at [offset, offset + count): no byte is 0, and
// generations differ in each byte.
Bytes content(int64_t offset, int64_t count, int generation);

// The bytes of a file as any other program sees them: at most `count`, fewer at its end.
Bytes plain_read(const std::string& path, int64_t offset, int64_t count);

void plain_write(const std::string& path, int64_t offset, const Bytes& bytes);
// An empty file, as a sign to others.
void create(const std::string& path);

class SmallFile {
 public:
  // Collective over `comm`. Errors are failures of the session.
  SmallFile(Session& session, MPI_Comm comm, const std::string& path, const HintPairs& hints,
            int amode = MPI_MODE_CREATE | MPI_MODE_RDWR);
  SmallFile(const SmallFile&) = delete;
  SmallFile& operator=(const SmallFile&) = delete;

  MPI_File handle() const { return file_; }

  void write(int64_t offset, int64_t count, int generation);
  void write_all(int64_t offset, int64_t count, int generation);
  // The same as write or read for threads: true if all went well, and no report if not.
  bool try_write(int64_t offset, int64_t count, int generation) const;
  bool try_read(int64_t offset, int64_t count, int generation) const;

  // Reads must give this generation.
  void expect(int64_t offset, int64_t count, int generation, const std::string& what);
  void expect_all(int64_t offset, int64_t count, int generation, const std::string& what);
  // A read must give these bytes and then end.
  void expect_bytes(int64_t offset, int64_t count, const Bytes& wanted, const std::string& what);

  int64_t size();
  // Collective over the communicator.
  void sync();
  void sync_barrier_sync();
  void close();

 private:
  void ok(int code, const std::string& what);
  void compare(int64_t offset, const Bytes& found, const Bytes& wanted, const std::string& what);

  Session& session_;
  MPI_Comm comm_;
  MPI_File file_ = MPI_FILE_NULL;
};

}  // namespace independent_test
