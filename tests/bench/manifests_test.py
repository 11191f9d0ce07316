"""The manifests under subjects/ hold, and what is wrong with one is said."""
import pathlib
import tempfile
import unittest

import manifests

GOOD = """
name = "p"
language = "c"
[build]
sources = ["p.c"]
[[fault]]
name = "less"
kind = "wrong operator"
set = "tune"
about = "compares the other way"
file = "p.c"
after = "int g"
old = "a < b"
new = "a > b"
[fault.test]
stdin = "x"
"""
SOURCE = "int f(int a, int b) { return a < b; }\nint g(int a, int b) {\n  int c = a;\n  return a < b;\n}\n"


class Ours(unittest.TestCase):
    def test_all_are_consistent_and_every_change_applies(self):
        self.assertEqual(manifests.check(manifests.all_paths()), [])

    def test_every_kind_of_fault_is_there(self):
        faults = [f for s in manifests.load_all() for f in s.faults]
        self.assertEqual({f.kind for f in faults}, set(manifests.KINDS))
        own = [f for f in faults if not f.subject.package]
        self.assertGreaterEqual(len(own), 40)
        self.assertGreaterEqual(len({f.subject.name for f in own}), 8)

    def test_about_half_of_the_faults_are_held_out(self):
        faults = [f for s in manifests.load_all() for f in s.faults]
        held = sum(f.set == "held-out" for f in faults)
        self.assertTrue(0.35 < held / len(faults) < 0.65, f"{held} of {len(faults)}")


class Format(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = pathlib.Path(scratch.name)
        (self.folder / "p.c").write_text(SOURCE)

    def load(self, text):
        path = self.folder / "subject.toml"
        path.write_text(text)
        return manifests.load(path)

    def refused(self, text, words):
        with self.assertRaisesRegex(manifests.ManifestError, words):
            for fault in self.load(text).faults:
                fault.places(self.folder)

    def test_the_line_comes_from_the_change(self):
        self.assertEqual(self.load(GOOD).faults[0].places(self.folder), [("p.c", 4)])

    def test_a_comment_of_several_lines_is_no_neighbour(self):
        lines = ["  a = 1;", "  /* what", "     comes now */", "  b = 2; /* one", "  more */ c = 3;"]
        self.assertEqual(manifests.beside(lines, 1), [1, 4])
        self.assertEqual(manifests.beside(lines, 4), [4, 5])

    def test_a_missing_statement_is_beside_its_neighbours(self):
        text = GOOD.replace('"a < b"', '"  int c = a;\\n"').replace('"a > b"', '""')
        self.assertEqual(self.load(text).faults[0].places(self.folder), [("p.c", 2), ("p.c", 3)])

    def test_other_comments_and_braces_are_no_fault(self):
        right = "int f(int a) {\n  /* one */\n  if (a)\n  {\n    a++;\n  }\n  // two\n  return a; /* that is\n  all */\n}\n"
        faulty = right.replace("one", "1").replace("  {\n", "").replace("  }\n", "").replace("two", "2").replace("all */", "it */")
        self.assertEqual(manifests.changed_lines(right, faulty), [])
        self.assertEqual(manifests.changed_lines(right, faulty.replace("a++", "a--")), [4])
        self.assertEqual(manifests.changed_lines("  if (a)\n  {\n    b(a);\n", "if (a) {\n  b(1);\n"), [2])

    def test_a_patch_is_a_change(self):
        patch = "--- a/p.c\n+++ b/p.c\n@@ -3,3 +3,3 @@\n   int c = a;\n-  return a < b;\n+  return a <= b;\n }\n"
        (self.folder / "x.patch").write_text(patch)
        text = GOOD.replace('file = "p.c"\nafter = "int g"\nold = "a < b"\nnew = "a > b"', 'patch = "x.patch"')
        self.assertEqual(self.load(text).faults[0].places(self.folder), [("p.c", 4)])

    def test_a_fix_of_the_package_is_taken_away(self):
        documents = "diff --git a/NEWS b/NEWS\n--- a/NEWS\n+++ b/NEWS\n@@ -1 +1,2 @@\n news\n+fixed\n"
        fix = "diff --git a/p.c b/p.c\n--- a/p.c\n+++ b/p.c\n@@ -3,3 +3,3 @@\n   int c = a;\n-  return a <= b;\n+  return a < b;\n }\n"
        (self.folder / "debian").mkdir()
        (self.folder / "debian/fix.patch").write_text("Subject: less\n\n" + fix + documents)
        text = GOOD.replace('file = "p.c"\nafter = "int g"\nold = "a < b"\nnew = "a > b"', 'unpatch = "debian/fix.patch"')
        fault = self.load(text).faults[0]
        self.assertEqual(fault.places(self.folder), [("p.c", 4)])
        self.assertEqual(fault.faulty_texts(self.folder), {"p.c": SOURCE.replace("c = a;\n  return a < b", "c = a;\n  return a <= b")})
        self.refused(text.replace("fix.patch", "no.patch"), "there is no")
        (self.folder / "debian/fix.patch").write_text(fix.replace("int c = a", "int d = a").replace("a < b", "a == b"))
        self.refused(text, "does not apply")

    def test_what_is_wrong_is_said(self):
        self.refused(GOOD.replace("a < b", "a == b"), "no 'a == b' behind 'int g'")
        self.refused(GOOD.replace("wrong operator", "strange"), "kind 'strange' is none of")
        self.refused(GOOD.replace("about", "abuot"), "unknown: abuot; missing: about")
        self.refused(GOOD.replace('"a > b"', '"a < b"'), "changes nothing")
        self.refused(GOOD.replace("[fault.test]", 'belongs = ["no such line"]\n[fault.test]'), "belongs")
        self.refused(GOOD + GOOD[GOOD.index("[[fault]]"):], "same name")
        self.refused(GOOD.replace("sources", "source"), "build: unknown: source")


if __name__ == "__main__":
    unittest.main()
