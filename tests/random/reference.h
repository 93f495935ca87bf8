// reference.h - the judge: a file is an array of bytes, a view is a list of byte positions.
// Everything here is written one byte at a time and straight from the standard's definitions.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "type_model.h"

namespace random_test {

// What one rank sees of the file after MPI_File_set_view.
struct View {
  int64_t disp_bytes = 0;
  TypePtr etype;
  TypePtr filetype;
  std::string datarep = "native";
  std::vector<int64_t> tile;  // positions of the filetype's data bytes, relative to its origin

  int64_t etype_bytes() const { return etype->size; }
  bool external32() const { return datarep == "external32"; }

  // Position in the file of the view's data byte `index`.  REQUIRES: the filetype has bytes.
  int64_t position(int64_t index) const {
    const auto bytes = static_cast<int64_t>(tile.size());
    return disp_bytes + (index / bytes) * filetype->extent +
           tile[static_cast<size_t>(index % bytes)];
  }

  // The first etype of the view that starts at or after `file_bytes`: where MPI_SEEK_END points.
  int64_t end_etype(int64_t file_bytes) const;
};

// A view of committed types; computes the tile.
View make_view(int64_t disp_bytes, TypePtr etype, TypePtr filetype, std::string datarep);

// The content that the file must have.
class ReferenceFile {
 public:
  int64_t size() const { return static_cast<int64_t>(bytes_.size()); }
  const std::vector<uint8_t>& bytes() const { return bytes_; }
  void assign(std::vector<uint8_t> bytes);

  // True if somebody gave the byte its value; false in a gap that a write past the end left.
  bool known(int64_t position) const { return known_[static_cast<size_t>(position)]; }

  void put(int64_t position, uint8_t value);
  uint8_t get(int64_t position) const { return bytes_[static_cast<size_t>(position)]; }
  void resize(int64_t size_bytes);

 private:
  std::vector<uint8_t> bytes_;
  std::vector<bool> known_;
};

// Watches that the accesses of one phase do not conflict, so that their order cannot matter.
class Claims {
 public:
  // May `rank` access these bytes? `in_flight` says that the access may still run while later
  // accesses of the same rank start.
  bool admits(const std::vector<int64_t>& positions, int rank, bool write, bool in_flight) const;

  // Notes an admitted access.
  void note(const std::vector<int64_t>& positions, int rank, bool write, bool in_flight);

  void clear() { cells_.clear(); }

 private:
  struct Cell {
    uint8_t readers = 0;         // bit per rank
    uint8_t writers = 0;         // bit per rank
    uint8_t flying_readers = 0;  // those that may still be under way
    uint8_t flying_writers = 0;
  };
  std::vector<Cell> cells_;
};

}  // namespace random_test
