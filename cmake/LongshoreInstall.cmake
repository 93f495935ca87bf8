# bin/longshore, lib/longshore/<mpi>/ with liblongshore.so and the programs that `longshore bench`
# and `longshore check` run, a pkg-config file per MPI, and below share/ man pages and shell
# completions: both MPIs may be installed under one prefix, and the command finds what belongs to an
# MPI from its own place.
install(TARGETS longshore_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${CMAKE_BINARY_DIR}/share/ DESTINATION ${CMAKE_INSTALL_DATADIR} OPTIONAL)
install(TARGETS bench_workloads bench_check
        RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/longshore/${LONGSHORE_MPI})
if(TARGET longshore)
  install(TARGETS longshore LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/longshore/${LONGSHORE_MPI})
  configure_file(${CMAKE_SOURCE_DIR}/cmake/longshore.pc.in
                 ${CMAKE_BINARY_DIR}/longshore-${LONGSHORE_MPI}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/longshore-${LONGSHORE_MPI}.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
