#include "independent/access_ranges.h"

namespace longshore {

bool AccessRanges::next(AccessRange& range) {
  if (position_ >= file_.size()) {
    return false;
  }
  const int64_t begin = file_.offset_at(position_);
  const int64_t block_end = (begin / block_bytes_ + 1) * block_bytes_;
  const int64_t next_position = file_.position_of(block_end);
  range.positions = {position_, next_position};
  range.bytes = {begin, file_.offset_at(next_position - 1) + 1};
  position_ = next_position;
  return true;
}

}  // namespace longshore
