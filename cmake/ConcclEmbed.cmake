# SPDX-FileCopyrightText: 2026 The ConCCL authors
# SPDX-License-Identifier: Apache-2.0

# conccl_embed(TARGET HEADER ... FUNCTION ... FILES ...): compiles text files into a target.
#
# HEADER is an include path that declares, in namespace conccl::c3, `struct KnownFile` and
# `std::span<const KnownFile> FUNCTION()`; this writes the definition, one entry per file named by
# its stem, and writes it anew when a file changes. FILES are relative to the source root.
#
# Run as a script (cmake -P), this file is what the build calls to write the definition.

function(conccl_embed target)
  cmake_parse_arguments(ARG "" "HEADER;FUNCTION" "FILES" ${ARGN})
  list(TRANSFORM ARG_FILES PREPEND ${CMAKE_SOURCE_DIR}/ OUTPUT_VARIABLE files)
  set(output ${CMAKE_CURRENT_BINARY_DIR}/${ARG_FUNCTION}.cpp)
  add_custom_command(
    OUTPUT ${output}
    COMMAND ${CMAKE_COMMAND} -DOUTPUT=${output} -DHEADER=${ARG_HEADER} -DFUNCTION=${ARG_FUNCTION}
            "-DFILES=${files}" -P ${CMAKE_CURRENT_FUNCTION_LIST_FILE}
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

function(conccl_write_embedded)
  set(entries "")
  foreach(file IN LISTS FILES)
    get_filename_component(stem ${file} NAME_WLE)
    conccl_raw_literal(literal ${file})
    string(APPEND entries "    KnownFile{\"${stem}\", ${literal}},\n")
  endforeach()
  file(WRITE ${OUTPUT}
       "#include \"${HEADER}\"\n\n"
       "namespace conccl::c3 {\n\n"
       "std::span<const KnownFile> ${FUNCTION}() {\n"
       "  static constexpr KnownFile kFiles[] = {\n${entries}  };\n"
       "  return kFiles;\n"
       "}\n\n"
       "}  // namespace conccl::c3\n")
endfunction()

if(CMAKE_SCRIPT_MODE_FILE STREQUAL CMAKE_CURRENT_LIST_FILE)
  conccl_write_embedded()
endif()
