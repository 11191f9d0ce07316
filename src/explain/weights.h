// What each kind of evidence is worth; docs/explain.md says how these were set.
#pragma once

namespace faultline::explain {

struct Weights {
  double repairs = 3.4; // the first decision that repairs; further ones: less by `furtherRepair` each
  double furtherRepair = 0.22;
  double several = 0.7;  // of `repairs`, if several executions have to be decided otherwise
  double around = 0.6;   // of `repairs`, if a decision that repairs as well was only made because of this one
  double asksOnly = 0.4; // of `repairs` and `change`, if it only asks what a call gave back, within which
                         // another decision repairs
  double refusal = 0.6;  // of `repairs`, at least, for that other one, where the run did not crash
  double called = 0.25;  // of what a decision that repairs has, the call that led to it; half for the one
                         // around
  double calledOfMany = 0.5;      // the same, if many call the decision's function
  double change = 6.0;            // the likeliest change that repairs; by its form and order
  double toEquality = 0.4;        // of it, for `==` where `<=` stands, and the like
  double toOrder = 0.7;           // of it, for `<=` where `==` stands
  double ofBits = 0.6;            // of it, for another operator where bits are put together
  double unwrittenOperator = 0.4; // of it, where the source has no such operator
  double nextLetter = 0.4;        // of it, for another letter, as the next of a number may be
  double ofMany = 0.6; // of `change`, if many call its function: it has long done right by the others
  double again = 0.5;  // a further line of a function with the same change counts 1 / (1 + this), and so on
  double feedsRepair = 0.75; // the first line of what made that decision
  double under = 0.5;        // of what a decision that repairs has, the first line executed because of it
  double halfUnder = 3;
  double madeFailure = 1.4; // the first line of the failure's own cause
  double inTree = 0.7;      // the first line below it
  double halfMade = 8;      // lines of the failure's own cause after which that weight is halved
  double halfTree = 12;     // lines to be read in the tree after which that weight is halved
  double halfFeeds = 3;
  double inSlice = 0.32; // the first line of the relevant slice
  double halfSlice = 12;
  double invariant = 0.7; // the last line that made what had to hold
  double halfInvariant = 6;
  double inChop = 0.2;     // the line of the chop that is closest to the failure
  double halfInserted = 4; // places for an assignment that is missing after which that weight is halved
  double halfGuards = 4;   // guards that help, from the failure backwards, after which that weight is halved
  // What repairs says as much as it is rare: in full, if one of so many that were tried does.
  double rare = 500;
  double leastRare = 0.15, leastRareDecision = 0.5; // of `change`, of `repairs`
  // Of `repairs`, `change` and `feedsRepair`, where nobody has said what should be printed: the run may pass
  // because it goes another way. Where it is known how far it strays, `untold`; else, if it crashed or hung,
  // `crash`.
  double untold = 0.5, crash = 0.2;
  double stray = 2;         // of that, the less the further it strays: an exponent
  double leadsAround = 0.7; // of that, if it does not come through where it failed
  double orderly = 0.7;     // of that, if it ends by itself, but with a status that is not 0
  double complains = 0.3;   // of `repairs` and `change`, if it still prints the same to standard error
  double partial = 0.7;   // of `repairs` and `change`, if all of the wrong output but its end came out right
  double noticed = 0.3;   // of what led to where the allocator noticed that its blocks had been written over
  double atFailure = 0.8; // of all weights of the line that failed
  double illegalAccess = 2.0;    // the first access that no run may make
  double unwritten = 0.6;        // of it, if it only uses what nobody has written
  double idleAccess = 0.35;      // of it, if it is a read on whose value the failure does not depend
  double furtherAccess = 0.3;    // of it, for those that follow
  double accessObject = 1.6;     // of it, where its block was allocated too small, or freed too early
  double constantObject = 0.5;   // of that, if its size is fixed: it is rather that something is not asked
  double accessWithin = 0.4;     // of that, in the program's own function around malloc or free
  double accessCaller = 0.75;    // of that, for the call that led to the freeing, and so on from inside out
  double allocationCaller = 0.4; // of that, for the call that led to the allocation, and so on
  double madeNothing = 1.4;      // of it, for what made the size of 0 by which realloc() gave the block back
  double halfNothing = 1.5;
  double allowedAccess = 0.4; // of it, for the decision that led there; half of it for the one around
  double allowedBlock = 0.8;  // of it, for the decision that led to asking for its block; half, ...
  double ledToAccess = 0.3;   // of it, for the call that led to it; half of it for the one around, and so on
  double madeAddress = 0.5;   // of it, for the first line of what made its address, or its block's size
  double halfAddress = 4;
  double guard = 0.8;     // the decision that led to where the run crashed; half of it for the one around
  double loopTest = 0.4;  // of what a decision has that lacks a condition, if a loop asks it in each round
  double recursion = 1.0; // the innermost call of a recursion that took all of the stack
  double halfRecursion = 6;
  double complaint = 1.2; // where the program complained; half of it for the call around, and so on
  double halfComplaint = 2;
  double beforeCrash = 0.5; // of it, where the run crashed: it was not for that that it complained
  double ignored = 2.2;     // of `complaint`, a call around it whose result says so and is not looked at
  double chose =
      1.2; // the decision that the failing value was set to a constant; half of it for the one around
  double passesOn = 0.6;  // of `madeFailure` and `invariant`, if the line only passes the value on
  double namesText = 2.2; // the line that names the text which the failing value was copied from
  double saysText =
      0.4; // of it, if it is an argument there: a message, and something else decides whether it comes
  double namesDecided = 2.4; // the same of the first decision that repairs the run, as much of it as of that
  double halfTexts = 2;
  double broken = 4;    // of `onStack`, where an assertion failed: what was handed to it was wrong
  double onStack = 0.2; // the call that led to where the run failed by itself; half of it for the one around
};

} // namespace faultline::explain
