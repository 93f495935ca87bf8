// coherence PATH: what MPI promises about a shared file, between processes of which each is a
// client of the file system with a cache of its own. Plain MPI: runs on any MPI-IO and path.
// coherence --refused PATH: the file system cannot be reached, and all ranks are told so.
// coherence --last-refused PATH: the same if only the last rank cannot.
#include <mpi.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "../faults/fault_test.h"

namespace {

using fault_test::Session;

constexpr int kBlock = 70000;  // no multiple of a page

char value_of(int rank, int round) { return static_cast<char>(1 + rank * 31 + round * 7); }

bool all_are(const std::vector<char>& bytes, char value) {
  return std::all_of(bytes.begin(), bytes.end(), [value](char byte) { return byte == value; });
}

class Coherence {
 public:
  Coherence(Session& session, std::string path) : session_(session), path_(std::move(path)) {}

  void run() {
    missing();
    sync_barrier_sync();
    close_to_open();
    collective();
    atomic_mode();
    sizes();
    delete_on_close();
  }

 private:
  MPI_File open(int amode) {
    MPI_File file = MPI_FILE_NULL;
    session_.expect_all(MPI_File_open(MPI_COMM_WORLD, path_.c_str(), amode, MPI_INFO_NULL, &file),
                        {MPI_SUCCESS}, "open");
    return file;
  }

  void write_own(MPI_File file, int round) {
    const std::vector<char> mine(kBlock, value_of(session_.rank(), round));
    const auto offset = static_cast<MPI_Offset>(session_.rank()) * kBlock;
    session_.expect_class(
        MPI_File_write_at(file, offset, mine.data(), kBlock, MPI_CHAR, MPI_STATUS_IGNORE),
        {MPI_SUCCESS}, "write own block");
  }

  void read_all_blocks(MPI_File file, int round, const std::string& when) {
    for (int owner = 0; owner < session_.size(); ++owner) {
      std::vector<char> block(kBlock);
      MPI_Status status;
      const auto offset = static_cast<MPI_Offset>(owner) * kBlock;
      session_.expect_class(MPI_File_read_at(file, offset, block.data(), kBlock, MPI_CHAR, &status),
                            {MPI_SUCCESS}, when);
      session_.expect(fault_test::bytes_of(status) == kBlock, when + ": the whole block");
      session_.expect(
          all_are(block, value_of(owner, round)),
          when + ": block " + std::to_string(owner) + " of round " + std::to_string(round));
    }
  }

  void missing() {
    session_.at("missing");
    if (session_.rank() == 0) {
      MPI_File_delete(path_.c_str(), MPI_INFO_NULL);
      session_.expect_class(MPI_File_delete(path_.c_str(), MPI_INFO_NULL), {MPI_ERR_NO_SUCH_FILE},
                            "delete what is not there");
    }
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File file = MPI_FILE_NULL;
    session_.expect_all(
        MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_RDWR, MPI_INFO_NULL, &file),
        {MPI_ERR_NO_SUCH_FILE}, "open what is not there");
  }

  void sync_barrier_sync() {
    session_.at("sync-barrier-sync");
    MPI_File file = open(MPI_MODE_CREATE | MPI_MODE_RDWR);
    for (int round = 0; round < 5; ++round) {
      write_own(file, round);
      MPI_File_sync(file);
      MPI_Barrier(MPI_COMM_WORLD);
      MPI_File_sync(file);
      read_all_blocks(file, round, "sync-barrier-sync");
      MPI_Barrier(MPI_COMM_WORLD);
    }
    session_.expect_all(MPI_File_close(&file), {MPI_SUCCESS}, "close");
  }

  // Each rank reads, through a handle of its own, what all have closed.
  void close_to_open() {
    session_.at("close-to-open");
    for (int round = 5; round < 9; ++round) {
      MPI_File file = open(MPI_MODE_RDWR);
      write_own(file, round);
      MPI_File_close(&file);
      MPI_File alone = MPI_FILE_NULL;
      session_.expect_class(
          MPI_File_open(MPI_COMM_SELF, path_.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &alone),
          {MPI_SUCCESS}, "open alone");
      read_all_blocks(alone, round, "close-to-open");
      MPI_File_close(&alone);
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }

  // Pieces of 100 ints, dealt out to the ranks, written by all and read one rank further.
  void collective() {
    session_.at("collective");
    constexpr int kPieces = 200;
    constexpr int kInts = 100;
    const int ranks = session_.size();
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_vector(kPieces, kInts, kInts * ranks, MPI_INT, &type);
    MPI_Type_commit(&type);
    MPI_File file = open(MPI_MODE_RDWR);
    for (int turn = 0; turn < 2; ++turn) {
      const int part = (session_.rank() + turn) % ranks;
      std::vector<int> data(kPieces * kInts, part + 1);
      MPI_File_set_view(file, static_cast<MPI_Offset>(part) * kInts * 4, MPI_INT, type, "native",
                        MPI_INFO_NULL);
      const int count = kPieces * kInts;
      if (turn == 0) {
        session_.expect_all(
            MPI_File_write_all(file, data.data(), count, MPI_INT, MPI_STATUS_IGNORE), {MPI_SUCCESS},
            "write_all");
        continue;
      }
      std::vector<int> back(data.size());
      session_.expect_all(MPI_File_read_all(file, back.data(), count, MPI_INT, MPI_STATUS_IGNORE),
                          {MPI_SUCCESS}, "read_all");
      session_.expect(back == data, "read_all: the neighbour's pieces");
    }
    MPI_File_close(&file);
    MPI_Type_free(&type);
  }

  // All write the same bytes: whoever reads, at any time, sees those of one rank.
  void atomic_mode() {
    session_.at("atomic mode");
    MPI_File file = open(MPI_MODE_RDWR);
    session_.expect_all(MPI_File_set_atomicity(file, 1), {MPI_SUCCESS}, "set_atomicity");
    for (int round = 0; round < 20; ++round) {
      const std::vector<char> mine(kBlock, value_of(session_.rank(), round));
      MPI_File_write_at(file, 0, mine.data(), kBlock, MPI_CHAR, MPI_STATUS_IGNORE);
      std::vector<char> seen(kBlock);
      MPI_File_read_at(file, 0, seen.data(), kBlock, MPI_CHAR, MPI_STATUS_IGNORE);
      session_.expect(all_are(seen, seen.front()), "atomic: one rank's bytes");
    }
    MPI_File_close(&file);
  }

  void sizes() {
    session_.at("sizes");
    MPI_File file = open(MPI_MODE_RDWR);
    MPI_Offset size = 0;
    session_.expect_all(MPI_File_set_size(file, 12345), {MPI_SUCCESS}, "set_size");
    MPI_File_get_size(file, &size);
    session_.expect(size == 12345, "size after set_size");
    session_.expect_all(MPI_File_preallocate(file, 200000), {MPI_SUCCESS}, "preallocate");
    MPI_File_get_size(file, &size);
    session_.expect(size == 200000, "size after preallocate");
    std::vector<char> end(10, 1);
    MPI_File_read_at(file, 199990, end.data(), 10, MPI_CHAR, MPI_STATUS_IGNORE);
    session_.expect(all_are(end, 0), "preallocated bytes");
    MPI_File_close(&file);
  }

  void delete_on_close() {
    session_.at("delete on close");
    MPI_File file = open(MPI_MODE_RDWR | MPI_MODE_DELETE_ON_CLOSE);
    session_.expect_all(MPI_File_close(&file), {MPI_SUCCESS}, "close that deletes");
    session_.expect_all(
        MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_RDONLY, MPI_INFO_NULL, &file),
        {MPI_ERR_NO_SUCH_FILE}, "open what was deleted");
  }

  Session& session_;
  std::string path_;
};

void refused(Session& session, const char* path) {
  MPI_File file = MPI_FILE_NULL;
  session.at("open without a library");
  session.expect_all(
      MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
      {MPI_ERR_UNSUPPORTED_OPERATION}, "open without a library");
  session.expect_class(MPI_File_delete(path, MPI_INFO_NULL), {MPI_ERR_UNSUPPORTED_OPERATION},
                       "delete without a library");
}

void last_refused(Session& session, const char* path) {
  if (session.rank() == session.size() - 1) {
    setenv("LONGSHORE_LIBCEPHFS", "/nowhere/libcephfs.so.2", 1);
  }
  MPI_File file = MPI_FILE_NULL;
  session.at("open without a library on one rank");
  session.expect_all(
      MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE | MPI_MODE_RDWR, MPI_INFO_NULL, &file),
      {MPI_ERR_UNSUPPORTED_OPERATION}, "open without a library on one rank");
  if (session.rank() == 0) {
    MPI_File_delete(path, MPI_INFO_NULL);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Session session(&argc, &argv, 100);
  const std::string word = argc > 2 ? argv[1] : "";
  if (word == "--refused") {
    refused(session, argv[2]);
  } else if (word == "--last-refused") {
    last_refused(session, argv[2]);
  } else {
    Coherence(session, argc > 1 ? argv[1] : "coherence.dat").run();
  }
  return session.finish();
}
