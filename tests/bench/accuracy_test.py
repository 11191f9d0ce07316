"""bench/accuracy.py on a few small faults: it builds, checks, asks, and finds what is known to be found."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
FAULTS = ("cache/percent", "stats/deviation-n", "vm/underflow")


class Accuracy(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.work = pathlib.Path(scratch.name)

    def run_bench(self, *words):
        return subprocess.run([sys.executable, ROOT / "bench/accuracy.py", "--bin", os.environ["FAULTLINE_BIN"], "--work",
                               self.work, *words], capture_output=True, text=True, timeout=280)

    def test_known_faults_are_among_the_first_five(self):
        done = self.run_bench("--only", ",".join(FAULTS), "--techniques", "explain,explain only changes,backward slice,ochiai", "--json",
                              self.work / "rows.json", "--write", self.work / "table.md", "--print")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = json.loads((self.work / "rows.json").read_text())
        self.assertEqual(sorted(r["fault"] for r in rows), sorted(FAULTS))
        for row in rows:
            self.assertLessEqual(row["by"]["explain"]["rank"] or 999, 5, row["fault"])
            self.assertGreater(row["by"]["explain"]["score"], 0.9, row["fault"])
            self.assertEqual(row["by"]["explain"]["document"]["technique"], "explain")
            self.assertLess(row["by"]["explain only changes"]["lines"], row["by"]["explain"]["lines"])
        self.assertIn("| cache/percent |", (self.work / "table.md").read_text())
        self.assertIn("<polyline", (self.work / "table.svg").read_text())

    def test_a_fault_that_does_not_fail_is_reported_and_not_measured(self):
        manifest = self.work / "subject.toml"
        (self.work / "p.c").write_text("int main(void) {\n  int a = 2;\n  return a - 2;\n}\n")
        manifest.write_text('name = "p"\nlanguage = "c"\n[build]\nsources = ["p.c"]\n[[fault]]\nname = "harmless"\n'
                            'kind = "extra statement"\nabout = "nothing"\nfile = "p.c"\nold = "  return"\n'
                            'new = "  a += 0;\\n  return"\n[fault.test]\n')
        done = self.run_bench("--techniques", "explain", manifest)
        self.assertEqual(done.returncode, 1)
        self.assertIn("p/harmless does not fail", done.stderr)


if __name__ == "__main__":
    unittest.main()
