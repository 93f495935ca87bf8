#include "mpi/random_type.h"

#include <array>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "datatype/decode_contents.h"

namespace longshore {
namespace {

constexpr int64_t kMaxBytes = 4000;
constexpr int64_t kMaxSpan = 100000;

}  // namespace

// A type as MPI records it: combiner(numbers; types).
std::string describe(MPI_Datatype type) {
  const auto contents = TypeContents::of(type);
  if (!contents) {
    return "?";
  }
  if (TypeContents::is_leaf(contents->combiner())) {
    std::array<char, MPI_MAX_OBJECT_NAME> name{};
    int length = 0;
    MPI_Type_get_name(type, name.data(), &length);
    return std::string(name.data(), static_cast<size_t>(length));
  }
  std::string text = std::to_string(contents->combiner()) + "(";
  for (const int64_t number : contents->numbers()) {
    text += std::to_string(number) + " ";
  }
  for (MPI_Datatype child : contents->types()) {
    text += "; " + describe(child);
  }
  return text + ")";
}

Type TypeSource::any(int depth) {
  if (depth <= 0) {
    return leaf();
  }
  for (int attempts = 0; attempts < 20; ++attempts) {
    Type type = derived(depth);
    const Extent bounds = type.true_bounds();
    if (type.size() <= kMaxBytes && bounds.begin > -kMaxSpan && bounds.end < kMaxSpan &&
        std::abs(type.extent()) < kMaxSpan) {
      return type;
    }
  }
  return leaf();
}

// Not empty: with an empty part inside, Open MPI's MPI_Pack and its extent contradict each other,
// and MPICH's MPI_Pack divides by zero.
Type TypeSource::part(int depth) {
  Type type = any(depth);
  return type.size() > 0 ? std::move(type) : leaf();
}

Type TypeSource::leaf() {
  // MPICH copies the 10 bytes of a long double that bear the value, not all 16 of its size.
  const std::vector<MPI_Datatype> named {
    MPI_CHAR, MPI_BYTE, MPI_SHORT, MPI_INT, MPI_LONG, MPI_FLOAT, MPI_DOUBLE, MPI_INT64_T,
        MPI_C_BOOL, MPI_WCHAR, MPI_C_COMPLEX, MPI_DOUBLE_INT, MPI_SHORT_INT, MPI_FLOAT_INT,
        MPI_LONG_INT, MPI_2INT, MPI_REAL8,
#if !defined(MPICH_VERSION)
        MPI_LONG_DOUBLE, MPI_LONG_DOUBLE_INT,
#endif
  };
  const auto i = static_cast<size_t>(draw(0, named.size() + 2));
  if (i < named.size()) {
    return Type::named(named[i]);
  }
  MPI_Datatype handle = MPI_INT;
  if (i == named.size()) {
    MPI_Type_create_f90_real(15, MPI_UNDEFINED, &handle);
  } else if (i == named.size() + 1) {
    MPI_Type_create_f90_integer(9, &handle);
  } else {
    MPI_Type_create_f90_complex(6, 30, &handle);
  }
  return Type::named(handle);
}

Type TypeSource::derived(int depth) {
  static constexpr std::array kMakers{
      &TypeSource::dup,          &TypeSource::contiguous,    &TypeSource::vector,
      &TypeSource::hvector,      &TypeSource::indexed,       &TypeSource::hindexed,
      &TypeSource::equal_blocks, &TypeSource::hequal_blocks, &TypeSource::resized,
      &TypeSource::subarray,     &TypeSource::darray};
  const auto i = static_cast<size_t>(draw(0, kMakers.size() + 1));
  if (i >= kMakers.size()) {
    return structure(depth);
  }
  const Type child = part(depth - 1);
  // Open MPI refuses arrays of elements that do not move on; MPICH divides by zero in MPI_Pack.
  const bool array = i >= kMakers.size() - 2;
  return array && child.extent() <= 0 ? dup(child) : (this->*kMakers[i])(child);
}

// The large-count constructors of MPI-4 are drawn too where the MPI has them.
#if MPI_VERSION >= 4
#define LARGE(statement) statement
#else
#define LARGE(statement) std::abort()
#endif

Type TypeSource::contiguous(const Type& child) {
  const int count = small(0, 5);
  const bool big = large();
  return made([&](MPI_Datatype* out) {
    if (big) {
      LARGE(MPI_Type_contiguous_c(count, child.get(), out));
    } else {
      MPI_Type_contiguous(count, child.get(), out);
    }
  });
}

Type TypeSource::vector(const Type& child) {
  const auto n = numbers<int>(2, 0, 4);
  const int step = static_cast<int>(stride(-6, 8, child.extent()));
  const bool big = large();
  return made([&](MPI_Datatype* out) {
    if (big) {
      LARGE(MPI_Type_vector_c(n[0], n[1], step, child.get(), out));
    } else {
      MPI_Type_vector(n[0], n[1], step, child.get(), out);
    }
  });
}

Type TypeSource::hvector(const Type& child) {
  const auto n = numbers<int>(2, 0, 4);
  const int64_t step = stride(-300, 300, 1);
  const bool big = large();
  return made([&](MPI_Datatype* out) {
    if (big) {
      LARGE(MPI_Type_create_hvector_c(n[0], n[1], step, child.get(), out));
    } else {
      MPI_Type_create_hvector(n[0], n[1], step, child.get(), out);
    }
  });
}

Type TypeSource::indexed(const Type& child) {
  const auto count = static_cast<size_t>(draw(0, 5));
  const bool big = large();
  const auto lengths = numbers<int>(count, 0, 4);
  const auto places = numbers<int>(count, -8, 12);
  return made([&](MPI_Datatype* out) {
    if (big) {
      LARGE(const std::vector<MPI_Count> l(lengths.begin(), lengths.end()));
      LARGE(const std::vector<MPI_Count> p(places.begin(), places.end()));
      LARGE(MPI_Type_indexed_c(lengths.size(), l.data(), p.data(), child.get(), out));
    } else {
      MPI_Type_indexed(static_cast<int>(count), lengths.data(), places.data(), child.get(), out);
    }
  });
}

Type TypeSource::hindexed(const Type& child) {
  const auto count = static_cast<size_t>(draw(0, 5));
  const bool big = large();
  const auto lengths = numbers<int>(count, 0, 4);
  const auto places = numbers<MPI_Aint>(count, -300, 400);
  return made([&](MPI_Datatype* out) {
    if (big) {
      LARGE(const std::vector<MPI_Count> l(lengths.begin(), lengths.end()));
      LARGE(const std::vector<MPI_Count> p(places.begin(), places.end()));
      LARGE(MPI_Type_create_hindexed_c(lengths.size(), l.data(), p.data(), child.get(), out));
    } else {
      MPI_Type_create_hindexed(static_cast<int>(count), lengths.data(), places.data(), child.get(),
                               out);
    }
  });
}

Type TypeSource::equal_blocks(const Type& child) {
  const auto places = numbers<int>(static_cast<size_t>(draw(0, 5)), -8, 12);
  const int length = small(0, 4);
  const bool big = large();
  return made([&](MPI_Datatype* out) {
    if (big) {
      LARGE(const std::vector<MPI_Count> p(places.begin(), places.end()));
      LARGE(MPI_Type_create_indexed_block_c(p.size(), length, p.data(), child.get(), out));
    } else {
      MPI_Type_create_indexed_block(static_cast<int>(places.size()), length, places.data(),
                                    child.get(), out);
    }
  });
}

Type TypeSource::hequal_blocks(const Type& child) {
  const auto places = numbers<MPI_Aint>(static_cast<size_t>(draw(0, 5)), -300, 400);
  const int length = small(0, 4);
  const bool big = large();
  return made([&](MPI_Datatype* out) {
    if (big) {
      LARGE(const std::vector<MPI_Count> p(places.begin(), places.end()));
      LARGE(MPI_Type_create_hindexed_block_c(p.size(), length, p.data(), child.get(), out));
    } else {
      MPI_Type_create_hindexed_block(static_cast<int>(places.size()), length, places.data(),
                                     child.get(), out);
    }
  });
}

Type TypeSource::resized(const Type& child) {
  const int64_t lower = draw(-50, 50);
  // Not below 0: MPICH's MPI_Pack then contradicts its own extents.
  const int64_t extent = draw(0, 300);
  const bool big = large();
  return made([&](MPI_Datatype* out) {
    if (big) {
      LARGE(MPI_Type_create_resized_c(child.get(), lower, extent, out));
    } else {
      MPI_Type_create_resized(child.get(), lower, extent, out);
    }
  });
}

Type TypeSource::subarray(const Type& child) {
  const auto dims = static_cast<size_t>(draw(1, 4));
  const auto sizes = numbers<int>(dims, 1, 5);
  std::vector<int> subsizes;
  std::vector<int> starts;
  for (const int size : sizes) {
    subsizes.push_back(small(1, size));
    starts.push_back(small(0, size - subsizes.back()));
  }
  const int order = draw(0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  const bool big = large();
  const int n = static_cast<int>(dims);
  return made([&](MPI_Datatype* out) {
    if (big) {
      LARGE(const std::vector<MPI_Count> a(sizes.begin(), sizes.end()));
      LARGE(const std::vector<MPI_Count> b(subsizes.begin(), subsizes.end()));
      LARGE(const std::vector<MPI_Count> c(starts.begin(), starts.end()));
      LARGE(MPI_Type_create_subarray_c(n, a.data(), b.data(), c.data(), order, child.get(), out));
    } else {
      MPI_Type_create_subarray(n, sizes.data(), subsizes.data(), starts.data(), order, child.get(),
                               out);
    }
  });
}

namespace {

struct Darray {
  std::vector<int> sizes;
  std::vector<int> distributions;
  std::vector<int> arguments;
  std::vector<int> grid;
  int order;
  int rank;
  [[nodiscard]] int processes() const {
    return std::accumulate(grid.begin(), grid.end(), 1, std::multiplies<>());
  }
};

MPI_Datatype make_darray(const Darray& d, MPI_Datatype child, bool big) {
  MPI_Datatype out = MPI_DATATYPE_NULL;
  const int dims = static_cast<int>(d.sizes.size());
  if (big) {
#if MPI_VERSION >= 4
    const std::vector<MPI_Count> sizes(d.sizes.begin(), d.sizes.end());
    MPI_Type_create_darray_c(d.processes(), d.rank, dims, sizes.data(), d.distributions.data(),
                             d.arguments.data(), d.grid.data(), d.order, child, &out);
#endif
  } else {
    MPI_Type_create_darray(d.processes(), d.rank, dims, d.sizes.data(), d.distributions.data(),
                           d.arguments.data(), d.grid.data(), d.order, child, &out);
  }
  return out;
}

}  // namespace

Type TypeSource::darray(const Type& child) {
  Darray d;
  for (int64_t i = draw(1, 3); i > 0; --i) {
    const int distribution =
        static_cast<int>(std::array{MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_CYCLIC,
                                    MPI_DISTRIBUTE_NONE}[static_cast<size_t>(draw(0, 2))]);
    const int processes = distribution == MPI_DISTRIBUTE_NONE ? 1 : small(1, 3);
    const int size = small(1, 7);
    // A block distribution must reach the end with its blocks.
    const int least = distribution == MPI_DISTRIBUTE_BLOCK ? (size + processes - 1) / processes : 1;
    const bool standard = draw(0, 2) == 0 || distribution == MPI_DISTRIBUTE_NONE;
    d.sizes.push_back(size);
    d.distributions.push_back(distribution);
    d.arguments.push_back(standard ? MPI_DISTRIBUTE_DFLT_DARG : least + small(0, 2));
    d.grid.push_back(processes);
  }
  d.rank = small(0, d.processes() - 1);
  d.order = draw(0, 1) == 0 ? MPI_ORDER_C : MPI_ORDER_FORTRAN;
  return Type::derived(make_darray(d, child.get(), large()));
}

Type TypeSource::structure(int depth) {
  const auto count = static_cast<size_t>(draw(0, 4));
  std::vector<Type> fields;
  std::vector<MPI_Datatype> types;
  for (size_t i = 0; i < count; ++i) {
    fields.push_back(part(static_cast<int>(draw(0, depth - 1))));
    types.push_back(fields.back().get());
  }
  const auto lengths = numbers<int>(count, 0, 3);
  const auto places = numbers<MPI_Aint>(count, -200, 400);
  const bool big = large();
  return made([&](MPI_Datatype* out) {
    if (big) {
      LARGE(const std::vector<MPI_Count> l(lengths.begin(), lengths.end()));
      LARGE(const std::vector<MPI_Count> p(places.begin(), places.end()));
      LARGE(MPI_Type_create_struct_c(l.size(), l.data(), p.data(), types.data(), out));
    } else {
      MPI_Type_create_struct(static_cast<int>(count), lengths.data(), places.data(), types.data(),
                             out);
    }
  });
}

}  // namespace longshore
