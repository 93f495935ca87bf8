// obstacle.h - writes that fail from some byte on, as at a user's.
//
// Arguments: limit default|ignore    the process's file-size limit, by signal action
//            full DIRECTORY BYTES    DIRECTORY is a file system of BYTES
#pragma once

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "fault_test.h"

namespace fault_test {

// Makes writes fail from some byte on.
class Obstacle {
 public:
  virtual ~Obstacle() = default;
  virtual std::string folder() const = 0;
  // After this, about `bytes` of a new file can be written and no more.
  virtual void raise(int64_t bytes) = 0;
  virtual void lower() = 0;
  virtual std::initializer_list<int> classes() const = 0;
};

class SizeLimit final : public Obstacle {
 public:
  explicit SizeLimit(bool ignore) {
    std::signal(SIGXFSZ, ignore ? SIG_IGN : SIG_DFL);
    getrlimit(RLIMIT_FSIZE, &before_);
  }
  std::string folder() const override { return "."; }
  void raise(int64_t bytes) override {
    const rlimit limit{static_cast<rlim_t>(bytes), before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  void lower() override { setrlimit(RLIMIT_FSIZE, &before_); }
  std::initializer_list<int> classes() const override { return classes_; }

 private:
  rlimit before_{};
  static constexpr std::initializer_list<int> classes_{MPI_ERR_IO, MPI_ERR_NO_SPACE};
};

class FullDisk final : public Obstacle {
 public:
  FullDisk(std::string folder, int64_t bytes, int rank)
      : folder_(std::move(folder)), capacity_bytes_(bytes), rank_(rank) {}
  std::string folder() const override { return folder_; }
  void raise(int64_t bytes) override {
    if (rank_ == 0) {
      const int fd = open((folder_ + "/ballast").c_str(), O_CREAT | O_WRONLY, 0644);
      const int code = posix_fallocate(fd, 0, capacity_bytes_ - bytes - 4096);
      close(fd);
      if (code != 0) {
        std::fprintf(stderr, "FAIL cannot fill %s: %s\n", folder_.c_str(), std::strerror(code));
        MPI_Abort(MPI_COMM_WORLD, 2);
      }
    }
  }
  void lower() override {
    if (rank_ == 0) {
      unlink((folder_ + "/ballast").c_str());
    }
  }
  std::initializer_list<int> classes() const override { return classes_; }

 private:
  std::string folder_;
  int64_t capacity_bytes_;
  int rank_;
  static constexpr std::initializer_list<int> classes_{MPI_ERR_NO_SPACE};
};

// As the arguments say; null, and a failure of the session, if they say nothing known.
inline std::unique_ptr<Obstacle> obstacle_of(int argc, char** argv, Session& session) {
  if (argc == 3 && std::strcmp(argv[1], "limit") == 0) {
    return std::make_unique<SizeLimit>(std::strcmp(argv[2], "ignore") == 0);
  }
  if (argc == 4 && std::strcmp(argv[1], "full") == 0) {
    return std::make_unique<FullDisk>(argv[2], std::atoll(argv[3]), session.rank());
  }
  session.expect(false, "arguments: limit default|ignore, or full DIRECTORY BYTES");
  return nullptr;
}

// The whole of a program whose trials meet an obstacle.
template <typename Trials>
int run_trials(int argc, char** argv) {
  Session session(&argc, &argv, 100);
  const auto obstacle = obstacle_of(argc, argv, session);
  if (obstacle) {
    Trials(session, *obstacle).run_all();
  }
  return session.finish();
}

}  // namespace fault_test
