// view_gen.h - draws the file views of all ranks of a case at once.
#pragma once

#include <vector>

#include "reference.h"
#include "rng.h"

namespace random_test {

struct ViewLimits {
  int ranks = 1;
  std::string datarep = "native";
  bool same_on_all = false;  // as shared file pointers demand
  bool allow_empty = true;   // some rank's filetype may have no bytes
  bool pairs = true;         // the etype may be a predefined pair
};

struct ViewSet {
  std::vector<View> views;  // one per rank, all types committed
  bool same = false;        // the same on all ranks: shared file pointers may be used
};

ViewSet random_views(Rng& rng, const ViewLimits& limits);

// The view that MPI_File_open leaves behind, on all ranks.
ViewSet default_views(int ranks);

}  // namespace random_test
