#!/usr/bin/env python3
"""Subjects and their seeded faults, as the manifests under subjects/ describe them (docs/subjects.md has the format).

    bench/manifests.py [--sets] [MANIFEST...]     checks them; --sets writes tune or held-out where it is missing

A subject is a right program; a fault is a change of it, the run that fails with it, and, worked out from the change, the
lines where a person would have to mend it.
"""
import base64
import difflib
import hashlib
import pathlib
import re
import subprocess
import sys
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
KINDS = ("wrong operator", "wrong constant", "wrong condition", "missing statement", "extra statement", "wrong variable",
         "off by one", "initialisation", "pointer", "allocation", "order")
SETS = ("tune", "held-out")
SOURCE_SUFFIXES = {".c", ".C", ".h", ".cc", ".cpp", ".cxx", ".hh", ".hpp", ".hxx", ".ipp", ".inl", ".y", ".yy", ".l", ".ll"}
TEST_KEYS = {"name", "program", "args", "stdin", "files", "base64"}
EDIT_KEYS = {"file", "after", "old", "new"}
FAULT_KEYS = EDIT_KEYS | {"name", "kind", "set", "about", "edits", "patch", "unpatch", "belongs", "omission", "program", "test"}
SOURCE_KEYS, PACKAGE_KEYS = {"sources", "headers", "flags"}, {"package", "prepare", "make", "program"}


class ManifestError(Exception):
    """What is wrong, with the manifest's name in front."""


class Test:
    """One run: arguments, standard input, and files that stand in the directory where it runs."""

    def __init__(self, table, name, program):
        self.name, self.program = table.get("name", name), table.get("program", program)
        self.arguments = [str(a) for a in table.get("args", [])]
        self.stdin = table.get("stdin", "")
        self.files = {name: text.encode() for name, text in table.get("files", {}).items()}
        self.files.update((name, base64.b64decode(text)) for name, text in table.get("base64", {}).items())


class Edit:
    """`old` becomes `new` where it is first met behind the text `after`."""

    def __init__(self, table):
        self.file, self.old, self.new = table["file"], table["old"], table["new"]
        self.after = table.get("after", "")

    def apply(self, text):
        start = text.find(self.after)
        at = text.find(self.old, start) if start >= 0 else -1
        if at < 0:
            raise ManifestError(f"{self.file} has no {self.old!r}" + (f" behind {self.after!r}" if self.after else ""))
        return text[:at] + self.new + text[at + len(self.old):]


def is_code(line):
    """Whether a statement may stand there: no empty line, no comment, no brace alone."""
    return not re.fullmatch(r"\s*(//.*|/\*.*|\*([\s/].*)?|[{}();\s]*|(\}\s*)?else\s*\{?|#.*)", line)


def comment_lines(lines):
    """The indices of lines that lie wholly in a comment of several lines, the last one included if nothing follows."""
    found, is_inside = set(), False
    for n, line in enumerate(lines):
        if is_inside:
            _, end, rest = line.partition("*/")
            is_inside = not end
            if not rest.strip():
                found.add(n)
        else:
            is_inside = line.rfind("/*") > line.rfind("*/")
    return found


def beside(lines, at):
    """The numbers (from 1) of the nearest lines of code before and behind the place before line index `at`.

    The end of the function counts as one: what follows it has nothing to do with what is missing.
    """
    comments = comment_lines(lines)
    def counts(n):
        return n not in comments and is_code(lines[n]) or lines[n].startswith("}")
    before = next((n for n in range(at - 1, -1, -1) if counts(n)), None)
    behind = next((n for n in range(at, len(lines)) if counts(n)), None)
    return [n + 1 for n in (before, behind) if n is not None]


def changed_lines(right, faulty):
    """Where the fault is, in the faulty text: the changed and added lines; where lines are missing, those beside.

    Other indentation and another style of braces are no change, unless there is nothing else.
    """
    old, new = right.splitlines(), faulty.splitlines()
    return changes_of(old, new, lambda line: line.strip().removesuffix("{").rstrip()) or changes_of(old, new, str)


def changes_of(old, new, seen_as):
    was, now = [seen_as(line) for line in old], [seen_as(line) for line in new]
    head = common_head(was, now)
    tail = common_head(was[head:][::-1], now[head:][::-1])
    found, was_said, is_said = set(), comment_lines(old), comment_lines(new)
    matcher = difflib.SequenceMatcher(None, was[head:len(was) - tail], now[head:len(now) - tail], autojunk=False)
    for tag, gone, end, first, last in matcher.get_opcodes():
        here, there = range(head + first, head + last), range(head + gone, head + end)
        is_more = any(does_something(new, n, is_said) for n in here) or any(does_something(old, n, was_said) for n in there)
        if tag == "equal" or not is_more:
            continue
        code = [n + 1 for n in here if is_code(new[n]) and n not in is_said]
        found.update(code or beside(new, head + last))
    return sorted(found)


def does_something(lines, n, comments):
    """Whether it is more than a comment, blanks and braces: a patch may reword and indent, too."""
    return n not in comments and not re.fullmatch(r"\s*(//.*|/\*.*\*/\s*|/\*[^*]*|[{}\s]*)", lines[n])


def common_head(a, b):
    """How many lines both begin with. What they share there need not be matched, which takes minutes for a large file."""
    return next((n for n, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))


class Fault:
    def __init__(self, subject, table):
        self.subject, self.name, self.kind = subject, table["name"], table["kind"]
        self.about, self.set = table.get("about", ""), table.get("set", "")
        self.program = table.get("program", subject.program)
        self.test = Test(table["test"], f"{self.name} fails", self.program)
        single = [table] if "file" in table else []
        self.edits = [Edit(t) for t in single + table.get("edits", [])]
        self.omission = table.get("omission", False)
        self.patch, self.unpatch, self.belongs = table.get("patch"), table.get("unpatch"), table.get("belongs", [])

    @property
    def id(self):
        return f"{self.subject.name}/{self.name}"

    def drawn_set(self):
        """Chance decides which faults the weights may be set by: the hash of the name."""
        return SETS[hashlib.sha256(self.id.encode()).digest()[0] & 1]

    def faulty_texts(self, folder):
        """What the changed files (paths from `folder`, where the right version is) become."""
        texts = {}
        for edit in self.edits:
            text = texts.get(edit.file) or read(folder / edit.file)
            texts[edit.file] = edit.apply(text)
        if self.patch:
            texts.update(patched(folder, read_patch(self.subject.folder / self.patch), "-F0"))
        if self.unpatch:
            texts.update(patched(folder, source_parts(folder / self.unpatch), "-R"))
        return texts

    def places(self, folder):
        """The true fault lines as (file, line), in the faulty version of what `folder` has."""
        found = []
        for file, text in self.faulty_texts(folder).items():
            right = read(folder / file)
            if text == right:
                raise ManifestError(f"{self.id} changes nothing in {file}")
            found += [(file, line) for line in changed_lines(right, text)]
            found += [(file, n + 1) for n, line in enumerate(text.splitlines()) if line.strip() in self.belongs]
        missing = len(self.belongs) - sum(any(l.strip() == b for t in self.faulty_texts(folder).values()
                                              for l in t.splitlines()) for b in self.belongs)
        if missing:
            raise ManifestError(f"{self.id}: {missing} of the lines of `belongs` are not in the faulty version")
        return sorted(set(found))


def read_patch(path):
    if not path.exists():
        raise ManifestError(f"there is no {path}")
    return read(path)


def source_parts(path):
    """What a patch changes in files of C or C++ (not in documents, nor in tests of other kinds), a part for each."""
    parts = re.split(r"^(?=--- .*\n\+\+\+ )", read_patch(path), flags=re.M)[1:]
    parts = [re.split(r"^(?:diff|Index:) ", p, flags=re.M)[0] for p in parts]
    return "".join(p for p in parts if pathlib.Path(patched_names(p)[0]).suffix in SOURCE_SUFFIXES)


def patched_names(text):
    return re.findall(r"^\+\+\+ (?:[^/\s]+/)?(\S+)", text, re.M)


def patched(folder, text, *words):
    """What the files that a patch changes become by it; those that it makes or removes are left out."""
    names = [n for n in patched_names(text) if (folder / n).is_file()]
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            copy = pathlib.Path(scratch, name)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(read(folder / name), errors="surrogateescape")
        done = subprocess.run(["patch", "-s", "-p1", *words], cwd=scratch, capture_output=True,
                              input=text.encode(errors="surrogateescape"))
        if done.returncode != 0:
            raise ManifestError(f"the patch does not apply: {done.stdout.decode(errors='replace').strip()}")
        return {name: read(pathlib.Path(scratch, name)) for name in names if pathlib.Path(scratch, name).exists()}


def read(path):
    return path.read_text(errors="surrogateescape")


class Subject:
    def __init__(self, path, data):
        self.path, self.folder = path, path.parent
        self.name, self.language = data["name"], data["language"]
        self.about, self.timeout = data.get("about", ""), float(data.get("timeout", 10))
        self.build = data["build"]
        self.tests = [Test(t, f"test {n + 1}", self.program) for n, t in enumerate(data.get("test", []))]
        self.faults = [Fault(self, t) for t in data.get("fault", [])]

    @property
    def package(self):
        """The Debian source package, or None for a program whose sources stand beside the manifest."""
        return self.build.get("package")

    @property
    def program(self):
        return self.build.get("program", self.name)


def check_keys(where, table, allowed, needed):
    unknown, missing = set(table) - allowed, needed - set(table)
    if unknown or missing:
        words = [f"unknown: {', '.join(sorted(unknown))}"] * bool(unknown) + [f"missing: {', '.join(sorted(missing))}"] * bool(missing)
        raise ManifestError(f"{where}: {'; '.join(words)}")


def check_fault(where, fault):
    check_keys(where, fault, FAULT_KEYS, {"name", "kind", "test", "about"})
    if fault["kind"] not in KINDS:
        raise ManifestError(f"{where}: kind {fault['kind']!r} is none of {', '.join(KINDS)}")
    if fault.get("set", SETS[0]) not in SETS:
        raise ManifestError(f"{where}: set is {' or '.join(SETS)}")
    check_keys(f"{where}, test", fault["test"], TEST_KEYS, set())
    for edit in fault.get("edits", []):
        check_keys(f"{where}, edits", edit, EDIT_KEYS, {"file", "old", "new"})
    if "file" in fault:
        check_keys(where, fault, FAULT_KEYS, {"old", "new"})
    if not ({"file", "edits", "patch", "unpatch"} & set(fault)):
        raise ManifestError(f"{where}: needs file, old and new, or edits, or patch, or unpatch")


def load(path):
    path = pathlib.Path(path).resolve()
    try:
        data = tomllib.loads(path.read_text())
    except (OSError, tomllib.TOMLDecodeError) as error:
        raise ManifestError(f"{path}: {error}") from error
    check_keys(str(path), data, {"name", "language", "about", "timeout", "build", "test", "fault"}, {"name", "language", "build"})
    build = data["build"]
    if "package" in build:
        check_keys(f"{path}: build", build, PACKAGE_KEYS, {"make", "program"})
    else:
        check_keys(f"{path}: build", build, SOURCE_KEYS, {"sources"})
    for test in data.get("test", []):
        check_keys(f"{path}: test", test, TEST_KEYS, set())
    for fault in data.get("fault", []):
        check_fault(f"{path}: fault {fault.get('name', '?')}", fault)
    names = [f["name"] for f in data.get("fault", [])]
    if len(set(names)) != len(names):
        raise ManifestError(f"{path}: two faults have the same name")
    return Subject(path, data)


def seeded_paths():
    return sorted((ROOT / "subjects").glob("*/subject.toml")) + sorted((ROOT / "subjects/debian").glob("*.toml"))


def all_paths():
    """Those of real bugs, too: they are measured apart, by their names."""
    return seeded_paths() + sorted((ROOT / "subjects/real").glob("*.toml"))


def load_all(paths=()):
    return [load(p) for p in paths or seeded_paths()]


def write_sets(path):
    """Adds `set` below each fault's kind that has none."""
    subject, lines, name = load(path), [], None
    sets = {f.name: f.set or f.drawn_set() for f in subject.faults}
    text = path.read_text().splitlines()
    for number, line in enumerate(text):
        lines.append(line)
        if match := re.fullmatch(r'name = "(.*)"', line):
            name = match[1]
        if line.startswith("kind = ") and not text[number + 1].startswith("set = "):
            lines.append(f'set = "{sets[name]}"')
    path.write_text("\n".join(lines) + "\n")


def check(paths):
    """The words on what is wrong; empty if all is right. Edits of Debian's sources are not tried: they are not here."""
    wrong = []
    for path in paths:
        try:
            subject = load(path)
            for fault in subject.faults:
                if fault.set != fault.drawn_set():
                    wrong.append(f"{path}: {fault.name} is not in the set that chance gave it: {fault.drawn_set()}")
                if not subject.package and not fault.places(subject.folder):
                    wrong.append(f"{path}: {fault.name} has no line")
        except ManifestError as error:
            wrong.append(f"{path}: {error}")
    return wrong


def main():
    words = sys.argv[1:]
    paths = [pathlib.Path(w) for w in words if not w.startswith("-")] or all_paths()
    if "--sets" in words:
        for path in paths:
            write_sets(path)
    wrong = check(paths)
    for line in wrong:
        print(line, file=sys.stderr)
    if not wrong:
        faults = [f for s in load_all(paths) for f in s.faults]
        print(f"{len(paths)} manifests, {len(faults)} faults")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
