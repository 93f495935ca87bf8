/* Preloaded into ranks of MPICH on the testbed, and there only.
 *
 * MPICH 4.0.2 (ch4:ucx) with UCX 1.13 over TCP can hang in MPI_Finalize: each rank disconnects its
 * endpoints, which flushes them and so needs the peer's progress, but a peer that is done already
 * waits in the process manager's barrier and makes none. Without the disconnect nothing is lost: all
 * communication is complete by then, and destroying the worker behind the barrier closes the
 * sockets. A null pointer is UCX's word for "done at once". */
#include <stddef.h>

void* ucp_disconnect_nb(void* endpoint) {
  (void)endpoint;
  return NULL;
}
