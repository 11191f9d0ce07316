# A folder under src/ is one library, made of every .cpp in it. Dependencies point one way: a layer names
# only layers above it in docs/architecture.md, and tests/check_includes.py keeps the headers to that.
#
#   fl_layer(replay DEPENDS base abi program recording)
option(FAULTLINE_WERROR "Treat our own warnings as errors" ON)
set(FAULTLINE_SANITIZE "" CACHE STRING "Sanitizers for our own code, e.g. address,undefined")

add_library(fl_flags INTERFACE)
target_compile_options(fl_flags INTERFACE -Wall -Wextra -Wno-unused-parameter
  $<$<BOOL:${FAULTLINE_WERROR}>:-Werror>
  # Assertions stay on in release builds.
  -UNDEBUG)
# The fuzz targets are worth little if the layers do not tell which way was taken.
option(FAULTLINE_FUZZ "Build the fuzz targets, and everything with libFuzzer's instrumentation and ASan" OFF)
if(FAULTLINE_FUZZ)
  list(PREPEND FAULTLINE_SANITIZE fuzzer-no-link address)
  list(JOIN FAULTLINE_SANITIZE , FAULTLINE_SANITIZE)
endif()
if(FAULTLINE_SANITIZE)
  target_compile_options(fl_flags INTERFACE -fsanitize=${FAULTLINE_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(fl_flags INTERFACE -fsanitize=${FAULTLINE_SANITIZE})
endif()

# Headers that nearly every file has are parsed once. Off where it counts that a file includes what it uses.
option(FAULTLINE_PRECOMPILE "Precompile the headers that the layers share" OFF)

function(fl_layer name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*/*.cpp)
  list(TRANSFORM ARG_DEPENDS PREPEND fl_)
  add_library(fl_${name} STATIC ${sources})
  target_include_directories(fl_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(fl_${name} PUBLIC fl_flags ${ARG_DEPENDS} PRIVATE ${ARG_LIBRARIES})
  if(FAULTLINE_PRECOMPILE AND name STREQUAL base)
    target_precompile_headers(fl_base PRIVATE <algorithm> <chrono> <filesystem> <functional> <map> <memory>
      <optional> <set> <string> <vector> <fmt/format.h>)
  elseif(FAULTLINE_PRECOMPILE)
    target_precompile_headers(fl_${name} REUSE_FROM fl_base)
  endif()
endfunction()
