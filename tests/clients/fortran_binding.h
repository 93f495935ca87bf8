! Handle types of the binding in use: integers, but for mpi_f08.
#if defined(BINDING_MPI_F08)
#define HANDLE(name) type(name)
#define STATUS type(MPI_Status)
#else
#define HANDLE(name) integer
#define STATUS integer, dimension(MPI_STATUS_SIZE)
#endif
#define OFFSET integer(MPI_OFFSET_KIND)
#define ADDRESS integer(MPI_ADDRESS_KIND)
