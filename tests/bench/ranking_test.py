"""The arithmetic of rankings: what is counted, and what a tie, a missing fault and a folded line count as."""
import unittest

import ranking

FAULT = [("src/a.c", 7)]


class Rank(unittest.TestCase):
    def test_counts_different_lines_up_to_the_fault(self):
        groups = [[("/w/src/a.c", 1)], [("/w/src/a.c", 1)], [("/w/src/b.c", 7)], [("/w/src/a.c", 7)]]
        self.assertEqual(ranking.rank(groups, FAULT), 3)

    def test_a_file_of_the_same_name_elsewhere_is_another(self):
        self.assertIsNone(ranking.rank([[("/w/lib/a.c", 7)]], FAULT))
        self.assertEqual(ranking.rank([[("a.c", 7)]], FAULT), 1)

    def test_of_several_fault_lines_the_first_counts(self):
        self.assertEqual(ranking.rank([[("a.c", 3)], [("a.c", 8)], [("a.c", 7)]], [("a.c", 7), ("a.c", 8)]), 2)

    def test_in_a_tie_the_fault_is_met_half_way(self):
        tie = [("a.c", n) for n in range(5, 10)]
        self.assertEqual(ranking.rank([[("a.c", 1)], tie], [("a.c", 7)]), 1 + 3)
        self.assertEqual(ranking.rank([tie], [("a.c", 7), ("a.c", 9)]), 2)

    def test_a_fault_that_is_not_there_has_no_rank(self):
        self.assertIsNone(ranking.rank([[("a.c", 1)]], FAULT))
        self.assertIsNone(ranking.rank([], FAULT))


class Figures(unittest.TestCase):
    def test_the_score_is_the_share_that_need_not_be_read(self):
        self.assertAlmostEqual(ranking.score(5, 100), 0.95)
        self.assertEqual(ranking.score(None, 100), 0)
        self.assertEqual(ranking.score(120, 100), 0)

    def test_what_was_not_found_is_in_no_top_and_above_every_median(self):
        self.assertEqual(ranking.within([1, 3.5, None, 9], 5), 2)
        self.assertEqual(ranking.middle([1, None, 4]), 4)
        self.assertIsNone(ranking.middle([1, None, None]))
        self.assertIsNone(ranking.middle([1, None]))


class Orders(unittest.TestCase):
    def test_ochiai_puts_what_only_failing_tests_execute_first(self):
        only, both, mostly = ("a.c", 1), ("a.c", 2), ("a.c", 3)
        groups = ranking.ochiai([{only, both, mostly}], [{both}, {both, mostly}])
        self.assertEqual(groups, [[only], [mostly], [both]])

    def test_a_slice_is_read_from_the_failure_backwards(self):
        start = {"file": "a.c", "line": 9}
        statements = [{"file": "a.c", "line": 1, "used_at": {"file": "a.c", "line": 5}, "instance": "@4"},
                      {"file": "a.c", "line": 5, "used_at": start, "instance": "@6"},
                      {"file": "a.c", "line": 8, "used_at": start, "instance": "@8"},
                      {"file": "s.h", "line": 2, "used_at": start, "instance": "@9", "library": True}]
        self.assertEqual(ranking.by_distance(statements, start), [[("a.c", 8)], [("a.c", 5)], [("a.c", 1)]])

    def test_a_tree_is_read_in_its_own_order(self):
        answer = {"order": [{"file": "a.c", "line": n, "node": 0} for n in (9, 3, 20)], "nodes": []}
        self.assertEqual(ranking.rank(ranking.tree_order(answer), [("a.c", 20)]), 3)
        self.assertIsNone(ranking.rank(ranking.tree_order({}), [("a.c", 20)]))


class Ablation(unittest.TestCase):
    """`explain` said a, b, c; what would it have said without a technique?"""

    @staticmethod
    def suspect(rank, line, failing=1.0, **evidence):
        weights = {name.replace("_", "-"): weight for name, weight in evidence.items()}
        return {"rank": rank, "place": {"file": "p.c", "line": line}, "score": failing * sum(weights.values()),
                "evidence": [{"technique": name, "weight": weight} for name, weight in weights.items()]}

    def setUp(self):
        self.document = {"suspects": [self.suspect(1, 10, changes=5, slice=0.1), self.suspect(2, 20, critical=3, causes=1),
                                      self.suspect(3, 30, feeds=0.7, memory_object=0.5), self.suspect(4, 40, 0.5, causes=1.5)]}

    def lines(self, *left_out):
        return [line for [(_, line)] in ranking.fused_without(self.document, left_out)]

    def test_nothing_left_out_is_the_order_that_was_told(self):
        self.assertEqual(self.lines(), [10, 20, 30, 40])

    def test_what_a_technique_found_goes_with_it(self):
        self.assertEqual(self.lines("changes"), [20, 30, 40, 10])
        self.assertEqual(self.lines("changes", "slice"), [20, 30, 40])

    def test_what_made_a_decision_goes_with_either(self):
        self.assertEqual(self.lines("critical"), [10, 20, 40, 30])
        self.assertEqual(self.lines("causes"), [10, 20, 30])
        self.assertEqual(self.lines("memory", "causes"), [10, 20])

    def test_the_line_that_failed_keeps_its_share(self):
        # 1.5 would come before 1; half of it does not.
        self.assertEqual(self.lines("changes", "critical", "memory", "slice"), [20, 40])


if __name__ == "__main__":
    unittest.main()
