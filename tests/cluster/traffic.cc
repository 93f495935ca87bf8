// Counts what crosses the network when a pattern is written by one collective call, and compares it
// with what the pattern needs.
//
// usage: traffic PATTERN FILE LIMIT [KEY=VALUE...]
//
// Counted: the bytes that all hosts of the cluster (compute, storage, monitor) sent through their
// interfaces from before the call to after a sync and a barrier, headers and acknowledgements
// included. Needed: every byte once to storage; and, as each stripe of 1 MiB is written by one
// host, the bytes of the stripe that other hosts have, once to that host: at least all but those of
// the host that has the most. A worked example, 4 hosts: blocks in turn need 1 + 3/4 of the bytes,
// a contiguous part for each rank 1, tiles of a 2 x 2 grid 1 + 1/2. Exit status: 0 if counted <=
// LIMIT x needed.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "../independent/small_file.h"

namespace {

using fault_test::Session;
using independent_test::Bytes;
using independent_test::plain_read;

constexpr int kHangSeconds = 120;
constexpr int64_t kStripeBytes = 1 << 20;
constexpr int64_t kRankBytes = 16 << 20;

// The file as blocks of equal size, each of one rank: block i belongs to owner(i).
struct Shape {
  int64_t block_bytes = 0;
  int ranks = 1;
  std::string name;

  int64_t blocks() const { return kRankBytes * ranks / block_bytes; }
  // -1: the pattern is unknown.
  int owner(int64_t block) const {
    if (name == "round_robin") {
      return static_cast<int>(block % ranks);
    }
    if (name == "contiguous") {
      return static_cast<int>(block / (blocks() / ranks));
    }
    if (name == "tile") {  // a grid of 2 columns, a block is a row of a tile
      const int64_t rows = blocks() / ranks;
      return static_cast<int>(block / 2 / rows * 2 + block % 2);
    }
    return -1;
  }
};

unsigned char byte_of(int64_t offset) {
  return static_cast<unsigned char>(1 + (offset + offset / 251) % 255);
}

// A host's number of each rank: ranks of one processor name have one.
std::vector<int> hosts_of_ranks(int ranks) {
  char name[MPI_MAX_PROCESSOR_NAME] = {};
  int length = 0;
  MPI_Get_processor_name(name, &length);
  std::vector<char> all(static_cast<size_t>(ranks) * sizeof name);
  MPI_Allgather(name, sizeof name, MPI_CHAR, all.data(), sizeof name, MPI_CHAR, MPI_COMM_WORLD);
  std::map<std::string, int> numbers;
  std::vector<int> hosts;
  for (int rank = 0; rank < ranks; ++rank) {
    const std::string key = all.data() + static_cast<size_t>(rank) * sizeof name;
    hosts.push_back(numbers.emplace(key, static_cast<int>(numbers.size())).first->second);
  }
  return hosts;
}

int64_t needed_bytes(const Shape& shape, const std::vector<int>& hosts) {
  int64_t needed = 0;
  const int64_t blocks_per_stripe = std::max<int64_t>(1, kStripeBytes / shape.block_bytes);
  for (int64_t first = 0; first < shape.blocks(); first += blocks_per_stripe) {
    std::map<int, int64_t> bytes_of_host;
    int64_t total = 0;
    for (int64_t b = first; b < std::min(first + blocks_per_stripe, shape.blocks()); ++b) {
      bytes_of_host[hosts[static_cast<size_t>(shape.owner(b))]] += shape.block_bytes;
      total += shape.block_bytes;
    }
    int64_t most = 0;
    for (const auto& [host, bytes] : bytes_of_host) {
      most = std::max(most, bytes);
    }
    needed += total + (total - most);
  }
  return needed;
}

// What an interface has sent, by the line of /proc/PID/net/dev; 0 if it has none.
int64_t sent_by(const std::string& pid) {
  std::ifstream lines("/proc/" + pid + "/net/dev");
  std::string line;
  while (std::getline(lines, line)) {
    const auto colon = line.find("eth0:");
    if (colon != std::string::npos) {
      std::istringstream words(line.substr(colon + 5));
      int64_t value = 0;
      for (int field = 0; field < 9; ++field) {
        words >> value;
      }
      return value;
    }
  }
  return 0;
}

// By all hosts of the cluster. Each is known by the process that keeps its namespaces.
int64_t sent_by_all() {
  const char* folder = std::getenv("LONGSHORE_CLUSTER");
  int64_t sum = 0;
  for (const auto& host : std::filesystem::directory_iterator(std::string(folder) + "/hosts")) {
    std::string pid;
    if (!host.is_symlink()) {  // those are addresses
      std::getline(std::ifstream(host.path() / "pid"), pid);
      sum += sent_by(pid);
    }
  }
  return sum;
}

class Traffic {
 public:
  Traffic(Session& session, Shape shape, std::string path)
      : session_(session), shape_(std::move(shape)), path_(std::move(path)) {}

  // Collective. The bytes that crossed.
  int64_t write(MPI_Info info);
  // Rank 0: the file as any other program sees it.
  void verify();

 private:
  MPI_Datatype file_type() const;
  Bytes my_bytes() const;

  Session& session_;
  Shape shape_;
  std::string path_;
};

MPI_Datatype Traffic::file_type() const {
  std::vector<int> places;
  for (int64_t b = 0; b < shape_.blocks(); ++b) {
    if (shape_.owner(b) == session_.rank()) {
      places.push_back(static_cast<int>(b));
    }
  }
  MPI_Datatype block = MPI_DATATYPE_NULL;
  MPI_Datatype type = MPI_DATATYPE_NULL;
  MPI_Type_contiguous(static_cast<int>(shape_.block_bytes), MPI_BYTE, &block);
  MPI_Type_create_indexed_block(static_cast<int>(places.size()), 1, places.data(), block, &type);
  MPI_Type_commit(&type);
  MPI_Type_free(&block);
  return type;
}

Bytes Traffic::my_bytes() const {
  Bytes bytes;
  bytes.reserve(static_cast<size_t>(kRankBytes));
  for (int64_t b = 0; b < shape_.blocks(); ++b) {
    for (int64_t i = 0; shape_.owner(b) == session_.rank() && i < shape_.block_bytes; ++i) {
      bytes.push_back(byte_of(b * shape_.block_bytes + i));
    }
  }
  return bytes;
}

int64_t Traffic::write(MPI_Info info) {
  MPI_File file = MPI_FILE_NULL;
  session_.expect_all(
      MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_CREATE | MPI_MODE_WRONLY, info, &file),
      {MPI_SUCCESS}, "open");
  MPI_Datatype type = file_type();
  session_.expect_all(MPI_File_set_view(file, 0, MPI_BYTE, type, "native", info), {MPI_SUCCESS},
                      "set_view");
  const Bytes bytes = my_bytes();
  MPI_Barrier(MPI_COMM_WORLD);
  const int64_t before = session_.rank() == 0 ? sent_by_all() : 0;
  MPI_Barrier(MPI_COMM_WORLD);
  session_.expect_all(MPI_File_write_at_all(file, 0, bytes.data(), static_cast<int>(bytes.size()),
                                            MPI_BYTE, MPI_STATUS_IGNORE),
                      {MPI_SUCCESS}, "write_at_all");
  session_.expect_all(MPI_File_sync(file), {MPI_SUCCESS}, "sync");
  MPI_Barrier(MPI_COMM_WORLD);
  const int64_t after = session_.rank() == 0 ? sent_by_all() : 0;
  MPI_Type_free(&type);
  session_.expect_all(MPI_File_close(&file), {MPI_SUCCESS}, "close");
  return after - before;
}

void Traffic::verify() {
  const Bytes found = plain_read(path_, 0, kRankBytes * shape_.ranks + 1);
  bool well = static_cast<int64_t>(found.size()) == kRankBytes * shape_.ranks;
  for (size_t i = 0; well && i < found.size(); ++i) {
    well = found[i] == byte_of(static_cast<int64_t>(i));
  }
  session_.expect(well, "the file has the pattern");
}

MPI_Info hints_of(int argc, char** argv) {
  MPI_Info info = MPI_INFO_NULL;
  MPI_Info_create(&info);
  for (int i = 4; i < argc; ++i) {
    const std::string word = argv[i];
    const auto equals = word.find('=');
    MPI_Info_set(info, word.substr(0, equals).c_str(), word.substr(equals + 1).c_str());
  }
  return info;
}

void run(Session& session, int argc, char** argv) {
  const Shape shape{4096, session.size(), argv[1]};
  const double limit = std::strtod(argv[3], nullptr);
  const int64_t needed = needed_bytes(shape, hosts_of_ranks(session.size()));
  Traffic traffic(session, shape, argv[2]);
  MPI_Info info = hints_of(argc, argv);
  const int64_t crossed = traffic.write(info);
  MPI_Info_free(&info);
  if (session.rank() == 0) {
    const double ratio = static_cast<double>(crossed) / static_cast<double>(needed);
    std::printf("%s: %.1f MB crossed, %.1f MB needed, %.3f times\n", argv[1],
                static_cast<double>(crossed) / 1e6, static_cast<double>(needed) / 1e6, ratio);
    session.expect(crossed >= needed, "fewer bytes crossed than needed: the count is wrong");
    session.expect(ratio <= limit, "at most " + std::string(argv[3]) + " times what is needed");
    traffic.verify();
    std::filesystem::remove(argv[2]);
  }
}

}  // namespace

int main(int argc, char** argv) {
  Session session(&argc, &argv, kHangSeconds);
  const bool understood = argc >= 4 && Shape{4096, session.size(), argv[1]}.owner(0) == 0;
  session.expect(understood,
                 "usage: traffic round_robin|contiguous|tile FILE LIMIT [KEY=VALUE...]");
  if (understood) {
    run(session, argc, argv);
  }
  return session.finish();
}
