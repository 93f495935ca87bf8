// storage/forwarding.h - a storage that hands every call to another one.
// Base of wrappers, so that each overrides only what it changes.
#pragma once
#include <memory>
#include <string>
#include <utility>

#include "storage/storage.h"

namespace longshore {

class ForwardingStorage : public Storage {
 public:
  // REQUIRES: inner is not null.
  explicit ForwardingStorage(std::unique_ptr<Storage> inner) : inner_(std::move(inner)) {}

  Outcome transfer(IoKind kind, std::span<const IoPiece> pieces) override {
    return inner_->transfer(kind, pieces);
  }
  std::unique_ptr<PendingIo> start(IoKind kind, std::span<const IoPiece> pieces) override {
    return inner_->start(kind, pieces);
  }
  [[nodiscard]] Result<int64_t> size() override { return inner_->size(); }
  [[nodiscard]] Status resize(int64_t size_bytes) override { return inner_->resize(size_bytes); }
  [[nodiscard]] Status allocate(int64_t size_bytes) override {
    return inner_->allocate(size_bytes);
  }
  [[nodiscard]] Status sync() override { return inner_->sync(); }
  [[nodiscard]] Status lock(Extent range, bool exclusive) override {
    return inner_->lock(range, exclusive);
  }
  void unlock(Extent range) override { inner_->unlock(range); }
  void will_need(Extent range) override { inner_->will_need(range); }
  void done_with(Extent range) override { inner_->done_with(range); }
  [[nodiscard]] bool cached(int64_t offset) override { return inner_->cached(offset); }
  [[nodiscard]] Status close() override { return inner_->close(); }
  [[nodiscard]] int64_t block_bytes() const override { return inner_->block_bytes(); }
  [[nodiscard]] std::string backend() const override { return inner_->backend(); }
  [[nodiscard]] Result<std::string> attribute(const std::string& name) override {
    return inner_->attribute(name);
  }
  [[nodiscard]] Status set_attribute(const std::string& name, const std::string& value) override {
    return inner_->set_attribute(name, value);
  }
  [[nodiscard]] Result<int64_t> device_of(int64_t offset) override {
    return inner_->device_of(offset);
  }
  [[nodiscard]] bool can_ship_data() const override { return inner_->can_ship_data(); }
  [[nodiscard]] Status start_data_shipping(const DataShipping& terms) override {
    return inner_->start_data_shipping(terms);
  }
  [[nodiscard]] Status stop_data_shipping() override { return inner_->stop_data_shipping(); }

 protected:
  [[nodiscard]] Storage& inner() { return *inner_; }
  [[nodiscard]] const Storage& inner() const { return *inner_; }

 private:
  std::unique_ptr<Storage> inner_;
};

}  // namespace longshore
