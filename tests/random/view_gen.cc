#include "view_gen.h"

#include <algorithm>

#include "type_gen.h"

namespace random_test {

namespace {

// Deals `slots` places of a tile to the ranks; -1 is a hole. Every rank's places are disjoint.
std::vector<int> deal_slots(Rng& rng, const ViewLimits& limits, int slots) {
  std::vector<int> owner(static_cast<size_t>(slots), -1);
  const int hole_percent = rng.pick({0, 0, 10, 40});
  const int block = rng.int_range(1, 5);
  const bool scattered = rng.chance(40);
  for (int i = 0; i < slots; ++i) {
    const int turn = (i / block) % limits.ranks;
    owner[static_cast<size_t>(i)] =
        rng.chance(hole_percent) ? -1
                                 : (scattered ? static_cast<int>(rng.below(limits.ranks)) : turn);
  }
  if (!limits.allow_empty || rng.chance(70)) {
    for (int r = 0; r < limits.ranks; ++r) {
      owner[static_cast<size_t>(r)] = r;
    }
  }
  return owner;
}

// The slots of `rank`, neighbours merged into blocks if `merge`.
Blocks slots_of(const std::vector<int>& owner, int rank, bool merge) {
  Blocks blocks;
  for (size_t i = 0; i < owner.size(); ++i) {
    if (owner[i] != rank) {
      continue;
    }
    const auto at = static_cast<int64_t>(i);
    if (merge && !blocks.lengths.empty() &&
        blocks.displacements.back() + blocks.lengths.back() == at) {
      ++blocks.lengths.back();
    } else {
      blocks.lengths.push_back(1);
      blocks.displacements.push_back(at);
    }
  }
  return blocks;
}

TypePtr slot_type(Rng& rng, const TypePtr& etype, const std::vector<int>& owner, int rank) {
  const int64_t form = rng.below(5);
  Blocks blocks = slots_of(owner, rank, form < 3);
  const Blocks in_slots = blocks;
  for (int64_t& displacement : blocks.displacements) {
    displacement *= etype->extent;
  }
  TypePtr type;
  switch (form) {
    case 0: type = build_indexed(etype, in_slots); break;
    case 1: type = build_hindexed(etype, blocks); break;
    case 2: type = build_struct(std::vector<TypePtr>(blocks.lengths.size(), etype), blocks); break;
    case 3: type = build_indexed_block(etype, in_slots); break;
    default: type = build_hindexed_block(etype, blocks); break;
  }
  return build_resized(type, 0, static_cast<int64_t>(owner.size()) * etype->extent);
}

std::vector<TypePtr> interleaved_types(Rng& rng, const ViewLimits& limits, const TypePtr& etype) {
  const std::vector<int> owner =
      deal_slots(rng, limits, rng.int_range(limits.ranks, limits.ranks + 40));
  std::vector<TypePtr> types;
  for (int r = 0; r < limits.ranks; ++r) {
    types.push_back(slot_type(rng, etype, owner, r));
  }
  return types;
}

std::vector<TypePtr> darray_types(Rng& rng, const ViewLimits& limits, const TypePtr& etype) {
  Darray shape;
  shape.ranks = limits.ranks;
  shape.order = rng.pick({MPI_ORDER_C, MPI_ORDER_FORTRAN});
  const int dimensions = rng.int_range(1, 3);
  shape.processes.assign(static_cast<size_t>(dimensions), 0);
  MPI_Dims_create(limits.ranks, dimensions, shape.processes.data());
  for (int processes : shape.processes) {
    const int slack = limits.allow_empty && rng.chance(20) ? 0 : 6 - dimensions;
    shape.sizes.push_back(processes * rng.int_range(1, 2) + rng.int_range(0, slack));
    const bool alone = processes == 1 && rng.chance(50);
    shape.distributions.push_back(alone ? MPI_DISTRIBUTE_NONE
                                        : rng.pick({MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC}));
    const bool cyclic = shape.distributions.back() == MPI_DISTRIBUTE_CYCLIC;
    shape.arguments.push_back(cyclic && limits.allow_empty && rng.chance(40)
                                  ? rng.int_range(1, 3)
                                  : MPI_DISTRIBUTE_DFLT_DARG);
  }
  std::vector<TypePtr> types;
  for (int r = 0; r < limits.ranks; ++r) {
    shape.rank = r;
    types.push_back(build_darray(etype, shape));
  }
  return types;
}

// A two-dimensional array cut into one band per rank along one of its sides.
std::vector<TypePtr> subarray_types(Rng& rng, const ViewLimits& limits, const TypePtr& etype) {
  Subarray shape;
  shape.order = rng.pick({MPI_ORDER_C, MPI_ORDER_FORTRAN});
  const size_t cut = static_cast<size_t>(rng.below(2));
  const int band = rng.int_range(1, 3);
  shape.sizes = {rng.int_range(1, 6), rng.int_range(1, 6)};
  shape.sizes[cut] = band * limits.ranks + rng.int_range(0, 3);
  shape.subsizes = shape.sizes;
  shape.subsizes[cut] = band;
  shape.starts = {0, 0};
  std::vector<TypePtr> types;
  for (int r = 0; r < limits.ranks; ++r) {
    shape.starts[cut] = r * band;
    types.push_back(build_subarray(etype, shape));
  }
  return types;
}

std::vector<TypePtr> unrelated_types(Rng& rng, const ViewLimits& limits, const TypePtr& etype) {
  std::vector<TypePtr> types;
  for (int r = 0; r < limits.ranks; ++r) {
    types.push_back(random_monotone_type(rng, etype, 40));
  }
  return types;
}

std::vector<TypePtr> per_rank_types(Rng& rng, const ViewLimits& limits, const TypePtr& etype) {
  switch (rng.below(6)) {
    case 0: return darray_types(rng, limits, etype);
    case 1: return subarray_types(rng, limits, etype);
    case 2: return unrelated_types(rng, limits, etype);
    default: return interleaved_types(rng, limits, etype);
  }
}

bool darray_breaks(const std::vector<TypePtr>& types, bool allow_empty) {
  return std::any_of(types.begin(), types.end(), [&](const TypePtr& type) {
    return type->extent <= 0 || (!allow_empty && type->size == 0);
  });
}

}  // namespace

ViewSet default_views(int ranks) {
  ViewSet set;
  set.same = true;
  const TypePtr byte = make_byte();
  set.views.assign(static_cast<size_t>(ranks), make_view(0, byte, byte, "native"));
  return set;
}

ViewSet random_views(Rng& rng, const ViewLimits& limits) {
  ViewSet set;
  set.same = limits.same_on_all || rng.chance(35);
  const TypePtr etype = random_etype(rng, limits.datarep == "external32", limits.pairs);
  std::vector<TypePtr> types;
  if (set.same) {
    const bool plain = rng.chance(30);
    types.assign(static_cast<size_t>(limits.ranks),
                 plain ? etype : random_monotone_type(rng, etype, 40));
  } else {
    types = per_rank_types(rng, limits, etype);
    if (darray_breaks(types, limits.allow_empty)) {
      types =
          interleaved_types(rng, {limits.ranks, limits.datarep, false, false, limits.pairs}, etype);
    }
  }
  const bool apart = !set.same && rng.chance(20);  // displacements differ between ranks
  const int64_t base = rng.chance(40) ? 0 : rng.range(0, 200);
  for (int r = 0; r < limits.ranks; ++r) {
    const TypePtr& type = types[static_cast<size_t>(r)];
    commit(*type);
    const int64_t disp = apart ? base + r * rng.range(0, 500) : base;
    set.views.push_back(make_view(disp, etype, type, limits.datarep));
  }
  return set;
}

}  // namespace random_test
