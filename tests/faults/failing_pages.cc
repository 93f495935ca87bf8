// Small independent writes that are written behind, onto a file that has no room for them: every
// rank hears of it in a write, a sync or at the latest the close; nothing that a successful call
// took is lost as long as the file is open; and where no call fails, every byte is in the file.
//
// Arguments as in obstacle.h.
#include <fcntl.h>
#include <unistd.h>
#include <cstdlib>
#include <iterator>

#include <algorithm>

#include "fault_test.h"
#include "obstacle.h"

namespace {

using fault_test::class_of;
using fault_test::Obstacle;
using fault_test::Session;

constexpr int64_t kBlockBytes = 512;
constexpr int64_t kBlocks = 96;  // per rank, in turn with those of the others

// When the obstacle goes away.
enum class Relief { kAfterSync, kAfterClose };

struct Trial {
  const char* write_behind;
  const char* cache_bytes;  // of a rank: with few, pages must go while writes come
  bool before_open;         // the obstacle is there before the file
  int64_t room_bytes;
  Relief relief;
};

class Trials {
 public:
  Trials(Session& session, Obstacle& obstacle) : session_(session), obstacle_(obstacle) {
    path_ = obstacle.folder() + "/pages_out";
  }

  // First with the obstacle there before the file: a process with a size limit is protected from
  // its signal by an open.
  void run_all() {
    for (const bool before_open : {true, false}) {
      for (const char* kind : {"two_stage", "automatic"}) {
        for (const char* cache : {"16384", "4194304"}) {
          run_rooms({kind, cache, before_open, 0, Relief::kAfterSync});
        }
      }
    }
  }

 private:
  void run_rooms(Trial trial) {
    const int64_t total = kBlockBytes * kBlocks * session_.size();
    for (const int64_t room : {int64_t{8192}, total - 8192}) {
      trial.room_bytes = room;
      trial.relief = Relief::kAfterSync;
      run(trial);
      trial.relief = Relief::kAfterClose;
      run(trial);
    }
    trial.room_bytes = 4 * total;
    run_with_room(trial);
  }

  void run(const Trial& trial) {
    begin(trial);
    if (trial.relief == Relief::kAfterSync) {
      sync_in_vain();
      lower();
      sync_at_last();
      session_.expect_all(MPI_File_close(&file_), {MPI_SUCCESS}, "close");
    } else {
      close_in_vain();
      lower();
    }
    finish();
  }

  // No call may fail, and nothing may be missing.
  void run_with_room(const Trial& trial) {
    begin(trial);
    session_.expect(failed_ == 0, "there is room, but writes failed");
    session_.expect_all(MPI_File_close(&file_), {MPI_SUCCESS}, "close");
    expect_blocks([](int64_t) { return true; }, "after the close");
    lower();
    finish();
  }

  void begin(const Trial& trial) {
    session_.at(std::string(trial.write_behind) + ", room for " + std::to_string(trial.room_bytes) +
                " bytes, cache of " + trial.cache_bytes +
                (trial.before_open ? ", obstacle before the open" : "") +
                (trial.relief == Relief::kAfterSync ? ", until a sync" : ", until the close"));
    if (trial.before_open) {
      raise(trial);
    }
    open_file(trial);
    if (!trial.before_open) {
      raise(trial);
    }
    write_blocks();
  }

  void raise(const Trial& trial) {
    MPI_Barrier(MPI_COMM_WORLD);
    obstacle_.raise(trial.room_bytes);
    MPI_Barrier(MPI_COMM_WORLD);
  }
  void lower() {
    MPI_Barrier(MPI_COMM_WORLD);
    obstacle_.lower();
    MPI_Barrier(MPI_COMM_WORLD);
  }

  void open_file(const Trial& trial) {
    MPI_Info info = fault_test::make_info({{"longshore_write_behind", trial.write_behind},
                                           {"longshore_page_size", "4096"},
                                           {"longshore_cache_size", trial.cache_bytes}});
    const int code =
        MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file_);
    session_.expect_all(code, {MPI_SUCCESS}, "open");
    MPI_Info_free(&info);
  }

  int64_t place_of(int64_t block) const {
    return (block * session_.size() + session_.rank()) * kBlockBytes;
  }

  // Every byte differs from 0, and names its rank and block.
  std::vector<unsigned char> block_of(int64_t block) const {
    return std::vector<unsigned char>(
        kBlockBytes,
        static_cast<unsigned char>(1 + (block * session_.size() + session_.rank()) % 251));
  }

  int write_block(int64_t block) {
    const auto bytes = block_of(block);
    return MPI_File_write_at(file_, place_of(block), bytes.data(), kBlockBytes, MPI_BYTE,
                             MPI_STATUS_IGNORE);
  }

  void write_blocks() {
    failed_ = 0;
    for (int64_t block = 0; block < kBlocks; ++block) {
      const int code = write_block(block);
      taken_[block] = code == MPI_SUCCESS;
      failed_ += taken_[block] ? 0 : 1;
      if (!taken_[block]) {
        session_.expect_class(code, obstacle_.classes(), "a write");
      }
    }
  }

  void sync_in_vain() {
    const int code = MPI_File_sync(file_);
    if (code != MPI_SUCCESS) {
      session_.expect_class(code, obstacle_.classes(), "sync");
    }
    session_.expect(code != MPI_SUCCESS || failed_ > 0, "all calls succeeded without room");
    same_class(code, "sync");
  }

  void close_in_vain() {
    const int code = MPI_File_close(&file_);
    if (code != MPI_SUCCESS) {
      session_.expect_class(code, obstacle_.classes(), "close");
    }
    session_.expect(code != MPI_SUCCESS || failed_ > 0, "all calls succeeded without room");
    session_.expect(file_ == MPI_FILE_NULL, "a failing close left a handle");
    same_class(code, "close");
  }

  static bool over_hosts() {
    const char* size = std::getenv("LONGSHORE_NODE_SIZE");
    return size != nullptr && std::atoi(size) > 0;
  }

  // With room again: first what was taken before is there, then all.
  void sync_at_last() {
    session_.expect_all(MPI_File_sync(file_), {MPI_SUCCESS}, "sync with room again");
    if (over_hosts()) {
      // The failed sync has told that an owner elsewhere had no room: all must be written again.
      std::fill(std::begin(taken_), std::end(taken_), false);
    }
    expect_blocks([&](int64_t block) { return taken_[block]; }, "after a sync with room again");
    for (int64_t block = 0; block < kBlocks; ++block) {
      if (!taken_[block]) {
        session_.expect_class(write_block(block), {MPI_SUCCESS}, "a write with room again");
      }
    }
    session_.expect_all(MPI_File_sync(file_), {MPI_SUCCESS}, "the second sync with room again");
    expect_blocks([](int64_t) { return true; }, "after the second sync");
  }

  void same_class(int code, const char* call) {
    int range[2] = {class_of(code), -class_of(code)};
    MPI_Allreduce(MPI_IN_PLACE, range, 2, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    session_.expect(range[0] == -range[1], std::string(call) + ": ranks got different classes");
  }

  // In the file itself, as any other program sees it.
  template <typename Wanted>
  void expect_blocks(const Wanted& wanted, const std::string& when) {
    const int fd = ::open(path_.c_str(), O_RDONLY);
    int64_t missing = 0;
    for (int64_t block = 0; block < kBlocks; ++block) {
      std::vector<unsigned char> found(kBlockBytes);
      const bool whole = pread(fd, found.data(), kBlockBytes, place_of(block)) == kBlockBytes;
      missing += wanted(block) && (!whole || found != block_of(block)) ? 1 : 0;
    }
    ::close(fd);
    session_.expect(missing == 0, std::to_string(missing) + " blocks are not in the file " + when);
  }

  void finish() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (session_.rank() == 0) {
      unlink(path_.c_str());
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  Session& session_;
  Obstacle& obstacle_;
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
  bool taken_[kBlocks] = {};  // by a successful call
  int failed_ = 0;            // writes of this rank
};

}  // namespace

int main(int argc, char** argv) { return fault_test::run_trials<Trials>(argc, argv); }
