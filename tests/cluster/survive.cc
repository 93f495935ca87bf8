// Writes until it is told to stop, while somebody kills a storage daemon and starts it again; then
// the file must have what the last round wrote.
//
// usage: survive collective|independent FILE STOP
//
// A round writes a new generation over all of the file. Rank 0 says "round N SECONDS" after each,
// and ends when the file STOP is there (on a file system that does not depend on the storage). A
// call may fail: that is said, and the last round must succeed. Exit status: 0 if the file
// verifies.
#include <unistd.h>

#include <cstdio>
#include <cstring>

#include "../independent/small_file.h"

namespace {

using independent_test::Bytes;
using independent_test::content;
using independent_test::Session;

constexpr int kHangSeconds = 280;
constexpr int64_t kPartBytes = 8 << 20;    // of a rank
constexpr int64_t kPieceBytes = 64 << 10;  // of an independent write
constexpr int kMostRounds = 100000;

class Survivor {
 public:
  Survivor(Session& session, const char* mode, const char* path)
      : session_(session), collective_(std::strcmp(mode, "collective") == 0), path_(path) {}

  void run(const char* stop);

 private:
  // Collective. True if all calls of all ranks succeeded, those that bring the data out included.
  bool write_round(int round);
  bool write_pieces(const Bytes& bytes);
  bool told_to_stop(const char* stop) const;
  void verify(int round);
  int64_t base_of(int rank) const { return rank * kPartBytes; }

  Session& session_;
  bool collective_;
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
};

bool Survivor::write_pieces(const Bytes& bytes) {
  bool well = true;
  for (int64_t at = 0; at < kPartBytes; at += kPieceBytes) {
    well = MPI_File_write_at(file_, base_of(session_.rank()) + at, bytes.data() + at,
                             static_cast<int>(kPieceBytes), MPI_BYTE,
                             MPI_STATUS_IGNORE) == MPI_SUCCESS &&
           well;
  }
  return well;
}

bool Survivor::write_round(int round) {
  const int64_t base = base_of(session_.rank());
  const Bytes bytes = content(base, kPartBytes, round);
  bool well = collective_
                  ? MPI_File_write_at_all(file_, base, bytes.data(), static_cast<int>(kPartBytes),
                                          MPI_BYTE, MPI_STATUS_IGNORE) == MPI_SUCCESS
                  : write_pieces(bytes);
  well = MPI_File_sync(file_) == MPI_SUCCESS && well;
  int mine = well ? 1 : 0;
  int all = 0;
  MPI_Allreduce(&mine, &all, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  return all == 1;
}

bool Survivor::told_to_stop(const char* stop) const {
  int told = session_.rank() == 0 && access(stop, F_OK) == 0 ? 1 : 0;
  MPI_Bcast(&told, 1, MPI_INT, 0, MPI_COMM_WORLD);
  return told == 1;
}

void Survivor::verify(int round) {
  for (int step = 1; step <= session_.size(); ++step) {
    const int64_t base = base_of((session_.rank() + step) % session_.size());
    Bytes found(static_cast<size_t>(kPartBytes));
    session_.expect_class(MPI_File_read_at(file_, base, found.data(), static_cast<int>(kPartBytes),
                                           MPI_BYTE, MPI_STATUS_IGNORE),
                          {MPI_SUCCESS}, "read");
    session_.expect(found == content(base, kPartBytes, round),
                    "the file has the last round, at " + std::to_string(base));
  }
}

void Survivor::run(const char* stop) {
  const int modes = MPI_MODE_CREATE | MPI_MODE_RDWR;
  session_.expect_all(MPI_File_open(MPI_COMM_WORLD, path_.c_str(), modes, MPI_INFO_NULL, &file_),
                      {MPI_SUCCESS}, "open");
  bool well = false;
  int round = 0;
  // Looked at before the round: so the last round began when the daemon was back.
  for (bool last = false; !last && round < kMostRounds; ++round) {
    last = told_to_stop(stop);
    const double start = MPI_Wtime();
    well = write_round(round);
    if (session_.rank() == 0) {
      std::printf("round %d %.2f%s\n", round, MPI_Wtime() - start, well ? "" : " failed");
      std::fflush(stdout);
    }
  }
  session_.expect(well, "the last round succeeds");
  session_.expect_all(MPI_File_close(&file_), {MPI_SUCCESS}, "close");
  session_.expect_all(
      MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file_),
      {MPI_SUCCESS}, "open again");
  verify(round - 1);
  session_.expect_all(MPI_File_close(&file_), {MPI_SUCCESS}, "close again");
}

}  // namespace

int main(int argc, char** argv) {
  Session session(&argc, &argv, kHangSeconds);
  session.expect(argc == 4, "usage: survive collective|independent FILE STOP");
  if (argc == 4) {
    Survivor(session, argv[1], argv[2]).run(argv[3]);
  }
  return session.finish();
}
