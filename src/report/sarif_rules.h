// What a SARIF result of ours can say. The ids never change their meaning: services know a result again by
// them.
#pragma once

#include <span>

namespace faultline::report {

struct SarifRule {
  const char *id, *name, *brief, *help, *level;
};

inline constexpr const char* kRuleFailure = "FL1000";
inline constexpr const char* kRuleSuspect = "FL1001";
inline constexpr const char* kRuleCause = "FL2001";
inline constexpr const char* kRuleCritical = "FL2002";
inline constexpr const char* kRuleSlice = "FL2003";
inline constexpr const char* kRuleChop = "FL2004";
inline constexpr const char* kRuleInvariant = "FL2005";
inline constexpr const char* kRuleChange = "FL2006";

std::span<const SarifRule> sarifRules();

} // namespace faultline::report
