// What MPI promises about a file that several hosts use, judged by bytes: each host has a file
// system client and a page cache of its own, so that a promise that is only kept by luck on one
// machine is broken here.
//
// usage: consistency [--dir D] [--case NAME]
//
// Every round writes a new generation of the content over the old one, which readers have seen: a
// page that was kept too long shows as a byte of the wrong generation.
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "../collective/scratch.h"
#include "../independent/small_file.h"

namespace {

using independent_test::Bytes;
using independent_test::content;
using independent_test::HintPairs;
using independent_test::plain_read;
using independent_test::Session;
using independent_test::SmallFile;

constexpr int kHangSeconds = 240;
constexpr int kRounds = 3;
constexpr int64_t kRecordBytes = 1000;    // straddles pages
constexpr int64_t kBlockBytes = 3 << 19;  // more than a stripe of 1 MiB
constexpr int64_t kWholeBytes = 1500000;  // of an atomic write: two stripes

class Consistency {
 public:
  Consistency(Session& session, std::string path, HintPairs hints)
      : session_(session), path_(std::move(path)), hints_(std::move(hints)) {}

  void close_to_open();
  void close_to_open_together();
  void sync_barrier_sync();
  void sync_barrier_sync_apart();
  void atomic_message();
  void atomic_whole();
  void atomic_strided();

 private:
  // Several small records and then a large block: both ways through the library.
  void write_mine(SmallFile& file, int64_t base, int generation);
  void expect_all_of(SmallFile& file, int64_t base, int generation, const std::string& what);
  int64_t part_bytes() const { return 16 * kRecordBytes + kBlockBytes; }
  int64_t base_of(int rank) const { return rank * part_bytes(); }

  // Whether the bytes are what one of the ranks wrote in that round of contend().
  bool is_whole(const Bytes& bytes, int round) const;
  int contended(int round, int rank) const { return round * session_.size() + rank; }
  void contend(MPI_File file, const std::string& what);

  Session& session_;
  std::string path_;
  HintPairs hints_;
};

void Consistency::write_mine(SmallFile& file, int64_t base, int generation) {
  for (int i = 0; i < 16; ++i) {
    file.write(base + i * kRecordBytes, kRecordBytes, generation);
  }
  file.write(base + 16 * kRecordBytes, kBlockBytes, generation);
}

void Consistency::expect_all_of(SmallFile& file, int64_t base, int generation,
                                const std::string& what) {
  file.expect(base + 3 * kRecordBytes, kRecordBytes, generation, what + ", a record");
  file.expect(base, part_bytes(), generation, what);
}

// One rank writes and closes; what any other opens afterwards has its bytes, by MPI-IO and by plain
// calls.
void Consistency::close_to_open() {
  for (int round = 0; round < kRounds; ++round) {
    const int writer = round % session_.size();
    if (session_.rank() == writer) {
      SmallFile file(session_, MPI_COMM_SELF, path_, hints_);
      write_mine(file, 0, round);
      file.close();
    }
    MPI_Barrier(MPI_COMM_WORLD);
    SmallFile file(session_, MPI_COMM_SELF, path_, hints_, MPI_MODE_RDONLY);
    expect_all_of(file, 0, round, "opened after another's close");
    file.close();
    session_.expect(plain_read(path_, 0, part_bytes() + 1) == content(0, part_bytes(), round),
                    "plain read after a close");
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

// All write and close together; each opens alone and sees the others' parts.
void Consistency::close_to_open_together() {
  for (int round = 0; round < kRounds; ++round) {
    SmallFile together(session_, MPI_COMM_WORLD, path_, hints_);
    write_mine(together, base_of(session_.rank()), round);
    together.close();
    SmallFile alone(session_, MPI_COMM_SELF, path_, hints_);
    for (int step = 1; step <= session_.size(); ++step) {
      expect_all_of(alone, base_of((session_.rank() + step) % session_.size()), round,
                    "a part after the common close");
    }
    alone.close();
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

void Consistency::sync_barrier_sync() {
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  const int neighbour = (session_.rank() + 1) % session_.size();
  for (int round = 0; round < kRounds; ++round) {
    write_mine(file, base_of(session_.rank()), round);
    file.sync_barrier_sync();
    expect_all_of(file, base_of(neighbour), round, "after sync, barrier, sync");
    file.sync_barrier_sync();
  }
  file.write_all(base_of(session_.rank()), kBlockBytes, kRounds);
  file.sync_barrier_sync();
  file.expect(base_of(neighbour), kBlockBytes, kRounds, "a collective write after sync");
  file.close();
}

// The same with a handle per rank: then nothing but the syncs connects them.
void Consistency::sync_barrier_sync_apart() {
  SmallFile file(session_, MPI_COMM_SELF, path_, hints_);
  const int neighbour = (session_.rank() + 1) % session_.size();
  const auto meet = [&] {
    file.sync();
    MPI_Barrier(MPI_COMM_WORLD);
    file.sync();
  };
  for (int round = 0; round < kRounds; ++round) {
    write_mine(file, base_of(session_.rank()), round);
    meet();
    expect_all_of(file, base_of(neighbour), round, "files of single ranks, after sync");
    meet();
  }
  file.close();
}

// In atomic mode a write is there for all as soon as it returns: a message is enough.
void Consistency::atomic_message() {
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  session_.expect_all(MPI_File_set_atomicity(file.handle(), 1), {MPI_SUCCESS}, "set_atomicity");
  for (int round = 0; round < 2 * kRounds; ++round) {
    if (session_.rank() == round % session_.size()) {
      write_mine(file, 0, round);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    expect_all_of(file, 0, round, "atomic, after a message");
    MPI_Barrier(MPI_COMM_WORLD);
  }
  file.close();
}

bool Consistency::is_whole(const Bytes& bytes, int round) const {
  for (int rank = 0; rank < session_.size(); ++rank) {
    if (bytes == content(0, static_cast<int64_t>(bytes.size()), contended(round, rank))) {
      return true;
    }
  }
  return false;
}

// All ranks write the same bytes of the view, each a generation of its own, and read them while
// others still write: whoever reads sees one write as a whole.
void Consistency::contend(MPI_File file, const std::string& what) {
  Bytes found(kWholeBytes);
  const int count = static_cast<int>(kWholeBytes);
  const auto read = [&] {
    std::fill(found.begin(), found.end(), 0);
    session_.expect_class(
        MPI_File_read_at(file, 0, found.data(), count, MPI_BYTE, MPI_STATUS_IGNORE), {MPI_SUCCESS},
        what + ": read");
  };
  for (int round = 0; round < kRounds; ++round) {
    const Bytes mine = content(0, kWholeBytes, contended(round, session_.rank()));
    session_.expect_class(
        MPI_File_write_at(file, 0, mine.data(), count, MPI_BYTE, MPI_STATUS_IGNORE), {MPI_SUCCESS},
        what + ": write");
    read();
    session_.expect(is_whole(found, round), what + ": a read saw parts of several writes");
    MPI_Barrier(MPI_COMM_WORLD);
    read();
    session_.expect(is_whole(found, round), what + ": the file has none of the writes as a whole");
    MPI_Barrier(MPI_COMM_WORLD);
  }
}

void Consistency::atomic_whole() {
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  session_.expect_all(MPI_File_set_atomicity(file.handle(), 1), {MPI_SUCCESS}, "set_atomicity");
  contend(file.handle(), "atomic, contiguous");
  file.close();
}

// Pieces of 1 KiB at every 4 KiB: the atomicity of a call holds for all its pieces.
void Consistency::atomic_strided() {
  SmallFile file(session_, MPI_COMM_WORLD, path_, hints_);
  MPI_Datatype piece = MPI_DATATYPE_NULL;
  MPI_Datatype tile = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(1024, MPI_BYTE, &piece);
  MPI_Type_create_resized(piece, 0, 4096, &tile);
  MPI_Type_commit(&tile);
  session_.expect_all(MPI_File_set_view(file.handle(), 0, MPI_BYTE, tile, "native", MPI_INFO_NULL),
                      {MPI_SUCCESS}, "set_view");
  session_.expect_all(MPI_File_set_atomicity(file.handle(), 1), {MPI_SUCCESS}, "set_atomicity");
  contend(file.handle(), "atomic, strided");
  MPI_Type_free(&tile);
  MPI_Type_free(&piece);
  file.close();
}

struct Case {
  const char* name;
  void (Consistency::*run)();
};

constexpr Case kCases[] = {
    {"close_to_open", &Consistency::close_to_open},
    {"close_to_open_together", &Consistency::close_to_open_together},
    {"sync_barrier_sync", &Consistency::sync_barrier_sync},
    {"sync_barrier_sync_apart", &Consistency::sync_barrier_sync_apart},
    {"atomic_message", &Consistency::atomic_message},
    {"atomic_whole", &Consistency::atomic_whole},
    {"atomic_strided", &Consistency::atomic_strided},
};

const std::vector<HintPairs>& hint_sets() {
  static const std::vector<HintPairs> all = {
      {},
      {{"longshore_write_behind", "two_stage"},
       {"longshore_page_size", "65536"},
       {"longshore_cache_size", "262144"}},
      {{"longshore_write_behind", "off"}},
  };
  return all;
}

}  // namespace

int main(int argc, char** argv) {
  Session session(&argc, &argv, kHangSeconds);
  std::string only;
  std::string dir = ".";
  for (int i = 1; i + 1 < argc; i += 2) {
    (std::strcmp(argv[i], "--case") == 0 ? only : dir) = argv[i + 1];
  }
  const std::string path = collective_test::scratch_path(dir, "consistency");
  for (const HintPairs& hints : hint_sets()) {
    for (const Case& each : kCases) {
      if (!only.empty() && only != each.name) {
        continue;
      }
      session.at(std::string(each.name) + (hints.empty() ? "" : ", " + hints[0].second));
      Consistency test(session, path, hints);
      (test.*each.run)();
      MPI_Barrier(MPI_COMM_WORLD);
      if (session.rank() == 0) {
        unlink(path.c_str());
      }
      MPI_Barrier(MPI_COMM_WORLD);
    }
  }
  return session.finish();
}
