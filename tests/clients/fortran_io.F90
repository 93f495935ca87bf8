! Data access from Fortran: every family of routines once, each checked by reading back.
#include "fortran_binding.h"
module data_access
  use binding
  implicit none
  integer, parameter :: n = 1000
  character(*), parameter :: path = 'fortran_io.dat'

contains

  ! The values that rank `who` writes; `salt` tells one test's data from another's.
  function values(who, salt) result(v)
    integer, intent(in) :: who, salt
    integer :: v(n), i
    v = [(salt * 1000000 + who * 10000 + i, i = 1, n)]
  end function values

  function open_new(name) result(fh)
    character(*), intent(in) :: name
    HANDLE(MPI_File) :: fh
    integer :: ierr
    if (rank == 0) call MPI_File_delete(name, MPI_INFO_NULL, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_File_open(MPI_COMM_WORLD, name, ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, &
                       fh, ierr)
    call expect_success(ierr, 'open '//name)
  end function open_new

  subroutine close_file(fh)
    HANDLE(MPI_File) :: fh
    integer :: ierr
    call MPI_File_close(fh, ierr)
    call expect_success(ierr, 'close')
    call expect(fh == MPI_FILE_NULL, 'close sets the handle to MPI_FILE_NULL')
  end subroutine close_file

  subroutine expect_count(status, wanted, what)
    STATUS :: status
    integer, intent(in) :: wanted
    character(*), intent(in) :: what
    integer :: got, ierr
    call MPI_Get_count(status, MPI_INTEGER, got, ierr)
    call expect(got == wanted, what//': count')
  end subroutine expect_count

  subroutine settle(fh)
    HANDLE(MPI_File), intent(in) :: fh
    integer :: ierr
    call MPI_File_sync(fh, ierr)
    call expect_success(ierr, 'sync')
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_File_sync(fh, ierr)
  end subroutine settle

  subroutine test_explicit_offsets()
    HANDLE(MPI_File) :: fh
    STATUS :: status
    integer :: buffer(n), ierr, neighbour
    OFFSET :: size_bytes
    fh = open_new(path)
    buffer = values(rank, 1)
    call MPI_File_write_at_all(fh, int(rank * n * 4, MPI_OFFSET_KIND), buffer, n, MPI_INTEGER, &
                               status, ierr)
    call expect_success(ierr, 'write_at_all')
    call expect_count(status, n, 'write_at_all')
    call settle(fh)
    call MPI_File_get_size(fh, size_bytes, ierr)
    call expect(size_bytes == int(ranks, MPI_OFFSET_KIND) * n * 4, 'get_size')
    neighbour = mod(rank + 1, ranks)
    buffer = 0
    call MPI_File_read_at(fh, int(neighbour * n * 4, MPI_OFFSET_KIND), buffer, n, MPI_INTEGER, &
                          status, ierr)
    call expect(all(buffer == values(neighbour, 1)), 'read_at')
    call MPI_File_read_at_all(fh, size_bytes - 40, buffer, n, MPI_INTEGER, status, ierr)
    call expect_count(status, 10, 'read_at_all across the end of the file')
    call close_file(fh)
  end subroutine test_explicit_offsets

  ! Each rank sees every ranks-th block of 10 integers.
  subroutine test_view()
    HANDLE(MPI_File) :: fh
    HANDLE(MPI_Datatype) :: block, filetype, etype_got, filetype_got
    STATUS :: status
    integer :: buffer(n), expected(n), ierr
    OFFSET :: disp, disp_got, position, byte_offset
    character(MPI_MAX_DATAREP_STRING) :: datarep
    fh = open_new(path)
    call MPI_Type_contiguous(10, MPI_INTEGER, block, ierr)
    call MPI_Type_create_resized(block, 0_MPI_ADDRESS_KIND, int(40 * ranks, MPI_ADDRESS_KIND), &
                                 filetype, ierr)
    call MPI_Type_commit(filetype, ierr)
    disp = 16 + rank * 40
    call MPI_File_set_view(fh, disp, MPI_INTEGER, filetype, 'native', MPI_INFO_NULL, ierr)
    call expect_success(ierr, 'set_view')
    buffer = values(rank, 2)
    call MPI_File_write_all(fh, buffer, n, MPI_INTEGER, status, ierr)
    call expect_count(status, n, 'write_all')
    call MPI_File_get_position(fh, position, ierr)
    call expect(position == n, 'get_position counts in etypes')
    call MPI_File_get_byte_offset(fh, 10_MPI_OFFSET_KIND, byte_offset, ierr)
    call expect(byte_offset == disp + 40 * ranks, 'get_byte_offset')
    call MPI_File_get_view(fh, disp_got, etype_got, filetype_got, datarep, ierr)
    call expect(disp_got == disp .and. datarep == 'native', 'get_view')
    call MPI_Type_free(filetype_got, ierr)
    call MPI_File_seek(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
    buffer = 0
    call MPI_File_read_all(fh, buffer, n, MPI_INTEGER, status, ierr)
    call expect(all(buffer == values(rank, 2)), 'read_all through the view')
    call MPI_File_seek(fh, int(-20, MPI_OFFSET_KIND), MPI_SEEK_CUR, ierr)
    buffer(1:n - 20) = 0
    call MPI_File_read(fh, buffer(n - 19:), 20, MPI_INTEGER, status, ierr)
    call expect_count(status, 20, 'read')
    expected = values(rank, 2)
    call expect(all(buffer(n - 19:) == expected(n - 19:)), 'read after seek')
    call close_file(fh)
    call MPI_Type_free(filetype, ierr)
    call MPI_Type_free(block, ierr)
  end subroutine test_view

  subroutine test_shared_and_ordered()
    HANDLE(MPI_File) :: fh
    STATUS :: status
    integer :: buffer(n), ierr
    OFFSET :: position
    fh = open_new(path)
    call MPI_File_set_view(fh, 0_MPI_OFFSET_KIND, MPI_INTEGER, MPI_INTEGER, 'native', &
                           MPI_INFO_NULL, ierr)
    call MPI_File_write_ordered(fh, values(rank, 3), n, MPI_INTEGER, status, ierr)
    call expect_count(status, n, 'write_ordered')
    call MPI_File_get_position_shared(fh, position, ierr)
    call expect(position == ranks * n, 'get_position_shared after write_ordered')
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_File_write_shared(fh, values(rank, 4), n, MPI_INTEGER, status, ierr)
    call settle(fh)
    call MPI_File_seek_shared(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
    buffer = 0
    call MPI_File_read_ordered(fh, buffer, n, MPI_INTEGER, status, ierr)
    call expect(all(buffer == values(rank, 3)), 'read_ordered')
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPI_File_read_shared(fh, buffer, n, MPI_INTEGER, status, ierr)
    call expect_count(status, n, 'read_shared')
    call expect(all(buffer == values((buffer(1) - 4000001) / 10000, 4)), 'read_shared: whole records')
    call close_file(fh)
  end subroutine test_shared_and_ordered

  subroutine test_nonblocking()
    HANDLE(MPI_File) :: fh
    HANDLE(MPI_Request) :: request
    STATUS :: status
    integer, asynchronous :: buffer(n)
    integer :: ierr
    OFFSET :: mine
    fh = open_new(path)
    mine = int(rank, MPI_OFFSET_KIND) * n * 4
    buffer = values(rank, 5)
    call MPI_File_iwrite_at(fh, mine, buffer, n, MPI_INTEGER, request, ierr)
    call MPI_Wait(request, status, ierr)
    call expect_count(status, n, 'iwrite_at')
    call MPI_File_iwrite_at_all(fh, mine + ranks * n * 4, buffer, n, MPI_INTEGER, request, ierr)
    call MPI_Wait(request, status, ierr)
    call expect_count(status, n, 'iwrite_at_all')
    buffer = 0
    call MPI_File_iread_at_all(fh, mine + ranks * n * 4, buffer, n, MPI_INTEGER, request, ierr)
    call MPI_Wait(request, status, ierr)
    call expect(all(buffer == values(rank, 5)), 'iread_at_all')
    call MPI_File_seek(fh, mine, MPI_SEEK_SET, ierr)
    buffer = 0
    call MPI_File_iread(fh, buffer, n, MPI_INTEGER, request, ierr)
    call MPI_Wait(request, status, ierr)
    call expect(all(buffer == values(rank, 5)), 'iread')
    call test_nonblocking_shared(fh)
    call close_file(fh)
  end subroutine test_nonblocking

  subroutine test_nonblocking_shared(fh)
    HANDLE(MPI_File) :: fh
    HANDLE(MPI_Request) :: request
    STATUS :: status
    integer, asynchronous :: buffer(n)
    integer :: ierr
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    buffer = values(rank, 6)
    call MPI_File_iwrite_shared(fh, buffer, n, MPI_INTEGER, request, ierr)
    call MPI_Wait(request, status, ierr)
    call expect_count(status, n, 'iwrite_shared')
    call settle(fh)
    call MPI_File_seek_shared(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
    buffer = 0
    call MPI_File_iread_shared(fh, buffer, n, MPI_INTEGER, request, ierr)
    call MPI_Wait(request, status, ierr)
    call expect(all(buffer == values((buffer(1) - 6000001) / 10000, 6)), 'iread_shared')
  end subroutine test_nonblocking_shared

  subroutine test_split_collective()
    HANDLE(MPI_File) :: fh
    STATUS :: status
    integer, asynchronous :: buffer(n)
    integer :: ierr
    OFFSET :: mine
    fh = open_new(path)
    mine = int(rank, MPI_OFFSET_KIND) * n * 4
    buffer = values(rank, 7)
    call MPI_File_write_at_all_begin(fh, mine, buffer, n, MPI_INTEGER, ierr)
    call MPI_File_write_at_all_end(fh, buffer, status, ierr)
    call expect_count(status, n, 'write_at_all_end')
    call MPI_File_seek(fh, mine, MPI_SEEK_SET, ierr)
    buffer = 0
    call MPI_File_read_all_begin(fh, buffer, n, MPI_INTEGER, ierr)
    call MPI_File_read_all_end(fh, buffer, status, ierr)
    call expect(all(buffer == values(rank, 7)), 'read_all_begin/end')
    buffer = values(rank, 8)
    call MPI_File_write_ordered_begin(fh, buffer, n, MPI_INTEGER, ierr)
    call MPI_File_write_ordered_end(fh, buffer, status, ierr)
    call expect_count(status, n, 'write_ordered_end')
    call MPI_File_seek_shared(fh, 0_MPI_OFFSET_KIND, MPI_SEEK_SET, ierr)
    buffer = 0
    call MPI_File_read_ordered_begin(fh, buffer, n, MPI_INTEGER, ierr)
    call MPI_File_read_ordered_end(fh, buffer, status, ierr)
    call expect(all(buffer == values(rank, 8)), 'read_ordered_begin/end')
    call close_file(fh)
  end subroutine test_split_collective

end module data_access

program fortran_io
  use data_access
  implicit none
  call start()
  call test_explicit_offsets()
  call test_view()
  call test_shared_and_ordered()
  call test_nonblocking()
  call test_split_collective()
  call finish()
end program fortran_io
