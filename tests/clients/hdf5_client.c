/* Writes or checks an HDF5 file whose contents depend on nothing but this program: not on the
 * number of ranks, nor on the driver. So a file written in parallel can be compared with one
 * written serially, and read back by another number of ranks.
 *
 *   hdf5_client serial FILE    write with HDF5's POSIX driver, one rank
 *   hdf5_client write FILE     write with HDF5's MPI-IO driver
 *   hdf5_client read FILE      read with the MPI-IO driver and check every element
 */
#include <hdf5.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kRows = 61, kColumns = 43, kElements = kRows * kColumns };

typedef enum { kByRows, kByColumns, kInterleaved, kPoints, kRankZeroIdle } Share;

/* One dataset: how it is stored, how its elements are shared among the ranks that write it, and
 * whether they are transferred collectively. */
typedef struct {
  const char* name;
  int chunked, compressed, extended, collective;
  Share share;
} Dataset;

static const Dataset kDatasets[] = {
    {"contiguous_rows", 0, 0, 0, 1, kByRows},
    {"contiguous_rows_independent", 0, 0, 0, 0, kByRows},
    {"contiguous_columns", 0, 0, 0, 1, kByColumns},
    {"contiguous_columns_independent", 0, 0, 0, 0, kByColumns},
    {"contiguous_interleaved", 0, 0, 0, 1, kInterleaved},
    {"contiguous_interleaved_independent", 0, 0, 0, 0, kInterleaved},
    {"contiguous_points", 0, 0, 0, 1, kPoints},
    {"contiguous_rank_zero_idle", 0, 0, 0, 1, kRankZeroIdle},
    {"chunked_rows", 1, 0, 0, 1, kByRows},
    {"chunked_columns", 1, 0, 0, 1, kByColumns},
    {"chunked_columns_independent", 1, 0, 0, 0, kByColumns},
    {"chunked_interleaved", 1, 0, 0, 1, kInterleaved},
    {"chunked_interleaved_independent", 1, 0, 0, 0, kInterleaved},
    {"chunked_points_independent", 1, 0, 0, 0, kPoints},
    {"chunked_extended", 1, 0, 1, 1, kByColumns},
    {"chunked_compressed", 1, 1, 0, 1, kByRows},
};
enum { kDatasetCount = sizeof kDatasets / sizeof kDatasets[0] };

static int rank, ranks, failures;

static void check(int holds, const char* what, const char* name) {
  if (!holds) {
    printf("rank %d FAILED: %s: %s\n", rank, name, what);
    ++failures;
  }
}

static void require(hid_t result, const char* what, const char* name) {
  if (result < 0) {
    printf("rank %d FAILED: %s: %s\n", rank, name, what);
    fflush(stdout);
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
}

static int value_of(int dataset, hsize_t element) { return dataset * 100000 + (int)element; }

/* First of the `total` items of rank `r`; rank r owns [first(r), first(r + 1)). */
static hsize_t first(int r, hsize_t total) { return total * (hsize_t)r / (hsize_t)ranks; }

/* Selects in `space` (kRows x kColumns) what this rank owns under `share`. Returns the number of
 * elements, and their linear indices in file order in `elements`. */
static hsize_t select_share(hid_t space, Share share, hsize_t* elements) {
  hsize_t count = 0;
  hsize_t coordinates[kElements][2];
  hsize_t begin = first(rank, kRows), end = first(rank + 1, kRows);
  hsize_t left = first(rank, kColumns), right = first(rank + 1, kColumns);
  for (hsize_t e = 0; e < kElements; ++e) {
    hsize_t row = e / kColumns, column = e % kColumns;
    int mine = share == kByRows      ? row >= begin && row < end
               : share == kByColumns ? column >= left && column < right
               : share == kRankZeroIdle
                   ? (ranks == 1 || (int)(row % (hsize_t)(ranks - 1)) == rank - 1)
                   : (int)(column % (hsize_t)ranks) == rank;
    if (mine) {
      coordinates[count][0] = row;
      coordinates[count][1] = column;
      elements[count++] = e;
    }
  }
  if (count == 0) {
    H5Sselect_none(space);
  } else if (share == kByRows || share == kByColumns) {
    hsize_t start[2] = {share == kByRows ? begin : 0, share == kByRows ? 0 : left};
    hsize_t extent[2] = {share == kByRows ? end - begin : kRows,
                         share == kByRows ? kColumns : right - left};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, NULL, extent, NULL);
  } else if (share == kInterleaved) {
    hsize_t start[2] = {0, (hsize_t)rank}, stride[2] = {1, (hsize_t)ranks};
    hsize_t blocks[2] = {kRows, count / kRows};
    H5Sselect_hyperslab(space, H5S_SELECT_SET, start, stride, blocks, NULL);
  } else {
    H5Sselect_elements(space, H5S_SELECT_SET, count, &coordinates[0][0]);
  }
  return count;
}

static hid_t creation_properties(const Dataset* dataset) {
  hid_t properties = H5Pcreate(H5P_DATASET_CREATE);
  hsize_t chunk[2] = {7, 11};
  int fill = -1;
  H5Pset_obj_track_times(properties, 0); /* so that files can be compared byte for byte */
  H5Pset_fill_value(properties, H5T_NATIVE_INT, &fill);
  if (dataset->chunked) {
    H5Pset_chunk(properties, 2, chunk);
  }
  if (dataset->compressed) {
    H5Pset_deflate(properties, 4);
  }
  return properties;
}

static hid_t create_dataset(hid_t file, const Dataset* dataset) {
  hsize_t full[2] = {kRows, kColumns}, half[2] = {kRows / 2, kColumns};
  hsize_t limits[2] = {H5S_UNLIMITED, kColumns};
  hid_t space =
      H5Screate_simple(2, dataset->extended ? half : full, dataset->extended ? limits : NULL);
  hid_t properties = creation_properties(dataset);
  hid_t id =
      H5Dcreate2(file, dataset->name, H5T_STD_I32LE, space, H5P_DEFAULT, properties, H5P_DEFAULT);
  require(id, "H5Dcreate2", dataset->name);
  if (dataset->extended) {
    require(H5Dset_extent(id, full), "H5Dset_extent", dataset->name);
  }
  H5Pclose(properties);
  H5Sclose(space);
  return id;
}

static hid_t transfer_properties(int parallel, int collective) {
  hid_t properties = H5Pcreate(H5P_DATASET_XFER);
  if (parallel) {
    H5Pset_dxpl_mpio(properties, collective ? H5FD_MPIO_COLLECTIVE : H5FD_MPIO_INDEPENDENT);
  }
  return properties;
}

static void write_dataset(hid_t file, int index, int parallel) {
  const Dataset* dataset = &kDatasets[index];
  hid_t id = create_dataset(file, dataset);
  hid_t space = H5Dget_space(id);
  hsize_t elements[kElements];
  int buffer[kElements];
  hsize_t count = select_share(space, dataset->share, elements);
  for (hsize_t i = 0; i < count; ++i) {
    buffer[i] = value_of(index, elements[i]);
  }
  hid_t memory = H5Screate_simple(1, &count, NULL);
  hid_t transfer = transfer_properties(parallel, dataset->collective);
  require(H5Dwrite(id, H5T_NATIVE_INT, memory, space, transfer, buffer), "H5Dwrite", dataset->name);
  H5Pclose(transfer);
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(id);
}

/* Reads by rows what may have been written in any other way, the other transfer mode included. */
static void read_dataset(hid_t file, int index, int collective) {
  const char* name = kDatasets[index].name;
  hid_t id = H5Dopen2(file, name, H5P_DEFAULT);
  require(id, "H5Dopen2", name);
  hid_t space = H5Dget_space(id);
  hsize_t elements[kElements];
  int buffer[kElements];
  hsize_t count = select_share(space, index % 2 ? kByRows : kInterleaved, elements);
  hid_t memory = H5Screate_simple(1, &count, NULL);
  hid_t transfer = transfer_properties(1, collective);
  require(H5Dread(id, H5T_NATIVE_INT, memory, space, transfer, buffer), "H5Dread", name);
  int wrong = 0;
  for (hsize_t i = 0; i < count; ++i) {
    wrong += buffer[i] != value_of(index, elements[i]);
  }
  check(wrong == 0, collective ? "collective read" : "independent read", name);
  H5Pclose(transfer);
  H5Sclose(memory);
  H5Sclose(space);
  H5Dclose(id);
}

static void write_attribute(hid_t file) {
  const char* text = "written by hdf5_client";
  hid_t type = H5Tcopy(H5T_C_S1);
  H5Tset_size(type, strlen(text) + 1);
  hid_t space = H5Screate(H5S_SCALAR);
  hid_t attribute = H5Acreate2(file, "origin", type, space, H5P_DEFAULT, H5P_DEFAULT);
  require(H5Awrite(attribute, type, text), "H5Awrite", "origin");
  H5Aclose(attribute);
  H5Sclose(space);
  H5Tclose(type);
}

static void write_file(const char* path, hid_t access, int parallel) {
  hid_t creation = H5Pcreate(H5P_FILE_CREATE);
  H5Pset_obj_track_times(creation, 0);
  hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, creation, access);
  require(file, "H5Fcreate", path);
  write_attribute(file);
  for (int i = 0; i < kDatasetCount; ++i) {
    write_dataset(file, i, parallel);
  }
  require(H5Fflush(file, H5F_SCOPE_GLOBAL), "H5Fflush", path);
  require(H5Fclose(file), "H5Fclose", path);
  H5Pclose(creation);
}

static void read_file(const char* path, hid_t access) {
  hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
  require(file, "H5Fopen", path);
  for (int i = 0; i < kDatasetCount; ++i) {
    read_dataset(file, i, 1);
    read_dataset(file, i, 0);
  }
  require(H5Fclose(file), "H5Fclose", path);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  if (argc != 3) {
    fprintf(stderr, "usage: hdf5_client serial|write|read FILE\n");
    MPI_Abort(MPI_COMM_WORLD, 2);
  }
  int parallel = strcmp(argv[1], "serial") != 0;
  hid_t access = H5Pcreate(H5P_FILE_ACCESS);
  if (parallel) {
    require(H5Pset_fapl_mpio(access, MPI_COMM_WORLD, MPI_INFO_NULL), "H5Pset_fapl_mpio", argv[2]);
  }
  if (strcmp(argv[1], "read") == 0) {
    read_file(argv[2], access);
  } else {
    write_file(argv[2], access, parallel);
  }
  H5Pclose(access);
  int total = 0;
  MPI_Allreduce(&failures, &total, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  MPI_Finalize();
  return total > 0;
}
