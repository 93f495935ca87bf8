// What a collective call costs does not grow with the number of pieces that a view has: views are
// decoded, kept and sent as they were made, not as lists of pieces.
//
// usage: many_pieces [DIRECTORY]
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "../faults/fault_test.h"

namespace {

using fault_test::Session;

constexpr int kHangSeconds = 100;
constexpr int64_t kPieceBytes = 8;
constexpr int kPartBytes = 64 * 1024;
constexpr int kRepetitions = 5;
constexpr double kMostMoreSeconds = 0.050;
constexpr int64_t kMostMoreKiB = 8 * 1024;

int64_t status_kib(const std::string& key) {
  std::ifstream lines("/proc/self/status");
  for (std::string line; std::getline(lines, line);) {
    if (line.rfind(key + ":", 0) == 0) {
      return std::strtoll(line.c_str() + key.size() + 1, nullptr, 10);
    }
  }
  return -1;
}

// From now on VmHWM is the peak since now (where the kernel lets us).
void reset_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

double slowest(double seconds) {
  double all = 0;
  MPI_Allreduce(&seconds, &all, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

int64_t greatest(int64_t value) {
  int64_t all = 0;
  MPI_Allreduce(&value, &all, 1, MPI_INT64_T, MPI_MAX, MPI_COMM_WORLD);
  return all;
}

unsigned char content(int rank, int64_t position) {
  return static_cast<unsigned char>(1 + (rank * 53 + position * 7 + position / 4099) % 250);
}

struct Cost {
  double seconds;
  int64_t kib;  // peak above what was there
};

class ManyPieces {
 public:
  ManyPieces(Session& session, const std::string& dir)
      : session_(session), path_(dir + "/pieces.data") {}

  void cost_does_not_grow() {
    cost(1000);  // buffers and threads are there from now on
    const Cost few = cost(1000);
    const Cost many = cost(1000 * 1000);
    const Cost most = cost(100 * 1000 * 1000);
    for (const Cost& one : {many, most}) {
      session_.expect(one.seconds < few.seconds + kMostMoreSeconds, "more pieces take longer");
      session_.expect(one.kib < few.kib + kMostMoreKiB, "more pieces take more memory");
    }
  }

  void whole_write_is_right() {
    constexpr int64_t kPieces = 1000 * 1000;
    MPI_File file = open();
    session_.at("a whole view of 10^6 pieces");
    MPI_Datatype view = vector_of(kPieces);
    std::vector<unsigned char> bytes(static_cast<size_t>(kPieces * kPieceBytes));
    for (size_t i = 0; i < bytes.size(); ++i) {
      bytes[i] = content(session_.rank(), static_cast<int64_t>(i));
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    set_view(file, view);
    write(file, bytes);
    const double seconds = slowest(MPI_Wtime() - start);
    check_file(static_cast<int64_t>(bytes.size()));
    if (session_.rank() == 0) {
      std::printf("a whole write of 10^6 pieces of %lld bytes a rank: %.1f ms\n",
                  static_cast<long long>(kPieceBytes), seconds * 1e3);
    }
    MPI_Type_free(&view);
    close(file);
  }

  // HDF5 sets a view before each transfer and the plain one behind it. The view here cannot be
  // compressed, so that sending it takes time, and memory grows with it. A new type of the same
  // shape must be decoded again, but not sent.
  void equal_view_is_not_sent_again() {
    MPI_File file = open();
    session_.at("equal views");
    MPI_Datatype view = irregular();
    const std::vector<unsigned char> bytes(256, 'x');
    reset_peak();
    const int64_t before = status_kib("VmRSS");
    const double first = transfer_like_hdf5(file, view, bytes);
    const int64_t kib = greatest(status_kib("VmHWM") - before);
    double again = first;
    for (int i = 0; i < kRepetitions; ++i) {
      again = std::min(again, transfer_like_hdf5(file, view, bytes));
    }
    MPI_Datatype equal = irregular();
    const double as_equal = transfer_like_hdf5(file, equal, bytes);
    if (session_.rank() == 0) {
      std::printf(
          "a view of 10^6 irregular pieces: first %.1f ms and %lld KiB, again %.1f ms, an "
          "equal one %.1f ms\n",
          first * 1e3, static_cast<long long>(kib), again * 1e3, as_equal * 1e3);
    }
    session_.expect(kib > kMostMoreKiB, "memory that grows is not seen: the measure is wrong");
    session_.expect(again < first / 2, "a view costs as much again");
    session_.expect(as_equal < first, "an equal view costs as much as the first");
    MPI_Type_free(&equal);
    MPI_Type_free(&view);
    close(file);
  }

 private:
  MPI_File open() {
    MPI_Info info = fault_test::make_info({{"romio_cb_write", "enable"}, {"cb_nodes", "2"}});
    MPI_File file = MPI_FILE_NULL;
    const int code =
        MPI_File_open(MPI_COMM_WORLD, path_.c_str(), MPI_MODE_CREATE | MPI_MODE_RDWR, info, &file);
    MPI_Info_free(&info);
    session_.expect_all(code, {MPI_SUCCESS}, "open");
    return file;
  }

  void close(MPI_File file) {
    session_.expect_all(MPI_File_close(&file), {MPI_SUCCESS}, "close");
    if (session_.rank() == 0) {
      unlink(path_.c_str());
    }
    MPI_Barrier(MPI_COMM_WORLD);
  }

  MPI_Datatype vector_of(int64_t pieces) const {
    MPI_Datatype vector = MPI_DATATYPE_NULL;
    MPI_Type_create_hvector(static_cast<int>(pieces), kPieceBytes, kPieceBytes * session_.size(),
                            MPI_BYTE, &vector);
    MPI_Datatype view = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(vector, 0, pieces * kPieceBytes * session_.size(), &view);
    MPI_Type_commit(&view);
    MPI_Type_free(&vector);
    return view;
  }

  // 10^6 pieces of one byte with gaps that follow no rule.
  MPI_Datatype irregular() const {
    constexpr int kPieces = 1000 * 1000;
    std::vector<int> offsets;
    uint32_t state = 1;
    for (int i = 0; i < kPieces; ++i) {
      state = state * 1664525U + 1013904223U;
      offsets.push_back(i * 16 + static_cast<int>(state >> 30));
    }
    MPI_Datatype view = MPI_DATATYPE_NULL;
    MPI_Type_create_indexed_block(kPieces, 1, offsets.data(), MPI_BYTE, &view);
    MPI_Type_commit(&view);
    return view;
  }

  void set_view(MPI_File file, MPI_Datatype view) {
    const int code = MPI_File_set_view(file, kPieceBytes * session_.rank(), MPI_BYTE, view,
                                       "native", MPI_INFO_NULL);
    session_.expect_class(code, {MPI_SUCCESS}, "set_view");
  }

  void write(MPI_File file, const std::vector<unsigned char>& bytes) {
    MPI_Status status;
    const int code =
        MPI_File_write_all(file, bytes.data(), static_cast<int>(bytes.size()), MPI_BYTE, &status);
    session_.expect_class(code, {MPI_SUCCESS}, "write_all");
    session_.expect(fault_test::bytes_of(status) == static_cast<int64_t>(bytes.size()), "count");
  }

  // Medians of a new file, view and write of a part of it.
  Cost cost(int64_t pieces) {
    session_.at("a part of a view of " + std::to_string(pieces) + " pieces");
    const std::vector<unsigned char> bytes(kPartBytes, 'x');
    std::vector<double> seconds;
    std::vector<int64_t> kib;
    for (int i = 0; i < kRepetitions; ++i) {
      MPI_File file = open();
      MPI_Datatype view = vector_of(pieces);
      reset_peak();
      const int64_t before = status_kib("VmRSS");
      MPI_Barrier(MPI_COMM_WORLD);
      const double start = MPI_Wtime();
      set_view(file, view);
      write(file, bytes);
      seconds.push_back(slowest(MPI_Wtime() - start));
      kib.push_back(greatest(status_kib("VmHWM") - before));
      MPI_Type_free(&view);
      close(file);
    }
    std::sort(seconds.begin(), seconds.end());
    std::sort(kib.begin(), kib.end());
    const Cost median{seconds[kRepetitions / 2], kib[kRepetitions / 2]};
    if (session_.rank() == 0) {
      std::printf("%9lld pieces a rank: set_view and write_all of 64 KiB: %.2f ms, %lld KiB\n",
                  static_cast<long long>(pieces), median.seconds * 1e3,
                  static_cast<long long>(median.kib));
    }
    return median;
  }

  double transfer_like_hdf5(MPI_File file, MPI_Datatype view,
                            const std::vector<unsigned char>& bytes) {
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    MPI_File_set_view(file, 4 * session_.rank(), MPI_BYTE, view, "native", MPI_INFO_NULL);
    write(file, bytes);
    MPI_File_set_view(file, 0, MPI_BYTE, MPI_BYTE, "native", MPI_INFO_NULL);
    return slowest(MPI_Wtime() - start);
  }

  void check_file(int64_t stream_bytes) {
    MPI_Barrier(MPI_COMM_WORLD);
    if (session_.rank() != 0) {
      return;
    }
    const int64_t ranks = session_.size();
    std::vector<unsigned char> all(static_cast<size_t>(stream_bytes * ranks));
    const int fd = ::open(path_.c_str(), O_RDONLY);
    const ssize_t got = ::pread(fd, all.data(), all.size(), 0);
    ::close(fd);
    session_.expect(got == static_cast<ssize_t>(all.size()), "the file's size");
    int64_t wrong = 0;
    for (int64_t i = 0; i < got; ++i) {
      const int64_t piece = i / kPieceBytes;
      const int64_t position = piece / ranks * kPieceBytes + i % kPieceBytes;
      wrong +=
          all[static_cast<size_t>(i)] == content(static_cast<int>(piece % ranks), position) ? 0 : 1;
    }
    session_.expect(wrong == 0, std::to_string(wrong) + " bytes of the file are wrong");
  }

  Session& session_;
  std::string path_;
};

}  // namespace

int main(int argc, char** argv) {
  Session session(&argc, &argv, kHangSeconds);
  const std::string shm = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : ".";
  ManyPieces test(session, argc > 1 ? argv[1] : shm);
  test.cost_does_not_grow();
  test.whole_write_is_right();
  test.equal_view_is_not_sent_again();
  return session.finish();
}
