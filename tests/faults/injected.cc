// Calls during which the storage fails on some rank, as LONGSHORE_FAULTS says: all ranks return,
// with one class, and statuses count what really moved.
//
// usage: injected CALL=CLASS...    with CALL from the table below, CLASS such as NO_SPACE
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <map>

#include "fault_test.h"

namespace {

using fault_test::Session;

constexpr int64_t kBlockBytes = 256;
constexpr int64_t kBlocks = 64;
constexpr int64_t kRankBytes = kBlockBytes * kBlocks;
constexpr unsigned char kUntouched = 0xee;

// The file's byte at `position`; never kUntouched nor 0.
unsigned char content(int64_t position) {
  return static_cast<unsigned char>(1 + (position * 7 + position / 251) % 200);
}

struct Transfer {
  MPI_File file;
  unsigned char* buffer;
  MPI_Status* status;
  MPI_Offset at;  // of this rank, without a view
};

int wait_for(int code, MPI_Request* request, MPI_Status* status) {
  return code != MPI_SUCCESS ? code : MPI_Wait(request, status);
}

int read_all(const Transfer& t) {
  return MPI_File_read_all(t.file, t.buffer, kRankBytes, MPI_BYTE, t.status);
}
int read_at_all(const Transfer& t) {
  return MPI_File_read_at_all(t.file, 0, t.buffer, kRankBytes, MPI_BYTE, t.status);
}
int iread_at_all(const Transfer& t) {
  MPI_Request request = MPI_REQUEST_NULL;
  return wait_for(MPI_File_iread_at_all(t.file, 0, t.buffer, kRankBytes, MPI_BYTE, &request),
                  &request, t.status);
}
int read_split(const Transfer& t) {
  const int code = MPI_File_read_all_begin(t.file, t.buffer, kRankBytes, MPI_BYTE);
  return code != MPI_SUCCESS ? code : MPI_File_read_all_end(t.file, t.buffer, t.status);
}
int write_all(const Transfer& t) {
  return MPI_File_write_all(t.file, t.buffer, kRankBytes, MPI_BYTE, t.status);
}
int write_at_all(const Transfer& t) {
  return MPI_File_write_at_all(t.file, 0, t.buffer, kRankBytes, MPI_BYTE, t.status);
}
int iwrite_all(const Transfer& t) {
  MPI_Request request = MPI_REQUEST_NULL;
  return wait_for(MPI_File_iwrite_all(t.file, t.buffer, kRankBytes, MPI_BYTE, &request), &request,
                  t.status);
}
int write_split(const Transfer& t) {
  const int code = MPI_File_write_at_all_begin(t.file, 0, t.buffer, kRankBytes, MPI_BYTE);
  return code != MPI_SUCCESS ? code : MPI_File_write_at_all_end(t.file, t.buffer, t.status);
}
// One piece a rank: nobody needs an aggregator.
int read_straight(const Transfer& t) {
  return MPI_File_read_at_all(t.file, t.at, t.buffer, kRankBytes, MPI_BYTE, t.status);
}
int write_straight(const Transfer& t) {
  return MPI_File_write_at_all(t.file, t.at, t.buffer, kRankBytes, MPI_BYTE, t.status);
}
int sync(const Transfer& t) { return MPI_File_sync(t.file); }
int set_size(const Transfer& t) { return MPI_File_set_size(t.file, 1 << 20); }
int preallocate(const Transfer& t) { return MPI_File_preallocate(t.file, 1 << 20); }

enum class Kind { kRead, kWrite, kOther };

struct Call {
  Kind kind;
  int (*run)(const Transfer&);
};

const std::map<std::string, Call> kCalls = {{"read_all", {Kind::kRead, read_all}},
                                            {"read_at_all", {Kind::kRead, read_at_all}},
                                            {"iread_at_all", {Kind::kRead, iread_at_all}},
                                            {"read_split", {Kind::kRead, read_split}},
                                            {"write_all", {Kind::kWrite, write_all}},
                                            {"write_at_all", {Kind::kWrite, write_at_all}},
                                            {"iwrite_all", {Kind::kWrite, iwrite_all}},
                                            {"write_split", {Kind::kWrite, write_split}},
                                            {"read_straight", {Kind::kRead, read_straight}},
                                            {"write_straight", {Kind::kWrite, write_straight}},
                                            {"sync", {Kind::kOther, sync}},
                                            {"set_size", {Kind::kOther, set_size}},
                                            {"preallocate", {Kind::kOther, preallocate}}};

const std::map<std::string, int> kClasses = {{"IO", MPI_ERR_IO},
                                             {"NO_SPACE", MPI_ERR_NO_SPACE},
                                             {"QUOTA", MPI_ERR_QUOTA},
                                             {"ACCESS", MPI_ERR_ACCESS},
                                             {"READ_ONLY", MPI_ERR_READ_ONLY},
                                             {"NO_SUCH_FILE", MPI_ERR_NO_SUCH_FILE},
                                             {"SUCCESS", MPI_SUCCESS}};

class Injected {
 public:
  explicit Injected(Session& session) : session_(session) {}

  void run(const std::string& call, int expected_class) {
    session_.at(call);
    straight_ = call.ends_with("_straight");
    prepare();
    MPI_File file = MPI_FILE_NULL;
    const int code = open(file);
    if (call == "open") {
      session_.expect_all(code, {expected_class}, "open");
    } else {
      session_.expect_all(code, {MPI_SUCCESS}, "open");
      transfer(call, file, expected_class);
    }
    close(call, file, expected_class);
  }

 private:
  void prepare() {
    if (session_.rank() == 0) {
      std::vector<unsigned char> bytes(static_cast<size_t>(kRankBytes * session_.size()));
      for (size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = content(static_cast<int64_t>(i));
      }
      const int fd = ::open("data", O_CREAT | O_TRUNC | O_WRONLY, 0644);
      session_.expect(::write(fd, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()),
                      "preparing the file");
      ::close(fd);
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  int open(MPI_File& file) {
    const char* aggregate = straight_ ? "automatic" : "enable";
    MPI_Info info = fault_test::make_info({{"cb_nodes", "4"},
                                           {"cb_buffer_size", "4096"},
                                           {"romio_cb_read", aggregate},
                                           {"romio_cb_write", aggregate}});
    const int code = MPI_File_open(MPI_COMM_WORLD, "data", MPI_MODE_RDWR, info, &file);
    MPI_Info_free(&info);
    return code;
  }

  int64_t position(int64_t k) const {
    if (straight_) {
      return session_.rank() * kRankBytes + k;
    }
    return (k / kBlockBytes * session_.size() + session_.rank()) * kBlockBytes + k % kBlockBytes;
  }

  void set_view(MPI_File file) const {
    MPI_Datatype blocks;
    MPI_Type_vector(kBlocks, kBlockBytes, static_cast<int>(kBlockBytes * session_.size()), MPI_BYTE,
                    &blocks);
    MPI_Type_commit(&blocks);
    MPI_File_set_view(file, session_.rank() * kBlockBytes, MPI_BYTE, blocks, "native",
                      MPI_INFO_NULL);
    MPI_Type_free(&blocks);
  }

  void transfer(const std::string& name, MPI_File file, int expected_class) {
    const auto found = kCalls.find(name);
    if (found == kCalls.end()) {
      session_.expect(name == "close", "no such call: " + name);
      return;
    }
    if (!straight_) {
      set_view(file);
    }
    std::vector<unsigned char> buffer(kRankBytes, kUntouched);
    MPI_Status status;
    std::memset(&status, 0, sizeof status);
    const Call& call = found->second;
    const int code = call.run({file, buffer.data(), &status, session_.rank() * kRankBytes});
    session_.expect_all(code, {expected_class}, name);
    check_count(call.kind, buffer, status);
  }

  void check_count(Kind kind, const std::vector<unsigned char>& buffer, const MPI_Status& status) {
    if (kind == Kind::kOther) {
      return;
    }
    MPI_Barrier(MPI_COMM_WORLD);
    std::vector<unsigned char> file(static_cast<size_t>(kRankBytes * session_.size()));
    const int fd = ::open("data", O_RDONLY);
    const ssize_t got = ::pread(fd, file.data(), file.size(), 0);
    ::close(fd);
    session_.expect(got == static_cast<ssize_t>(file.size()), "the file's size");
    int64_t moved = 0;
    int64_t prefix = 0;
    for (int64_t k = 0; k < kRankBytes; ++k) {
      const unsigned char there = kind == Kind::kRead ? buffer[static_cast<size_t>(k)]
                                                      : file[static_cast<size_t>(position(k))];
      const unsigned char goal = kind == Kind::kRead ? content(position(k)) : kUntouched;
      prefix += there == goal && moved == k ? 1 : 0;
      moved += there == goal ? 1 : 0;
    }
    const int64_t said = fault_test::bytes_of(status);
    session_.expect(said == moved || said == prefix,
                    "status counts " + std::to_string(said) + " bytes, moved are " +
                        std::to_string(moved) + ", without a gap " + std::to_string(prefix));
    MPI_Barrier(MPI_COMM_WORLD);
  }

  void close(const std::string& call, MPI_File file, int expected_class) {
    if (file == MPI_FILE_NULL) {
      return;
    }
    const int code = MPI_File_close(&file);
    session_.expect_all(code, {call == "close" ? expected_class : MPI_SUCCESS}, "close");
    session_.expect(file == MPI_FILE_NULL, "close left a handle");
  }

  Session& session_;
  bool straight_ = false;
};

}  // namespace

int main(int argc, char** argv) {
  Session session(&argc, &argv, 40);
  Injected injected(session);
  session.expect(argc > 1, "usage: injected CALL=CLASS...");
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const size_t equals = word.find('=');
    injected.run(word.substr(0, equals), kClasses.at(word.substr(equals + 1)));
  }
  return session.finish();
}
