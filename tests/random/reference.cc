#include "reference.h"

#include <algorithm>

namespace random_test {

int64_t View::end_etype(int64_t file_bytes) const {
  const int64_t etypes_per_tile = filetype->size / etype_bytes();
  int64_t at = 0;
  const int64_t whole_tiles = (file_bytes - disp_bytes) / filetype->extent - 1;
  if (whole_tiles > 0) {
    at = whole_tiles * etypes_per_tile;
    while (at > 0 && position((at - 1) * etype_bytes()) >= file_bytes) {
      --at;
    }
  }
  while (position(at * etype_bytes()) < file_bytes) {
    ++at;
  }
  return at;
}

View make_view(int64_t disp_bytes, TypePtr etype, TypePtr filetype, std::string datarep) {
  View view;
  view.disp_bytes = disp_bytes;
  view.etype = std::move(etype);
  view.filetype = std::move(filetype);
  view.datarep = std::move(datarep);
  for (const Leaf& leaf : view.filetype->map) {
    for (int64_t b = 0; b < leaf.bytes; ++b) {
      view.tile.push_back(leaf.disp + b);
    }
  }
  return view;
}

void ReferenceFile::assign(std::vector<uint8_t> bytes) {
  bytes_ = std::move(bytes);
  known_.assign(bytes_.size(), true);
}

void ReferenceFile::resize(int64_t size_bytes) {
  bytes_.resize(static_cast<size_t>(size_bytes), 0);
  known_.resize(bytes_.size(), false);
}

void ReferenceFile::put(int64_t position, uint8_t value) {
  if (position >= size()) {
    resize(position + 1);
  }
  bytes_[static_cast<size_t>(position)] = value;
  known_[static_cast<size_t>(position)] = true;
}

bool Claims::admits(const std::vector<int64_t>& positions, int rank, bool write,
                    bool in_flight) const {
  const auto mine = static_cast<uint8_t>(1 << rank);
  const auto others = static_cast<uint8_t>(~mine);
  for (int64_t position : positions) {
    if (position >= static_cast<int64_t>(cells_.size())) {
      continue;
    }
    const Cell& cell = cells_[static_cast<size_t>(position)];
    const int touched = cell.writers | (write ? cell.readers : 0);
    const int flying = cell.flying_writers | (write ? cell.flying_readers : 0);
    if ((touched & others) != 0 || (flying & mine) != 0 || (in_flight && (touched & mine) != 0)) {
      return false;
    }
  }
  return true;
}

void Claims::note(const std::vector<int64_t>& positions, int rank, bool write, bool in_flight) {
  const auto mine = static_cast<uint8_t>(1 << rank);
  for (int64_t position : positions) {
    if (position >= static_cast<int64_t>(cells_.size())) {
      cells_.resize(static_cast<size_t>(position) + 1);
    }
    Cell& cell = cells_[static_cast<size_t>(position)];
    (write ? cell.writers : cell.readers) |= mine;
    if (in_flight) {
      (write ? cell.flying_writers : cell.flying_readers) |= mine;
    }
  }
}

}  // namespace random_test
