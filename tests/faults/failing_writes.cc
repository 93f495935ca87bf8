// Writes of every form that run out of space at a chosen byte: all ranks return, collective forms
// with one class for all, and every status counts exactly the bytes that are in the file. So that
// it can, nothing is written behind here; failing_pages.cc is about that.
#include <fcntl.h>
#include <unistd.h>

#include <cstring>

#include "fault_test.h"
#include "obstacle.h"

namespace {

using fault_test::Obstacle;
using fault_test::Session;

constexpr int64_t kBlockBytes = 512;
constexpr int64_t kBlocks = 96;  // per rank: with 1 KiB buffers a collective takes many cycles
constexpr int64_t kRankBytes = kBlockBytes * kBlocks;

// One way of writing this rank's blocks.
struct Form {
  const char* name;
  bool collective;
  bool shared;
  int (*write)(MPI_File, const void*, int, MPI_Status*);
};

int wait_for(int code, MPI_Request* request, MPI_Status* status) {
  return code != MPI_SUCCESS ? code : MPI_Wait(request, status);
}

int write_all(MPI_File f, const void* b, int n, MPI_Status* s) {
  return MPI_File_write_all(f, b, n, MPI_BYTE, s);
}
int write_at_all(MPI_File f, const void* b, int n, MPI_Status* s) {
  return MPI_File_write_at_all(f, 0, b, n, MPI_BYTE, s);
}
int iwrite_all(MPI_File f, const void* b, int n, MPI_Status* s) {
  MPI_Request request = MPI_REQUEST_NULL;
  return wait_for(MPI_File_iwrite_all(f, b, n, MPI_BYTE, &request), &request, s);
}
int iwrite_at_all(MPI_File f, const void* b, int n, MPI_Status* s) {
  MPI_Request request = MPI_REQUEST_NULL;
  return wait_for(MPI_File_iwrite_at_all(f, 0, b, n, MPI_BYTE, &request), &request, s);
}
int split(MPI_File f, const void* b, int n, MPI_Status* s) {
  const int code = MPI_File_write_at_all_begin(f, 0, b, n, MPI_BYTE);
  return code != MPI_SUCCESS ? code : MPI_File_write_at_all_end(f, b, s);
}
int write_ordered(MPI_File f, const void* b, int n, MPI_Status* s) {
  return MPI_File_write_ordered(f, b, n, MPI_BYTE, s);
}
int write_at(MPI_File f, const void* b, int n, MPI_Status* s) {
  return MPI_File_write_at(f, 0, b, n, MPI_BYTE, s);
}
int write(MPI_File f, const void* b, int n, MPI_Status* s) {
  return MPI_File_write(f, b, n, MPI_BYTE, s);
}
int iwrite(MPI_File f, const void* b, int n, MPI_Status* s) {
  MPI_Request request = MPI_REQUEST_NULL;
  return wait_for(MPI_File_iwrite(f, b, n, MPI_BYTE, &request), &request, s);
}
int write_shared(MPI_File f, const void* b, int n, MPI_Status* s) {
  return MPI_File_write_shared(f, b, n, MPI_BYTE, s);
}

constexpr Form kForms[] = {
    {"write_all", true, false, write_all},      {"write_at_all", true, false, write_at_all},
    {"iwrite_all", true, false, iwrite_all},    {"iwrite_at_all", true, false, iwrite_at_all},
    {"write_at_all_begin", true, false, split}, {"write_ordered", true, true, write_ordered},
    {"write_at", false, false, write_at},       {"write", false, false, write},
    {"iwrite", false, false, iwrite},           {"write_shared", false, true, write_shared},
};

struct Trial {
  const Form& form;
  int64_t room_bytes;  // about so much can be written
  const char* aggregators;
  bool idle_rank;  // the last rank takes part with no data
};

class Trials {
 public:
  Trials(Session& session, Obstacle& obstacle) : session_(session), obstacle_(obstacle) {
    path_ = obstacle.folder() + "/out";
  }

  void run_all() {
    const int64_t total = kRankBytes * session_.size();
    for (const Form& form : kForms) {
      for (int64_t room : {int64_t{8192}, total / 2 + 4096, total - 8192}) {
        for (const char* aggregators : {"1", "4"}) {
          run({form, room, aggregators, room == total / 2 + 4096 && form.collective});
        }
      }
    }
  }

 private:
  void run(const Trial& trial) {
    session_.at(std::string(trial.form.name) + " with room for " +
                std::to_string(trial.room_bytes) + " bytes, cb_nodes " + trial.aggregators);
    obstacle_.raise(trial.room_bytes);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_File file = open_file(trial);
    attempt(trial, file);
    obstacle_.lower();
    MPI_Barrier(MPI_COMM_WORLD);
    recover(file);
    session_.expect_class(MPI_File_close(&file), {MPI_SUCCESS}, "close");
    MPI_Barrier(MPI_COMM_WORLD);
    if (session_.rank() == 0) {
      unlink(path_.c_str());
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  MPI_File open_file(const Trial& trial) {
    MPI_Info info = fault_test::make_info({{"cb_nodes", trial.aggregators},
                                           {"cb_buffer_size", "4096"},
                                           {"romio_cb_write", "enable"},
                                           {"romio_ds_write", "disable"},
                                           {"longshore_write_behind", "off"}});
    MPI_File file = MPI_FILE_NULL;
    const int code =
        MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
    session_.expect_all(code, {MPI_SUCCESS}, "open");
    MPI_Info_free(&info);
    if (!trial.form.shared) {
      MPI_Datatype blocks;
      MPI_Type_vector(kBlocks, kBlockBytes, static_cast<int>(kBlockBytes * session_.size()),
                      MPI_BYTE, &blocks);
      MPI_Type_commit(&blocks);
      MPI_File_set_view(file, session_.rank() * kBlockBytes, MPI_BYTE, blocks, "native",
                        MPI_INFO_NULL);
      MPI_Type_free(&blocks);
    }
    return file;
  }

  // Every byte differs from 0, and names its rank.
  std::vector<unsigned char> data() const {
    return std::vector<unsigned char>(kRankBytes,
                                      static_cast<unsigned char>('A' + session_.rank()));
  }

  void attempt(const Trial& trial, MPI_File file) {
    const std::vector<unsigned char> bytes = data();
    const bool idle = trial.idle_rank && session_.rank() == session_.size() - 1;
    MPI_Status status;
    std::memset(&status, 0xff, sizeof status);
    const int code = trial.form.write(file, bytes.data(), idle ? 0 : kRankBytes, &status);
    if (trial.form.collective) {
      session_.expect_all(code, obstacle_.classes(), trial.form.name);
    } else {
      expect_some_failure(code, trial.form.name);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    check_count(trial, status, idle ? 0 : kRankBytes, code);
  }

  // Independent writes: at least one rank met the obstacle, and those that did say so alike.
  void expect_some_failure(int code, const char* name) {
    if (code != MPI_SUCCESS) {
      session_.expect_class(code, obstacle_.classes(), name);
    }
    int failed = code != MPI_SUCCESS ? 1 : 0;
    int any = 0;
    MPI_Allreduce(&failed, &any, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    session_.expect(any == 1, std::string(name) + ": no rank got an error");
  }

  void check_count(const Trial& trial, const MPI_Status& status, int64_t asked_bytes, int code) {
    const int64_t said = fault_test::bytes_of(status);
    const Landed landed = landed_bytes(trial);
    const std::string text = "status counts " + std::to_string(said) + " bytes; in the file are " +
                             std::to_string(landed.total) + ", without a gap " +
                             std::to_string(landed.prefix);
    session_.expect(said == landed.total || said == landed.prefix, text);
    session_.expect(code != MPI_SUCCESS || said == asked_bytes, "success, but " + text);
  }

  struct Landed {
    int64_t total = 0;   // bytes of this rank that are in the file
    int64_t prefix = 0;  // those before the first that is missing
  };

  Landed landed_bytes(const Trial& trial) {
    std::vector<unsigned char> file(static_cast<size_t>(kRankBytes * session_.size()));
    const int fd = open(path_.c_str(), O_RDONLY);
    const ssize_t got = pread(fd, file.data(), file.size(), 0);
    close(fd);
    file.resize(got > 0 ? static_cast<size_t>(got) : 0);
    const auto mine = static_cast<unsigned char>('A' + session_.rank());
    Landed landed;
    for (int64_t i = 0; trial.form.shared && i < static_cast<int64_t>(file.size()); ++i) {
      landed.total += file[static_cast<size_t>(i)] == mine ? 1 : 0;
    }
    if (trial.form.shared) {
      landed.prefix = landed.total;
      return landed;
    }
    bool gap = false;
    for (int64_t k = 0; k < kRankBytes; ++k) {
      const int64_t at =
          (k / kBlockBytes * session_.size() + session_.rank()) * kBlockBytes + k % kBlockBytes;
      const bool there =
          at < static_cast<int64_t>(file.size()) && file[static_cast<size_t>(at)] == mine;
      gap = gap || !there;
      landed.total += there ? 1 : 0;
      landed.prefix += there && !gap ? 1 : 0;
    }
    return landed;
  }

  // The handle still works once there is room again.
  void recover(MPI_File file) {
    const std::vector<unsigned char> bytes = data();
    MPI_Status status;
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    const int code = MPI_File_write_at_all(file, session_.rank() * kRankBytes, bytes.data(),
                                           kRankBytes, MPI_BYTE, &status);
    session_.expect_all(code, {MPI_SUCCESS}, "write after the obstacle is gone");
    session_.expect(fault_test::bytes_of(status) == kRankBytes, "count of that write");
  }

  Session& session_;
  Obstacle& obstacle_;
  std::string path_;
};

}  // namespace

int main(int argc, char** argv) { return fault_test::run_trials<Trials>(argc, argv); }
