# longshore_embed_text(OUTPUT HEADER header NAMESPACE namespace NAME=FILE...)
# Makes the C++ source OUTPUT, which defines the std::string_view constants NAME that `header`
# declares, each with the text of its FILE. It is made again when a file changes.
#
# Run by itself with -P, as the build does, it writes that source.
if(NOT CMAKE_SCRIPT_MODE_FILE)
  set(LONGSHORE_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})

  function(longshore_embed_text output)
    cmake_parse_arguments(ARG "" "HEADER;NAMESPACE" "" ${ARGN})
    set(files)
    set(pairs)
    foreach(pair IN LISTS ARG_UNPARSED_ARGUMENTS)
      string(REGEX MATCH "^([A-Za-z0-9]+)=(.*)$" matched ${pair})
      list(APPEND files ${CMAKE_CURRENT_SOURCE_DIR}/${CMAKE_MATCH_2})
      list(APPEND pairs ${CMAKE_MATCH_1}=${CMAKE_CURRENT_SOURCE_DIR}/${CMAKE_MATCH_2})
    endforeach()
    add_custom_command(
      OUTPUT ${output}
      COMMAND ${CMAKE_COMMAND} "-DOUTPUT=${output}" "-DHEADER=${ARG_HEADER}"
              "-DNAMESPACE=${ARG_NAMESPACE}" "-DPAIRS=${pairs}" -P ${LONGSHORE_EMBED_SCRIPT}
      DEPENDS ${files} ${LONGSHORE_EMBED_SCRIPT}
      COMMENT "Embedding ${ARG_HEADER}"
      VERBATIM)
  endfunction()
  return()
endif()

set(delimiter "longshore_text")
set(source "// Made by the build from the files named below.\n#include \"${HEADER}\"\n\n")
string(APPEND source "namespace ${NAMESPACE} {\n")
foreach(pair IN LISTS PAIRS)
  string(REGEX MATCH "^([A-Za-z0-9]+)=(.*)$" matched "${pair}")
  set(name ${CMAKE_MATCH_1})
  set(path ${CMAKE_MATCH_2})
  file(READ ${path} text)
  string(FIND "${text}" "${delimiter}" clash)
  if(NOT clash EQUAL -1)
    message(FATAL_ERROR "${path} has the word ${delimiter} in it")
  endif()
  get_filename_component(short ${path} NAME)
  string(APPEND source "// ${short}\nconst std::string_view ${name} = R\"${delimiter}(")
  string(APPEND source "${text}")
  string(APPEND source ")${delimiter}\";\n")
endforeach()
string(APPEND source "}  // namespace ${NAMESPACE}\n")
file(WRITE ${OUTPUT} "${source}")
