#include "datatype/decode_cache.h"

#include <memory>
#include <mutex>

namespace longshore {
namespace {

// Also held by MPI while a type is being freed, so it must not lock anything.
extern "C" int longshore_delete_decoded(MPI_Datatype, int, void* value, void*) {
  delete static_cast<DecodedType*>(value);
  return MPI_SUCCESS;
}

// Guards the time between getting an attribute and having copied it, against another thread that
// stores on the same handle and thereby frees it.
std::mutex& cache_mutex() {
  static std::mutex mutex;
  return mutex;
}

// MPI_KEYVAL_INVALID if MPI refused. The keyval lives as long as MPI.
int keyval() {
  static const int key = [] {
    int made = MPI_KEYVAL_INVALID;
    const int rc =
        PMPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, longshore_delete_decoded, &made, nullptr);
    return rc == MPI_SUCCESS ? made : MPI_KEYVAL_INVALID;
  }();
  return key;
}

const DecodedType* stored(MPI_Datatype type) {
  void* value = nullptr;
  int found = 0;
  if (keyval() == MPI_KEYVAL_INVALID ||
      PMPI_Type_get_attr(type, keyval(), static_cast<void*>(&value), &found) != MPI_SUCCESS) {
    return nullptr;
  }
  return found != 0 ? static_cast<const DecodedType*>(value) : nullptr;
}

}  // namespace

std::optional<DecodedType> find_decoded(MPI_Datatype type) {
  const std::lock_guard lock(cache_mutex());
  const DecodedType* decoded = stored(type);
  return decoded != nullptr ? std::optional(*decoded) : std::nullopt;
}

void store_decoded(MPI_Datatype type, const DecodedType& decoded) {
  const std::lock_guard lock(cache_mutex());
  if (keyval() == MPI_KEYVAL_INVALID || stored(type) != nullptr) {
    return;
  }
  auto copy = std::make_unique<DecodedType>(decoded);
  if (PMPI_Type_set_attr(type, keyval(), copy.get()) == MPI_SUCCESS) {
    (void)copy.release();
  }
}

}  // namespace longshore
