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

# Several files of a layer are compiled as one (CMAKE_UNITY_BUILD, in the presets that ./check and ./demo build):
# most of the time goes into the headers, LLVM's above all. The preset debug compiles each file by itself, which
# is what shows an include that is missing.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 6)

# Under the sanitizers most tests wait for these; to optimise the others costs more than it saves.
set(FAULTLINE_HOT_LAYERS base program replay depend logic)

function(fl_layer name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LIBRARIES" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*.cpp
    ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*/*.cpp)
  file(GLOB modules CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/*/module.cpp)
  foreach(module IN LISTS modules)
    get_filename_component(folder ${module} DIRECTORY)
    list(FILTER sources EXCLUDE REGEX "^${folder}/")
  endforeach()
  list(TRANSFORM ARG_DEPENDS PREPEND fl_)
  add_library(fl_${name} STATIC ${sources})
  target_include_directories(fl_${name} PUBLIC ${CMAKE_SOURCE_DIR}/src)
  target_link_libraries(fl_${name} PUBLIC fl_flags ${ARG_DEPENDS} PRIVATE ${ARG_LIBRARIES})
  if(FAULTLINE_SANITIZE AND name IN_LIST FAULTLINE_HOT_LAYERS)
    target_compile_options(fl_${name} PRIVATE -O1)
  endif()
endfunction()

# A folder of a layer that has a file module.cpp stands on libraries that take long to load, and is no part of the
# layer's own library: it becomes libfaultline_NAME.so, which base/module.h opens when it is first needed. Tests of
# what is in it link fl_NAME.
#
#   fl_module(logic solvers LIBRARIES ${Z3_LIBRARY} ${CVC5_LIBRARY})
function(fl_module layer name)
  cmake_parse_arguments(ARG "" "" "LIBRARIES" ${ARGN})
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${layer}/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "/module\\.cpp$")
  add_library(fl_${name} STATIC ${sources})
  target_link_libraries(fl_${name} PUBLIC fl_${layer} ${ARG_LIBRARIES})
  add_library(faultline_${name} MODULE ${folder}/module.cpp)
  target_link_libraries(faultline_${name} PRIVATE fl_${name})
  # It shows one name; what else is in it is there a second time, in who opens it.
  target_link_options(faultline_${name} PRIVATE -Wl,--exclude-libs,ALL)
  set_target_properties(faultline_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
  install(TARGETS faultline_${name} LIBRARY DESTINATION lib/faultline)
endfunction()
