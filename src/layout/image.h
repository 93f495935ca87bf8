// layout/image.h - binary structures as the kernel lays them out, read and written byte by byte.
//
// Nothing is read past the end: a field that is not all there is zero, and ok() is false from then
// on. Numbers are in the machine's own byte order, as ioctls have them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace longshore {

class ImageReader {
 public:
  explicit ImageReader(std::span<const std::byte> image) : image_(image) {}

  template <typename Number>
  [[nodiscard]] Number at(size_t offset) {
    Number value{};
    if (offset > image_.size() || image_.size() - offset < sizeof(Number)) {
      ok_ = false;
      return value;
    }
    std::memcpy(&value, image_.data() + offset, sizeof(Number));
    return value;
  }
  [[nodiscard]] bool ok() const { return ok_; }
  // The bytes of a part; empty, and not ok(), if it is not all there.
  [[nodiscard]] std::span<const std::byte> part(size_t offset, size_t bytes) {
    if (offset > image_.size() || image_.size() - offset < bytes) {
      ok_ = false;
      return {};
    }
    return image_.subspan(offset, bytes);
  }

 private:
  std::span<const std::byte> image_;
  bool ok_ = true;
};

// REQUIRES: the field lies in the image.
template <typename Number>
void put(std::span<std::byte> image, size_t offset, Number value) {
  std::memcpy(image.subspan(offset, sizeof(Number)).data(), &value, sizeof(Number));
}

}  // namespace longshore
