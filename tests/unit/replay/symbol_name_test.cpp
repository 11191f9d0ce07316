#include "replay/symbol_name.h"

#include <gtest/gtest.h>

namespace faultline::replay {
namespace {

TEST(SymbolName, OnlyTheNameIsKept) {
  EXPECT_EQ(functionName("main"), "main");
  EXPECT_EQ(functionName("_ZSt9terminatev"), "std::terminate");
  EXPECT_EQ(functionName("_ZNSt6vectorIiSaIiEEixEm"), "std::vector<int>::operator[]");
  EXPECT_EQ(functionName("_ZNKSt8functionIFivEEclEv"), "std::function<int ()>::operator()");
  EXPECT_EQ(functionName("_Z3addIiET_S0_S0_"), "add<int>");
  EXPECT_EQ(functionName("_ZN12_GLOBAL__N_13runEi"), "(anonymous namespace)::run");
  EXPECT_EQ(functionName("_Znwm"), "operator new");
}

} // namespace
} // namespace faultline::replay
