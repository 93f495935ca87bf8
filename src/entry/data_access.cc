// The data access routines: every one of them is one call down with an Operation.
#include <mpi.h>

#include "entry/alias.h"
#include "entry/transfer.h"

namespace longshore {
namespace {

// Writing routines take const memory and only read it.
void* plain(const void* buffer) { return const_cast<void*>(buffer); }

constexpr Operation kReadAt{IoKind::kRead, Pointer::kExplicit, false};
constexpr Operation kWriteAt{IoKind::kWrite, Pointer::kExplicit, false};
constexpr Operation kReadAtAll{IoKind::kRead, Pointer::kExplicit, true};
constexpr Operation kWriteAtAll{IoKind::kWrite, Pointer::kExplicit, true};
constexpr Operation kRead{IoKind::kRead, Pointer::kIndividual, false};
constexpr Operation kWrite{IoKind::kWrite, Pointer::kIndividual, false};
constexpr Operation kReadAll{IoKind::kRead, Pointer::kIndividual, true};
constexpr Operation kWriteAll{IoKind::kWrite, Pointer::kIndividual, true};
constexpr Operation kReadShared{IoKind::kRead, Pointer::kShared, false};
constexpr Operation kWriteShared{IoKind::kWrite, Pointer::kShared, false};
constexpr Operation kReadOrdered{IoKind::kRead, Pointer::kShared, true};
constexpr Operation kWriteOrdered{IoKind::kWrite, Pointer::kShared, true};

}  // namespace
}  // namespace longshore

// NOLINTBEGIN(bugprone-macro-parentheses): `Memory` is a type.
// name: what follows MPI_File_; Memory: void or const void; Count: int, or MPI_Count for _c.
#define LONGSHORE_AT(name, operation, Memory, Count)                                        \
  extern "C" int PMPI_File_##name(MPI_File fh, MPI_Offset offset, Memory* buf, Count count, \
                                  MPI_Datatype datatype, MPI_Status* status) {              \
    using namespace longshore;                                                              \
    return blocking(fh, {operation, offset, plain(buf), count, datatype}, status);          \
  }                                                                                         \
  LONGSHORE_ALIAS(MPI_File_##name);

#define LONGSHORE_AT_NONBLOCKING(name, operation, Memory, Count)                            \
  extern "C" int PMPI_File_##name(MPI_File fh, MPI_Offset offset, Memory* buf, Count count, \
                                  MPI_Datatype datatype, MPI_Request* request) {            \
    using namespace longshore;                                                              \
    return nonblocking(fh, {operation, offset, plain(buf), count, datatype}, request);      \
  }                                                                                         \
  LONGSHORE_ALIAS(MPI_File_##name);

#define LONGSHORE_AT_BEGIN(name, operation, Memory, Count)                                  \
  extern "C" int PMPI_File_##name(MPI_File fh, MPI_Offset offset, Memory* buf, Count count, \
                                  MPI_Datatype datatype) {                                  \
    using namespace longshore;                                                              \
    return split_begin(fh, {operation, offset, plain(buf), count, datatype});               \
  }                                                                                         \
  LONGSHORE_ALIAS(MPI_File_##name);

#define LONGSHORE_POINTER(name, operation, Memory, Count)                                       \
  extern "C" int PMPI_File_##name(MPI_File fh, Memory* buf, Count count, MPI_Datatype datatype, \
                                  MPI_Status* status) {                                         \
    using namespace longshore;                                                                  \
    return blocking(fh, {operation, 0, plain(buf), count, datatype}, status);                   \
  }                                                                                             \
  LONGSHORE_ALIAS(MPI_File_##name);

#define LONGSHORE_POINTER_NONBLOCKING(name, operation, Memory, Count)                           \
  extern "C" int PMPI_File_##name(MPI_File fh, Memory* buf, Count count, MPI_Datatype datatype, \
                                  MPI_Request* request) {                                       \
    using namespace longshore;                                                                  \
    return nonblocking(fh, {operation, 0, plain(buf), count, datatype}, request);               \
  }                                                                                             \
  LONGSHORE_ALIAS(MPI_File_##name);

#define LONGSHORE_POINTER_BEGIN(name, operation, Memory, Count)                                   \
  extern "C" int PMPI_File_##name(MPI_File fh, Memory* buf, Count count, MPI_Datatype datatype) { \
    using namespace longshore;                                                                    \
    return split_begin(fh, {operation, 0, plain(buf), count, datatype});                          \
  }                                                                                               \
  LONGSHORE_ALIAS(MPI_File_##name);

#define LONGSHORE_END(name, operation, Memory)                                \
  extern "C" int PMPI_File_##name(MPI_File fh, Memory*, MPI_Status* status) { \
    return longshore::split_end(fh, longshore::operation, status);            \
  }                                                                           \
  LONGSHORE_ALIAS(MPI_File_##name);

// Each routine that has a count, in the two forms of reading and writing; suffix is empty or _c.
#define LONGSHORE_ALL_ROUTINES(suffix, Count)                                           \
  LONGSHORE_AT(read_at##suffix, kReadAt, void, Count)                                   \
  LONGSHORE_AT(write_at##suffix, kWriteAt, const void, Count)                           \
  LONGSHORE_AT(read_at_all##suffix, kReadAtAll, void, Count)                            \
  LONGSHORE_AT(write_at_all##suffix, kWriteAtAll, const void, Count)                    \
  LONGSHORE_AT_NONBLOCKING(iread_at##suffix, kReadAt, void, Count)                      \
  LONGSHORE_AT_NONBLOCKING(iwrite_at##suffix, kWriteAt, const void, Count)              \
  LONGSHORE_AT_NONBLOCKING(iread_at_all##suffix, kReadAtAll, void, Count)               \
  LONGSHORE_AT_NONBLOCKING(iwrite_at_all##suffix, kWriteAtAll, const void, Count)       \
  LONGSHORE_AT_BEGIN(read_at_all_begin##suffix, kReadAtAll, void, Count)                \
  LONGSHORE_AT_BEGIN(write_at_all_begin##suffix, kWriteAtAll, const void, Count)        \
  LONGSHORE_POINTER(read##suffix, kRead, void, Count)                                   \
  LONGSHORE_POINTER(write##suffix, kWrite, const void, Count)                           \
  LONGSHORE_POINTER(read_all##suffix, kReadAll, void, Count)                            \
  LONGSHORE_POINTER(write_all##suffix, kWriteAll, const void, Count)                    \
  LONGSHORE_POINTER_NONBLOCKING(iread##suffix, kRead, void, Count)                      \
  LONGSHORE_POINTER_NONBLOCKING(iwrite##suffix, kWrite, const void, Count)              \
  LONGSHORE_POINTER_NONBLOCKING(iread_all##suffix, kReadAll, void, Count)               \
  LONGSHORE_POINTER_NONBLOCKING(iwrite_all##suffix, kWriteAll, const void, Count)       \
  LONGSHORE_POINTER_BEGIN(read_all_begin##suffix, kReadAll, void, Count)                \
  LONGSHORE_POINTER_BEGIN(write_all_begin##suffix, kWriteAll, const void, Count)        \
  LONGSHORE_POINTER(read_shared##suffix, kReadShared, void, Count)                      \
  LONGSHORE_POINTER(write_shared##suffix, kWriteShared, const void, Count)              \
  LONGSHORE_POINTER_NONBLOCKING(iread_shared##suffix, kReadShared, void, Count)         \
  LONGSHORE_POINTER_NONBLOCKING(iwrite_shared##suffix, kWriteShared, const void, Count) \
  LONGSHORE_POINTER(read_ordered##suffix, kReadOrdered, void, Count)                    \
  LONGSHORE_POINTER(write_ordered##suffix, kWriteOrdered, const void, Count)            \
  LONGSHORE_POINTER_BEGIN(read_ordered_begin##suffix, kReadOrdered, void, Count)        \
  LONGSHORE_POINTER_BEGIN(write_ordered_begin##suffix, kWriteOrdered, const void, Count)
// NOLINTEND(bugprone-macro-parentheses)

LONGSHORE_ALL_ROUTINES(, int)
#if MPI_VERSION >= 4
LONGSHORE_ALL_ROUTINES(_c, MPI_Count)
#endif

LONGSHORE_END(read_at_all_end, kReadAtAll, void)
LONGSHORE_END(write_at_all_end, kWriteAtAll, const void)
LONGSHORE_END(read_all_end, kReadAll, void)
LONGSHORE_END(write_all_end, kWriteAll, const void)
LONGSHORE_END(read_ordered_end, kReadOrdered, void)
LONGSHORE_END(write_ordered_end, kWriteOrdered, const void)
