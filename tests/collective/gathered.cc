// shm+gathered between hosts: how many messages cross, and that parts above the quota, ranks
// without bytes and the end of the file come out right.
//
// For 8 ranks as 2 hosts of 4 (LONGSHORE_NODE_SIZE=4). LONGSHORE_STATS must name a file: the
// library adds a line of counters to it whenever a file is closed.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "../faults/fault_test.h"
#include "scratch.h"

namespace {

using fault_test::Session;

constexpr int kHangSeconds = 100;
constexpr int64_t kMiB = 1 << 20;
constexpr int64_t kBlockBytes = 512;
constexpr int kBlocks = 64;
constexpr int64_t kSmall = 64 << 10;

unsigned char content(int rank, int64_t k) {
  return static_cast<unsigned char>(1 + (rank * 53 + k * 7 + k / 251) % 200);
}

std::vector<unsigned char> contents(int rank, int64_t bytes) {
  std::vector<unsigned char> made(static_cast<size_t>(bytes));
  for (int64_t k = 0; k < bytes; ++k) {
    made[static_cast<size_t>(k)] = content(rank, k);
  }
  return made;
}

// Of the file that was closed last, all ranks together.
int64_t messages_counted() {
  std::ifstream stats(std::getenv("LONGSHORE_STATS"));
  std::string line;
  std::string last;
  while (std::getline(stats, line)) {
    last = line;
  }
  const std::string key = "\"messages\":";
  const size_t at = last.find(key);
  return at == std::string::npos ? -1 : std::atoll(last.c_str() + at + key.size());
}

class Test {
 public:
  Test(Session& session, std::string path) : session_(session), path_(std::move(path)) {}

  // Blocks in turn, so that every rank has bytes for every aggregator.
  void count(const char* exchange, const char* aggregators, int64_t expected) {
    const auto bytes = contents(session_.rank(), kBlocks * kBlockBytes);
    session_.at(std::string("writing in turn, ") + exchange + " to " + aggregators);
    open(exchange, aggregators, "1048576");
    view_in_turn();
    finish(MPI_File_write_at_all(file_, 0, bytes.data(), size_of(bytes), MPI_BYTE, &status_),
           size_of(bytes), expected);
    session_.at(std::string("reading in turn, ") + exchange + " from " + aggregators);
    std::vector<unsigned char> got(bytes.size());
    open(exchange, aggregators, "1048576");
    view_in_turn();
    finish(MPI_File_read_at_all(file_, 0, got.data(), size_of(got), MPI_BYTE, &status_),
           size_of(got), expected);
    session_.expect(got == bytes, "what was read");
    remove();
  }

  // 8 aggregators with 16 MiB: the quota is 2 MiB. Of host 1 the rank 4 has 3 MiB for aggregator 0,
  // a message of its own, and 5 to 7 go together; rank 3 has bytes at the end, for aggregator 7;
  // the others have none.
  void quota() {
    const int rank = session_.rank();
    const int64_t length = rank < 3 ? 0 : rank == 4 ? 3 * kMiB : kSmall;
    const int64_t offset = rank == 3   ? 32 * kMiB - kSmall
                           : rank == 4 ? 0
                                       : 3 * kMiB + (rank - 5) * kSmall;
    const int64_t at = length == 0 ? 0 : offset;
    const auto bytes = contents(rank, length);
    session_.at("writing above the quota");
    open("shm+gathered", "8", "16777216");
    finish(MPI_File_write_at_all(file_, at, bytes.data(), size_of(bytes), MPI_BYTE, &status_),
           size_of(bytes), 3);
    session_.at("reading above the quota and beyond the end");
    std::vector<unsigned char> got(bytes.size() + (rank == 3 ? kSmall : 0), 0xee);
    open("shm+gathered", "8", "16777216");
    finish(MPI_File_read_at_all(file_, at, got.data(), size_of(got), MPI_BYTE, &status_),
           size_of(bytes), 3);
    auto expected = bytes;
    expected.resize(got.size(), 0xee);
    session_.expect(got == expected, "what was read");
    remove();
  }

 private:
  static int size_of(const std::vector<unsigned char>& bytes) {
    return static_cast<int>(bytes.size());
  }

  void open(const char* exchange, const char* aggregators, const char* buffer_bytes) {
    MPI_Info info = fault_test::make_info({{"longshore_exchange", exchange},
                                           {"longshore_partition", "even"},
                                           {"cb_nodes", aggregators},
                                           {"cb_buffer_size", buffer_bytes},
                                           {"longshore_write_behind", "off"},
                                           {"romio_cb_write", "enable"},
                                           {"romio_cb_read", "enable"}});
    session_.expect_all(
        MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file_),
        {MPI_SUCCESS}, "open");
    MPI_Info_free(&info);
  }

  void view_in_turn() {
    MPI_Datatype blocks;
    MPI_Type_vector(kBlocks, kBlockBytes, static_cast<int>(kBlockBytes * session_.size()), MPI_BYTE,
                    &blocks);
    MPI_Type_commit(&blocks);
    MPI_File_set_view(file_, session_.rank() * kBlockBytes, MPI_BYTE, blocks, "native",
                      MPI_INFO_NULL);
    MPI_Type_free(&blocks);
  }

  void finish(int code, int64_t bytes, int64_t messages) {
    session_.expect_all(code, {MPI_SUCCESS}, "the transfer");
    session_.expect(fault_test::bytes_of(status_) == bytes,
                    "counts " + std::to_string(fault_test::bytes_of(status_)) + " bytes, not " +
                        std::to_string(bytes));
    session_.expect_all(MPI_File_close(&file_), {MPI_SUCCESS}, "close");
    MPI_Barrier(MPI_COMM_WORLD);
    if (session_.rank() == 0) {
      const int64_t counted = messages_counted();
      session_.expect(counted == messages,
                      std::to_string(counted) + " messages, not " + std::to_string(messages));
    }
  }

  void remove() {
    MPI_Barrier(MPI_COMM_WORLD);
    if (session_.rank() == 0) {
      unlink(path_.c_str());
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  Session& session_;
  std::string path_;
  MPI_File file_ = MPI_FILE_NULL;
  MPI_Status status_{};
};

}  // namespace

int main(int argc, char** argv) {
  Session session(&argc, &argv, kHangSeconds);
  session.expect(session.size() == 8 && std::getenv("LONGSHORE_STATS") != nullptr,
                 "8 ranks and LONGSHORE_STATS");
  Test test(session,
            collective_test::scratch_path(collective_test::default_directory(), "gathered"));
  // 2 hosts, each with one aggregator on the other one, or two.
  test.count("shm+gathered", "2", 2);
  test.count("automatic", "4", 4);
  // 8 ranks, each with as many aggregators on the other host.
  test.count("shm", "2", 8);
  test.count("shm", "4", 16);
  test.quota();
  return session.finish();
}
