// Parts of Faultline in shared objects of their own are found beside the executable, or it is said that they
// are not.
#include "base/module.h"

#include <gmock/gmock.h>
#include <thread>

namespace faultline {
namespace {

using ::testing::HasSubstr;

TEST(Module, IsFoundBesideTheExecutable) {
  auto library = ownLibrary("libfaultline_ir.so");
  ASSERT_TRUE(library);
  EXPECT_TRUE(library->is_absolute());
  EXPECT_EQ(library->filename(), "libfaultline_ir.so");
}

TEST(Module, IsOpenedOnceWhoeverAsks) {
  std::vector<const void*> tables(4);
  std::vector<std::thread> threads;
  for (const void*& table : tables)
    threads.emplace_back([&table] {
      auto opened = openModule("solvers");
      table = opened ? *opened : nullptr;
    });
  for (std::thread& t : threads) t.join();
  EXPECT_THAT(tables, ::testing::Each(tables[0]));
  EXPECT_NE(tables[0], nullptr);
}

TEST(Module, OneThatIsNotThereIsNamed) {
  auto opened = openModule("nowhere");
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("libfaultline_nowhere.so is not beside "));
  EXPECT_THAT(opened.error().message, HasSubstr("install Faultline again"));
}

} // namespace
} // namespace faultline
