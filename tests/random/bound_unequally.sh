#!/bin/sh
# bound_unequally.sh COMMAND...: a rank of the command. Even ranks get one core, the others keep all
# that there are, as on hosts that are not alike.
rank=${PMI_RANK:-${OMPI_COMM_WORLD_RANK:?not started by mpirun}}
if [ $((rank % 2)) -eq 0 ]; then
  exec taskset -c "$(taskset -cp $$ | sed 's/.*: *\([0-9]*\).*/\1/')" "$@"
fi
exec "$@"
