! A data representation whose conversion functions are written in Fortran: integers are stored in
! the file with 1000 added, and their extent in the file is 8 bytes.
#include "fortran_binding.h"
module conversion
  use binding
  use iso_c_binding
  implicit none
  integer, parameter :: shift = 1000
  ADDRESS, target :: read_calls = 0, write_calls = 0, extent_calls = 0

contains

  subroutine file_extent(datatype, extent, extra_state, ierror)
    HANDLE(MPI_Datatype) :: datatype
    ADDRESS :: extent, extra_state
    integer :: ierror
    extent_calls = extent_calls + 1
    call expect(extra_state == 42, 'the extent function sees the extra state')
    call expect(datatype == MPI_INTEGER, 'the extent function is asked for predefined types')
    extent = 8
    ierror = MPI_SUCCESS
  end subroutine file_extent

#if defined(BINDING_MPI_F08)
  subroutine from_file(userbuf, datatype, count, filebuf, position, extra_state, ierror)
    type(c_ptr), value :: userbuf, filebuf
    integer, pointer :: memory(:), file(:)
#else
  subroutine from_file(memory, datatype, count, file, position, extra_state, ierror)
    integer :: memory(*), file(*)
#endif
    HANDLE(MPI_Datatype) :: datatype
    integer :: count, ierror, i
    OFFSET :: position
    ADDRESS :: extra_state
#if defined(BINDING_MPI_F08)
    call c_f_pointer(userbuf, memory, [int(position) + count])
    call c_f_pointer(filebuf, file, [2 * count])
#endif
    read_calls = read_calls + 1
    call expect(extra_state == 42, 'the read function sees the extra state')
    call expect(datatype == MPI_INTEGER, 'the read function sees the datatype')
    do i = 1, count
      memory(int(position) + i) = file(2 * i - 1) - shift
    end do
    ierror = MPI_SUCCESS
  end subroutine from_file

#if defined(BINDING_MPI_F08)
  subroutine to_file(userbuf, datatype, count, filebuf, position, extra_state, ierror)
    type(c_ptr), value :: userbuf, filebuf
    integer, pointer :: memory(:), file(:)
#else
  subroutine to_file(memory, datatype, count, file, position, extra_state, ierror)
    integer :: memory(*), file(*)
#endif
    HANDLE(MPI_Datatype) :: datatype
    integer :: count, ierror, i
    OFFSET :: position
    ADDRESS :: extra_state
#if defined(BINDING_MPI_F08)
    call c_f_pointer(userbuf, memory, [int(position) + count])
    call c_f_pointer(filebuf, file, [2 * count])
#endif
    write_calls = write_calls + 1
    call expect(extra_state == 42, 'the write function sees the extra state')
    call expect(datatype == MPI_INTEGER, 'the write function sees the datatype')
    do i = 1, count
      file(2 * i - 1) = memory(int(position) + i) + shift
      file(2 * i) = 0
    end do
    ierror = MPI_SUCCESS
  end subroutine to_file

end module conversion

program fortran_datarep
  use conversion
  implicit none
  integer, parameter :: n = 500
  HANDLE(MPI_File) :: fh
  STATUS :: status
  integer :: values(n), back(n), raw(2 * n), ierr, i, count
  ADDRESS :: extent
  OFFSET :: size_bytes

  call start()
  call MPI_Register_datarep('shifted', from_file, to_file, file_extent, 42_MPI_ADDRESS_KIND, ierr)
  call expect_success(ierr, 'register_datarep')
  call MPI_Register_datarep('shifted', from_file, to_file, file_extent, 42_MPI_ADDRESS_KIND, ierr)
  call expect_class(ierr, MPI_ERR_DUP_DATAREP, 'register_datarep of a known name')
  call MPI_File_open(MPI_COMM_WORLD, 'fortran_datarep.dat', ior(MPI_MODE_CREATE, MPI_MODE_RDWR), &
                     MPI_INFO_NULL, fh, ierr)
  call MPI_File_set_view(fh, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'shifted', &
                         MPI_INFO_NULL, ierr)
  call expect_success(ierr, 'set_view')
  call MPI_File_get_type_extent(fh, MPI_INTEGER, extent, ierr)
  call expect(extent == 8, 'get_type_extent')
  values = [(rank * n + i, i = 1, n)]
  call MPI_File_write_at_all(fh, int(rank * n, MPI_OFFSET_KIND), values, n, MPI_INTEGER, status, &
                             ierr)
  call expect_success(ierr, 'write_at_all')
  call MPI_Get_count(status, MPI_INTEGER, count, ierr)
  call expect(count == n, 'write_at_all: count')
  back = 0
  call MPI_File_read_at(fh, int(rank * n, MPI_OFFSET_KIND), back, n, MPI_INTEGER, status, ierr)
  call expect(all(back == values), 'read_at converts back')
  call expect(extent_calls > 0 .and. write_calls > 0 .and. read_calls > 0, 'all three are called')

  call MPI_File_set_view(fh, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'native', &
                         MPI_INFO_NULL, ierr)
  call MPI_File_get_size(fh, size_bytes, ierr)
  call expect(size_bytes == int(ranks, MPI_OFFSET_KIND) * n * 8, 'the file has the new extents')
  call MPI_File_read_at(fh, int(rank * n * 2, MPI_OFFSET_KIND), raw, 2 * n, MPI_INTEGER, status, &
                        ierr)
  call expect(all(raw(1::2) == values + shift), 'the file holds shifted integers')
  call MPI_File_close(fh, ierr)
  call finish()
end program fortran_datarep
