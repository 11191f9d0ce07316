#!/usr/bin/env python3
"""Holds our C and C++ to .clang-format.

    check_format.py ROOT         status 1, and clang-format's words, if any file would change
    check_format.py ROOT --fix   changes them
    check_format.py --self-test  shows that a badly laid out file is found and a good one is not
"""

import subprocess
import sys
import tempfile
from pathlib import Path

OURS = ["src", "tests", "bench", "subjects"]
SUFFIXES = {".h", ".hpp", ".c", ".cc", ".cpp"}
CLANG_FORMAT = "clang-format-19"


def listed_by_git(root):
    """What git has or would add, so that a file is checked before its first commit; None outside a clone."""
    command = ["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *OURS]
    try:
        names = subprocess.run(command, check=True, capture_output=True).stdout.decode().split("\0")
    except (OSError, subprocess.CalledProcessError):
        return None
    return [root / name for name in names if name]


def our_files(root):
    files = listed_by_git(root)
    if files is None:
        files = [path for folder in OURS for path in (root / folder).rglob("*")]
    return sorted({path for path in files if path.suffix in SUFFIXES and path.is_file()})


def clang_format(root, *options, output=None):
    files = our_files(root)
    return not files or subprocess.run([CLANG_FORMAT, *options, *map(str, files)], stderr=output).returncode == 0


def self_test():
    style = (Path(__file__).resolve().parent.parent / ".clang-format").read_text()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        (root / "src").mkdir()
        (root / ".clang-format").write_text(style)
        (root / "src" / "good.cpp").write_text("int good() { return 1; }\n")
        good = clang_format(root, "--dry-run", "-Werror", output=subprocess.DEVNULL)
        (root / "src" / "bad.cpp").write_text("int   bad( ){return 1 ;}\n")
        bad = clang_format(root, "--dry-run", "-Werror", output=subprocess.DEVNULL)
    return good and not bad


def main():
    arguments = sys.argv[1:]
    if arguments == ["--self-test"]:
        return 0 if self_test() else 1
    if not arguments or arguments[1:] not in ([], ["--fix"]):
        sys.exit(__doc__)
    root = Path(arguments[0])
    options = ["-i"] if len(arguments) == 2 else ["--dry-run", "-Werror"]
    if clang_format(root, *options):
        return 0
    print("Mend it with: tests/check_format.py . --fix")
    return 1


if __name__ == "__main__":
    sys.exit(main())
