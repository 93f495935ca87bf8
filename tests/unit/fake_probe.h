// File systems that are not at hand: a file answers with what a test laid out for it, and notes
// what it was told.
#pragma once
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "layout/probe.h"

namespace longshore::testing_support {

using Image = std::vector<std::byte>;

// Bytes written out by hand.
inline Image bytes(std::initializer_list<int> values) {
  Image image;
  for (const int value : values) {
    image.push_back(static_cast<std::byte>(value));
  }
  return image;
}

inline Image operator+(Image left, const Image& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

// What a file says and has heard; shared by all who open it.
struct FakeFile {
  std::map<unsigned long, std::function<Status(std::span<std::byte>)>> controls;
  std::map<std::string, std::string> attributes;
  std::function<Result<int32_t>(int64_t)> devices;  // null: as the interface does it
  std::vector<std::pair<unsigned long, Image>> told;
  std::vector<std::pair<std::string, std::string>> set;
  int set_errno = 0;
  bool there = true;
  int created_with = 0;

  // Answers a request with these bytes.
  void answer(unsigned long request, const Image& image) {
    controls[request] = [image](std::span<std::byte> argument) -> Status {
      std::memcpy(argument.data(), image.data(), std::min(image.size(), argument.size()));
      return {};
    };
  }
};

class FakeProbedFile : public ProbedFile {
 public:
  explicit FakeProbedFile(std::shared_ptr<FakeFile> file) : file_(std::move(file)) {}

  Status control(unsigned long request, std::span<std::byte> argument) override {
    file_->told.emplace_back(request, Image(argument.begin(), argument.end()));
    const auto found = file_->controls.find(request);
    return found == file_->controls.end() ? Status(fail_errno(ENOTTY, "ioctl"))
                                          : found->second(argument);
  }
  Result<std::string> attribute(const std::string& name) override {
    const auto found = file_->attributes.find(name);
    if (found == file_->attributes.end()) {
      return fail_errno(ENODATA, name);
    }
    return found->second;
  }
  Status set_attribute(const std::string& name, const std::string& value) override {
    if (file_->set_errno != 0) {
      return fail_errno(file_->set_errno, name);
    }
    file_->set.emplace_back(name, value);
    return {};
  }
  Result<int32_t> device_at(int64_t offset) override {
    return file_->devices ? file_->devices(offset) : ProbedFile::device_at(offset);
  }

 private:
  std::shared_ptr<FakeFile> file_;
};

// One file system with a folder "/d" and a file "/d/f".
class FakeProbe : public Probe {
 public:
  FileSystemFacts facts;
  std::shared_ptr<FakeFile> folder = std::make_shared<FakeFile>();
  std::shared_ptr<FakeFile> file = std::make_shared<FakeFile>();

  Result<FileSystemFacts> file_system(const std::string& path) override {
    return find(path)->there ? Result<FileSystemFacts>(facts) : fail_errno(ENOENT, path);
  }
  Result<std::unique_ptr<ProbedFile>> open(const std::string& path) override {
    if (!find(path)->there) {
      return fail_errno(ENOENT, path);
    }
    return std::make_unique<FakeProbedFile>(find(path));
  }
  Result<std::unique_ptr<ProbedFile>> create(const std::string& path, int extra_flags,
                                             int) override {
    if (find(path)->there) {
      return fail_errno(EEXIST, path);
    }
    find(path)->there = true;
    find(path)->created_with = extra_flags;
    return open(path);
  }
  int denied_permissions() override { return 027; }

 private:
  std::shared_ptr<FakeFile> find(const std::string& path) { return path == "/d" ? folder : file; }
};

}  // namespace longshore::testing_support
