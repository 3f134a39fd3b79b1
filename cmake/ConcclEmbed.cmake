# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0

# conccl_embed(TARGET HEADER ... NAMESPACE ... TYPE ... FUNCTION ... [BYTES] FILES ...): compiles
# files into a target.
#
# HEADER is an include path that declares, in NAMESPACE, the structure TYPE and
# `std::span<const TYPE> FUNCTION()`; this writes the definition, one entry per file: its stem and
# its content, a text or with BYTES a span of bytes; it writes anew when a file changes. FILES are
# relative to the source root or absolute; there may be none.
#
# Run as a script (cmake -P), this file is what the build calls to write the definition.

function(conccl_embed target)
  cmake_parse_arguments(ARG "BYTES" "HEADER;NAMESPACE;TYPE;FUNCTION" "FILES" ${ARGN})
  set(files "")
  foreach(file IN LISTS ARG_FILES)
    cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
    list(APPEND files ${file})
  endforeach()
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${ARG_FUNCTION}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DHEADER=${ARG_HEADER} -DNAMESPACE=${ARG_NAMESPACE}
            -DTYPE=${ARG_TYPE} -DFUNCTION=${ARG_FUNCTION} -DBYTES=${ARG_BYTES} "-DFILES=${files}"
            -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    DEPENDS ${files} ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
    COMMENT "Embedding the files of ${ARG_FUNCTION}"
    VERBATIM)
  set_source_files_properties(${output} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  target_sources(${target} PRIVATE ${output})
endfunction()

# The literal that stands for the content of `file`, in the variable `result` of the caller.
function(conccl_raw_literal result file)
  file(READ ${file} content)
  string(FIND "${content}" ")conccl\"" end)
  if(NOT end EQUAL -1)
    message(FATAL_ERROR "${file} contains )conccl\", which ends the literal it is embedded in")
  endif()
  set(${result} "R\"conccl(${content})conccl\"" PARENT_SCOPE)
endfunction()

# The bytes of `file` as an array called `name`.
function(conccl_byte_array result file name)
  file(READ ${file} digits HEX)
  string(REGEX REPLACE "(................................)" "\\1\n    " digits "${digits}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," digits "${digits}")
  set(${result} "  alignas(16) static constexpr unsigned char ${name}[] = {\n    ${digits}};\n"
      PARENT_SCOPE)
endfunction()

function(conccl_write_embedded)
  set(arrays "")
  set(entries "")
  foreach(file IN LISTS FILES)
    get_filename_component(stem ${file} NAME_WLE)
    if(BYTES)
      set(content kBytes_${stem})
      conccl_byte_array(array ${file} ${content})
      string(APPEND arrays "${array}")
    else()
      conccl_raw_literal(content ${file})
    endif()
    string(APPEND entries "    ${TYPE}{\"${stem}\", ${content}},\n")
  endforeach()
  set(body "${arrays}  static constexpr ${TYPE} kFiles[] = {\n${entries}  };\n  return kFiles;\n")
  if(entries STREQUAL "")
    set(body "  return {};\n")
  endif()
  file(WRITE ${OUTPUT}
       "#include \"${HEADER}\"\n\n"
       "namespace ${NAMESPACE} {\n\n"
       "std::span<const ${TYPE}> ${FUNCTION}() {\n${body}}\n\n"
       "}  // namespace ${NAMESPACE}\n")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  conccl_write_embedded()
endif()
