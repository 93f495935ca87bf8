! The three ways in which Fortran reaches MPI, behind one module: the same program is compiled with
! -DBINDING_MPIF_H, -DBINDING_USE_MPI or -DBINDING_MPI_F08. fortran_binding.h has the types.
module binding
#if defined(BINDING_MPIF_H)
  implicit none
  include 'mpif.h'
#elif defined(BINDING_USE_MPI)
  use mpi
  implicit none
#elif defined(BINDING_MPI_F08)
  use mpi_f08
  implicit none
#endif
  integer :: failures = 0, rank = -1, ranks = -1

contains

  ! Counts and names a failed expectation; does not stop, so that one run shows all of them.
  subroutine expect(holds, what)
    logical, intent(in) :: holds
    character(*), intent(in) :: what
    if (.not. holds) then
      failures = failures + 1
      print '(a,i0,2a)', 'rank ', rank, ' FAILED: ', what
    end if
  end subroutine expect

  ! Expects MPI_SUCCESS.
  subroutine expect_success(ierr, what)
    integer, intent(in) :: ierr
    character(*), intent(in) :: what
    integer :: length, ignored
    character(MPI_MAX_ERROR_STRING) :: words
    if (ierr /= MPI_SUCCESS) then
      call MPI_Error_string(ierr, words, length, ignored)
      call expect(.false., what//': '//words(1:length))
    end if
  end subroutine expect_success

  ! Expects `ierr` to be of class `wanted`.
  subroutine expect_class(ierr, wanted, what)
    integer, intent(in) :: ierr, wanted
    character(*), intent(in) :: what
    integer :: class, ignored
    character(80) :: got
    call MPI_Error_class(ierr, class, ignored)
    write (got, '(a,i0,a,i0)') ': class ', class, ' instead of ', wanted
    call expect(class == wanted, what//trim(got))
  end subroutine expect_class

  subroutine start()
    integer :: ierr
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  end subroutine start

  ! Ends MPI; the exit code says whether any rank counted a failure.
  subroutine finish()
    integer :: total, ierr
    call MPI_Allreduce(failures, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call MPI_Finalize(ierr)
    if (total > 0) stop 1
    if (rank == 0) print '(a)', 'No Errors'
  end subroutine finish

end module binding
