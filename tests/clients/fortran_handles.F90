! Everything around data access from Fortran: error handlers made in Fortran, MPI_FILE_NULL's
! handler, info, file properties, and files shared between C and Fortran.
#include "fortran_binding.h"
#if defined(BINDING_MPI_F08)
#define RAW(handle) handle%MPI_VAL
#else
#define RAW(handle) handle
#endif
module handler
  use binding
  implicit none
  integer :: calls = 0, code_seen = 0
  HANDLE(MPI_File) :: file_seen

contains

  subroutine remember(file, error_code)
    HANDLE(MPI_File) :: file
    integer :: error_code
    calls = calls + 1
    file_seen = file
    code_seen = error_code
  end subroutine remember

end module handler

module handles
  use handler
  implicit none
  character(*), parameter :: path = 'fortran_handles.dat'

  interface
    integer(c_int) function write_from_c(file, index, value) bind(c)
      use iso_c_binding, only: c_int
      integer(c_int), value :: file, index, value
    end function write_from_c
    integer(c_int) function open_in_c() bind(c)
      use iso_c_binding, only: c_int
    end function open_in_c
    integer(c_int) function is_null_in_c(file) bind(c)
      use iso_c_binding, only: c_int
      integer(c_int), value :: file
    end function is_null_in_c
  end interface

contains

  subroutine make_file()
    HANDLE(MPI_File) :: fh
    integer :: ierr
    call MPI_File_open(MPI_COMM_WORLD, path, ior(MPI_MODE_CREATE, MPI_MODE_RDWR), MPI_INFO_NULL, &
                       fh, ierr)
    call expect_success(ierr, 'create')
    call MPI_File_set_size(fh, 4000_MPI_OFFSET_KIND, ierr)
    call expect_success(ierr, 'set_size')
    call MPI_File_close(fh, ierr)
  end subroutine make_file

  ! A write to a read-only file calls the file's own handler, with the file's handle.
  subroutine test_errhandler_of_file()
    HANDLE(MPI_File) :: fh
    HANDLE(MPI_Errhandler) :: mine, got
    integer :: ierr, value
    value = 1
    call MPI_File_create_errhandler(remember, mine, ierr)
    call expect_success(ierr, 'create_errhandler')
    call MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, fh, ierr)
    call MPI_File_set_errhandler(fh, mine, ierr)
    call expect_success(ierr, 'set_errhandler')
    call MPI_File_get_errhandler(fh, got, ierr)
    call expect(got == mine, 'get_errhandler')
    calls = 0
    call MPI_File_write_at(fh, 0_MPI_OFFSET_KIND, value, 1, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
    call expect(calls == 1, 'the handler is called once')
    call expect(file_seen == fh, 'the handler sees the handle of the file')
    call expect(code_seen == ierr, 'the handler sees the code that is returned')
    call expect(ierr /= MPI_SUCCESS, 'a write to a read-only file fails')
    call MPI_File_call_errhandler(fh, MPI_ERR_NO_SPACE, ierr)
    call expect(calls == 2 .and. file_seen == fh, 'call_errhandler')
    call expect_class(code_seen, MPI_ERR_NO_SPACE, 'call_errhandler')
    call MPI_File_set_errhandler(fh, MPI_ERRORS_RETURN, ierr)
    call MPI_Errhandler_free(mine, ierr)
    call MPI_File_close(fh, ierr)
    call expect(calls == 2, 'close is no error')
  end subroutine test_errhandler_of_file

  ! A failed open has no file: the handler of MPI_FILE_NULL is called, and new files inherit it.
  subroutine test_errhandler_of_null()
    HANDLE(MPI_File) :: fh
    HANDLE(MPI_Errhandler) :: mine, before, inherited
    integer :: ierr
    call MPI_File_get_errhandler(MPI_FILE_NULL, before, ierr)
    call expect(before == MPI_ERRORS_RETURN, 'the default is MPI_ERRORS_RETURN')
    call MPI_File_create_errhandler(remember, mine, ierr)
    call MPI_File_set_errhandler(MPI_FILE_NULL, mine, ierr)
    calls = 0
    call MPI_File_open(MPI_COMM_WORLD, 'no_such_file.dat', MPI_MODE_RDWR, MPI_INFO_NULL, fh, ierr)
    call expect(calls == 1, 'a failed open calls the handler of MPI_FILE_NULL')
    call expect_class(ierr, MPI_ERR_NO_SUCH_FILE, 'open of a file that does not exist')
    call expect_class(code_seen, MPI_ERR_NO_SUCH_FILE, 'handler of MPI_FILE_NULL')
    call MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDONLY, MPI_INFO_NULL, fh, ierr)
    call MPI_File_get_errhandler(fh, inherited, ierr)
    call expect(inherited == mine, 'a new file inherits the handler of MPI_FILE_NULL')
    call MPI_File_close(fh, ierr)
    call MPI_File_set_errhandler(MPI_FILE_NULL, MPI_ERRORS_RETURN, ierr)
    call MPI_Errhandler_free(mine, ierr)
  end subroutine test_errhandler_of_null

  subroutine test_properties()
    HANDLE(MPI_File) :: fh
    HANDLE(MPI_Group) :: group, world
    integer :: ierr, amode, same
    logical :: atomic
    ADDRESS :: extent
    OFFSET :: size_bytes
    call MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, fh, ierr)
    call MPI_File_get_amode(fh, amode, ierr)
    call expect(amode == MPI_MODE_RDWR, 'get_amode')
    call MPI_File_get_group(fh, group, ierr)
    call MPI_Comm_group(MPI_COMM_WORLD, world, ierr)
    call MPI_Group_compare(group, world, same, ierr)
    call expect(same == MPI_IDENT, 'get_group')
    call MPI_Group_free(group, ierr)
    call MPI_Group_free(world, ierr)
    call MPI_File_set_atomicity(fh, .true., ierr)
    call MPI_File_get_atomicity(fh, atomic, ierr)
    call expect(atomic, 'atomicity')
    call MPI_File_get_type_extent(fh, MPI_DOUBLE_PRECISION, extent, ierr)
    call expect(extent == 8, 'get_type_extent')
    call MPI_File_preallocate(fh, 8000_MPI_OFFSET_KIND, ierr)
    call MPI_File_get_size(fh, size_bytes, ierr)
    call expect(size_bytes == 8000, 'preallocate')
    call MPI_File_close(fh, ierr)
  end subroutine test_properties

  subroutine test_info()
    HANDLE(MPI_File) :: fh
    HANDLE(MPI_Info) :: given, got
    character(MPI_MAX_INFO_VAL) :: text
    integer :: ierr
    logical :: found
    call MPI_Info_create(given, ierr)
    call MPI_Info_set(given, 'cb_buffer_size', '1048576', ierr)
    call MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, given, fh, ierr)
    call MPI_File_get_info(fh, got, ierr)
    call expect_success(ierr, 'get_info')
    call MPI_Info_get(got, 'cb_buffer_size', MPI_MAX_INFO_VAL, text, found, ierr)
    call expect(found .and. text == '1048576', 'get_info returns the hint in effect')
    call MPI_Info_free(got, ierr)
    call MPI_File_set_info(fh, given, ierr)
    call expect_success(ierr, 'set_info')
    call MPI_Info_free(given, ierr)
    call MPI_File_close(fh, ierr)
  end subroutine test_info

  subroutine test_languages()
    HANDLE(MPI_File) :: fh
    integer :: ierr, value
    call MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_RDWR, MPI_INFO_NULL, fh, ierr)
    call expect_success(write_from_c(RAW(fh), rank, 4711 + rank), 'C writes a file of Fortran')
    call MPI_File_read_at(fh, int(rank * 4, MPI_OFFSET_KIND), value, 1, MPI_INTEGER, &
                          MPI_STATUS_IGNORE, ierr)
    call expect(value == 4711 + rank, 'Fortran reads what C wrote')
    call MPI_File_close(fh, ierr)
    call expect(is_null_in_c(RAW(MPI_FILE_NULL)) == 1, 'MPI_FILE_NULL is the same in C')
    RAW(fh) = open_in_c()
    call expect(is_null_in_c(RAW(fh)) == 0, 'C opens a file')
    call MPI_File_write_at_all(fh, int(rank * 4, MPI_OFFSET_KIND), rank, 1, MPI_INTEGER, &
                               MPI_STATUS_IGNORE, ierr)
    call expect_success(ierr, 'Fortran writes a file of C')
    call MPI_File_close(fh, ierr)
    call expect_success(ierr, 'Fortran closes a file of C')
  end subroutine test_languages

  subroutine test_delete()
    integer :: ierr
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    if (rank == 0) then
      call MPI_File_delete(path, MPI_INFO_NULL, ierr)
      call expect_success(ierr, 'delete')
      call MPI_File_delete(path, MPI_INFO_NULL, ierr)
      call expect_class(ierr, MPI_ERR_NO_SUCH_FILE, 'delete of a file that does not exist')
    end if
  end subroutine test_delete

end module handles

program fortran_handles
  use handles
  implicit none
  call start()
  call make_file()
  call test_errhandler_of_file()
  call test_errhandler_of_null()
  call test_properties()
  call test_info()
  call test_languages()
  call test_delete()
  call finish()
end program fortran_handles
