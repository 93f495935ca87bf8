#include "check/pieces.h"

#include <algorithm>
#include <array>

namespace longshore::check {
namespace {

// Places of one operation's pieces in its tile; the file is tile after tile.
struct Tile {
  int64_t start = 0;  // of the first tile
  int64_t extent = 0;
  std::vector<Segment> pieces;  // `file` counts from the tile's start
};

int64_t piece_bytes(const Place& place) { return place.bytes / kPieces; }

Tile strided(const Place& place, int64_t first, int64_t stride) {
  const int64_t length = piece_bytes(place);
  Tile tile;
  tile.extent = stride * kPieces;
  for (int64_t at = 0; at < place.bytes; at += length) {
    tile.pieces.push_back({at, first + at / length * stride, length});
  }
  return tile;
}

Tile elsewhere(const Place& place) {
  const int64_t small = piece_bytes(place);
  const int64_t next = (place.rank + 1) % place.ranks;
  const Segment own = {0, place.rank * place.bytes, small};
  const Segment most = {0, next * place.bytes + small, place.bytes - small};
  Tile tile;
  tile.extent = place.ranks * place.bytes;
  tile.pieces = {own, most};
  std::sort(tile.pieces.begin(), tile.pieces.end(),
            [](const Segment& x, const Segment& y) { return x.file < y.file; });
  tile.pieces[1].memory = tile.pieces[0].length;
  return tile;
}

Tile tile_of(Layout layout, const Place& place) {
  switch (layout) {
    case Layout::kInterleaved:
      return strided(place, place.rank * piece_bytes(place), place.ranks * piece_bytes(place));
    case Layout::kSparse: {
      auto tile = strided(place, 0, kSparseFactor * piece_bytes(place));
      tile.start = place.rank * place.calls * tile.extent;
      return tile;
    }
    case Layout::kElsewhere: return elsewhere(place);
    default: return {place.rank * place.own_bytes(), place.bytes, {{0, 0, place.bytes}}};
  }
}

struct View {
  int64_t displacement = 0;
  int64_t extent = 0;
  MPI_Datatype pieces = MPI_DATATYPE_NULL;
};

View strided_view(const Place& place, int64_t displacement, int64_t stride) {
  View view{displacement, stride * kPieces, MPI_DATATYPE_NULL};
  MPI_Type_create_hvector(kPieces, static_cast<int>(place.bytes / kPieces),
                          static_cast<MPI_Aint>(stride), MPI_BYTE, &view.pieces);
  return view;
}

View elsewhere_view(const Place& place) {
  const int small = static_cast<int>(place.bytes / kPieces);
  const int most = static_cast<int>(place.bytes) - small;
  const bool last = place.rank == place.ranks - 1 && place.ranks > 1;
  const MPI_Aint own = static_cast<MPI_Aint>(place.rank * place.bytes);
  const MPI_Aint next = static_cast<MPI_Aint>((last              ? 0
                                               : place.ranks > 1 ? place.rank + 1
                                                                 : 0) *
                                                  place.bytes +
                                              small);
  const std::array<int, 2> lengths = {last ? most : small, last ? small : most};
  const std::array<MPI_Aint, 2> offsets = {last ? next : own, last ? own : next};
  View view{0, place.ranks * place.bytes, MPI_DATATYPE_NULL};
  MPI_Type_create_hindexed(2, lengths.data(), offsets.data(), MPI_BYTE, &view.pieces);
  return view;
}

View view_of(Layout layout, const Place& place) {
  const int64_t piece = place.bytes / kPieces;
  switch (layout) {
    case Layout::kInterleaved: return strided_view(place, place.rank * piece, place.ranks * piece);
    case Layout::kSparse:
      return strided_view(place, place.rank * place.own_bytes() * kSparseFactor,
                          piece * kSparseFactor);
    case Layout::kElsewhere: return elsewhere_view(place);
    default: {
      View view{place.rank * place.own_bytes(), place.bytes, MPI_DATATYPE_NULL};
      MPI_Type_contiguous(static_cast<int>(place.bytes), MPI_BYTE, &view.pieces);
      return view;
    }
  }
}

}  // namespace

std::vector<Segment> layout_segments(Layout layout, const Place& place) {
  const auto tile = tile_of(layout, place);
  std::vector<Segment> all;
  for (int call = 0; call < place.calls; ++call) {
    for (const auto& piece : tile.pieces) {
      all.push_back({call * place.bytes + piece.memory,
                     tile.start + call * tile.extent + piece.file, piece.length});
    }
  }
  return all;
}

int set_layout_view(Layout layout, const Trial& trial) {
  auto view = view_of(layout, trial.place);
  MPI_Datatype tiled = MPI_DATATYPE_NULL;
  MPI_Type_create_resized(view.pieces, 0, static_cast<MPI_Aint>(view.extent), &tiled);
  MPI_Type_commit(&tiled);
  char native[] = "native";
  const int code =
      MPI_File_set_view(trial.file, view.displacement, MPI_BYTE, tiled, native, MPI_INFO_NULL);
  MPI_Type_free(&tiled);
  MPI_Type_free(&view.pieces);
  return code;
}

}  // namespace longshore::check
