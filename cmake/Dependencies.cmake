# The libraries we stand on; docs/dependencies.md gives the reason for each.
find_package(LLVM 19.1 REQUIRED CONFIG HINTS /usr/lib/llvm-19/lib/cmake/llvm)
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(PkgConfig REQUIRED)
pkg_check_modules(ZSTD REQUIRED IMPORTED_TARGET libzstd)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)
find_package(Threads REQUIRED)

add_library(fl_llvm INTERFACE)
target_include_directories(fl_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
target_compile_definitions(fl_llvm INTERFACE ${LLVM_DEFINITIONS})
target_link_libraries(fl_llvm INTERFACE ${LLVM_LIBRARY_DIRS}/libLLVM.so)
