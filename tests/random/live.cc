#include "live.h"

#include <algorithm>
#include <cstring>

namespace random_test {

namespace {

constexpr int64_t kGuardBytes = 48;

std::string hex(int value) {
  const char* digits = "0123456789abcdef";
  return {digits[(value >> 4) & 15], digits[value & 15]};
}

}  // namespace

Live::Live(const Op& op, bool external32) : op_(op), order_(memory_order(op, external32)) {
  int64_t low = 0;
  int64_t high = 0;
  if (!order_.empty()) {
    const auto [least, most] = std::minmax_element(order_.begin(), order_.end());
    low = *least;
    high = *most + 1;
  }
  low_ = low - kGuardBytes;
  memory_.resize(static_cast<size_t>(high - low + 2 * kGuardBytes));
  for (size_t i = 0; i < memory_.size(); ++i) {
    memory_[i] = fill_byte(op.fill_seed, low_ + static_cast<int64_t>(i));
  }
  base_ = memory_.data() - low_;
  std::memset(&status_, 0, sizeof status_);
  make_call_arguments();
}

Live::~Live() {
  if (wrapped_) {
    MPI_Type_free(&type_);
  }
}

void Live::make_call_arguments() {
  buffer_ = base_;
  count_ = op_.count;
  type_ = op_.type->handle;
  if (op_.bottom && op_.requested_bytes() > 0) {
    MPI_Aint address = 0;
    MPI_Get_address(base_, &address);
    MPI_Type_create_hindexed(1, &count_, &address, op_.type->handle, &type_);
    MPI_Type_commit(&type_);
    wrapped_ = true;
    buffer_ = MPI_BOTTOM;
    count_ = 1;
  }
}

// The _c forms take counts of any size; only MPI 4 has them.
#if MPI_VERSION >= 4
#define CALL(function, ...) (op_.large_count ? function##_c(__VA_ARGS__) : function(__VA_ARGS__))
#else
#define CALL(function, ...) function(__VA_ARGS__)
#endif

int Live::start(MPI_File file) {
  // The others are in the call anyhow: a pointer that cannot be moved is reported behind it.
  const int sought =
      op_.seek ? MPI_File_seek(file, op_.seek->offset_etypes, op_.seek->whence) : MPI_SUCCESS;
  open_ = op_.how != How::kBlocking;
  const int started = op_.write ? start_write(file) : start_read(file);
  return sought != MPI_SUCCESS ? sought : started;
}

int Live::start_write(MPI_File file) {
  const MPI_Offset at = op_.offset_etypes;
  const bool all = op_.collective;
  switch (op_.how) {
    case How::kBlocking:
      switch (op_.where) {
        case Where::kExplicit:
          return all ? CALL(MPI_File_write_at_all, file, at, buffer_, count_, type_, &status_)
                     : CALL(MPI_File_write_at, file, at, buffer_, count_, type_, &status_);
        case Where::kIndividual:
          return all ? CALL(MPI_File_write_all, file, buffer_, count_, type_, &status_)
                     : CALL(MPI_File_write, file, buffer_, count_, type_, &status_);
        default:
          return all ? CALL(MPI_File_write_ordered, file, buffer_, count_, type_, &status_)
                     : CALL(MPI_File_write_shared, file, buffer_, count_, type_, &status_);
      }
    case How::kNonblocking:
      switch (op_.where) {
        case Where::kExplicit:
          return all ? CALL(MPI_File_iwrite_at_all, file, at, buffer_, count_, type_, &request_)
                     : CALL(MPI_File_iwrite_at, file, at, buffer_, count_, type_, &request_);
        case Where::kIndividual:
          return all ? CALL(MPI_File_iwrite_all, file, buffer_, count_, type_, &request_)
                     : CALL(MPI_File_iwrite, file, buffer_, count_, type_, &request_);
        default: return CALL(MPI_File_iwrite_shared, file, buffer_, count_, type_, &request_);
      }
    default:
      switch (op_.where) {
        case Where::kExplicit:
          return CALL(MPI_File_write_at_all_begin, file, at, buffer_, count_, type_);
        case Where::kIndividual:
          return CALL(MPI_File_write_all_begin, file, buffer_, count_, type_);
        default: return CALL(MPI_File_write_ordered_begin, file, buffer_, count_, type_);
      }
  }
}

int Live::start_read(MPI_File file) {
  const MPI_Offset at = op_.offset_etypes;
  const bool all = op_.collective;
  switch (op_.how) {
    case How::kBlocking:
      switch (op_.where) {
        case Where::kExplicit:
          return all ? CALL(MPI_File_read_at_all, file, at, buffer_, count_, type_, &status_)
                     : CALL(MPI_File_read_at, file, at, buffer_, count_, type_, &status_);
        case Where::kIndividual:
          return all ? CALL(MPI_File_read_all, file, buffer_, count_, type_, &status_)
                     : CALL(MPI_File_read, file, buffer_, count_, type_, &status_);
        default:
          return all ? CALL(MPI_File_read_ordered, file, buffer_, count_, type_, &status_)
                     : CALL(MPI_File_read_shared, file, buffer_, count_, type_, &status_);
      }
    case How::kNonblocking:
      switch (op_.where) {
        case Where::kExplicit:
          return all ? CALL(MPI_File_iread_at_all, file, at, buffer_, count_, type_, &request_)
                     : CALL(MPI_File_iread_at, file, at, buffer_, count_, type_, &request_);
        case Where::kIndividual:
          return all ? CALL(MPI_File_iread_all, file, buffer_, count_, type_, &request_)
                     : CALL(MPI_File_iread, file, buffer_, count_, type_, &request_);
        default: return CALL(MPI_File_iread_shared, file, buffer_, count_, type_, &request_);
      }
    default:
      switch (op_.where) {
        case Where::kExplicit:
          return CALL(MPI_File_read_at_all_begin, file, at, buffer_, count_, type_);
        case Where::kIndividual: return CALL(MPI_File_read_all_begin, file, buffer_, count_, type_);
        default: return CALL(MPI_File_read_ordered_begin, file, buffer_, count_, type_);
      }
  }
}

int Live::finish_split(MPI_File file) {
  switch (op_.where) {
    case Where::kExplicit:
      return op_.write ? MPI_File_write_at_all_end(file, buffer_, &status_)
                       : MPI_File_read_at_all_end(file, buffer_, &status_);
    case Where::kIndividual:
      return op_.write ? MPI_File_write_all_end(file, buffer_, &status_)
                       : MPI_File_read_all_end(file, buffer_, &status_);
    default:
      return op_.write ? MPI_File_write_ordered_end(file, buffer_, &status_)
                       : MPI_File_read_ordered_end(file, buffer_, &status_);
  }
}

int Live::finish(MPI_File file) {
  open_ = false;
  return op_.how == How::kSplit ? finish_split(file) : MPI_Wait(&request_, &status_);
}

void Live::completed(const MPI_Status& status) {
  open_ = false;
  status_ = status;
}

std::string Live::check_status(int64_t bytes) const {
  MPI_Count elements = -1;
  MPI_Get_elements_x(&status_, MPI_BYTE, &elements);
  if (elements != bytes) {
    return "status says " + std::to_string(elements) + " bytes, expected " + std::to_string(bytes);
  }
  int count = -1;
  MPI_Get_count(&status_, op_.type->handle, &count);
  const int64_t size = op_.type->size;
  if (size > 0 && !wrapped_) {
    const int64_t expected = bytes % size == 0 ? bytes / size : MPI_UNDEFINED;
    if (count != expected) {
      return "MPI_Get_count says " + std::to_string(count) + ", expected " +
             std::to_string(expected);
    }
  }
  return {};
}

std::string Live::check(const std::vector<uint8_t>& stream) const {
  std::string wrong = check_status(static_cast<int64_t>(stream.size()));
  if (!wrong.empty()) {
    return wrong;
  }
  std::vector<uint8_t> expected(memory_.size());
  for (size_t i = 0; i < memory_.size(); ++i) {
    expected[i] = fill_byte(op_.fill_seed, low_ + static_cast<int64_t>(i));
  }
  for (size_t k = 0; !op_.write && k < stream.size(); ++k) {
    expected[static_cast<size_t>(order_[k] - low_)] = stream[k];
  }
  const auto differs = std::mismatch(memory_.begin(), memory_.end(), expected.begin());
  if (differs.first == memory_.end()) {
    return {};
  }
  const int64_t at = low_ + (differs.first - memory_.begin());
  const auto hit = std::find(order_.begin(), order_.end(), at);
  std::string text = "buffer byte " + std::to_string(at) + " is " + hex(*differs.first) +
                     ", expected " + hex(*differs.second);
  return text + (hit == order_.end() ? " (not part of the access)"
                                     : " (stream byte " + std::to_string(hit - order_.begin()) +
                                           " of " + std::to_string(order_.size()) + ")");
}

std::vector<uint8_t> Live::received(size_t bytes) const {
  std::vector<uint8_t> stream;
  for (size_t k = 0; k < std::min(bytes, order_.size()); ++k) {
    stream.push_back(memory_[static_cast<size_t>(order_[k] - low_)]);
  }
  return stream;
}

}  // namespace random_test
