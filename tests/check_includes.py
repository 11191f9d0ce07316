#!/usr/bin/env python3
"""Keeps the layers of src/ pointing one way (docs/architecture.md).

A folder includes only itself and folders above it in LAYERS. Some are held to less: what is linked into a
user's program sees abi/ alone, and a report sees the findings alone. One technique never includes another.

    check_includes.py ROOT         prints each include that breaks this, one a line; status 1 if there is any
    check_includes.py --self-test  shows that it finds what it should, on a tree made to break every rule
"""

import re
import sys
import tempfile
from pathlib import Path

LAYERS = ["base", "abi", "runtime", "program", "compiler", "recording", "replay", "depend", "logic",
          "experiment", "finding", "technique", "explain", "report", "cli"]
# abi/ is part of the runtime's world, so it may not lean on base/ either.
HELD_TO_LESS = {"abi": set(), "runtime": {"abi"}, "report": {"base", "finding"}}
SOURCES = {".h", ".hpp", ".c", ".cc", ".cpp", ".inc", ".def"}
INCLUDE = re.compile(r'^\s*#\s*include\s*["<]([^">]+)[">]')


def allowed_layers(layer):
    above = set(LAYERS[: LAYERS.index(layer)])
    return HELD_TO_LESS.get(layer, above) | {layer}


def included_path(src, file, name):
    """The included file relative to src/, or None if it is not one of ours."""
    beside = (file.parent / name).resolve()
    if beside.is_file() and beside.is_relative_to(src):
        return beside.relative_to(src)
    # Taken by its name even where there is no such file yet: it may be generated.
    path = Path(name)
    return path if len(path.parts) > 1 and path.parts[0] in LAYERS else None


def technique_of(path):
    return path.parts[1] if path.parts[0] == "technique" and len(path.parts) > 2 else None


def complaint(source, target):
    """Why `source` may not include `target` (both relative to src/), or None."""
    layer, other = source.parts[0], target.parts[0]
    if other not in allowed_layers(layer):
        allowed = sorted(allowed_layers(layer), key=LAYERS.index)
        return f"{layer}/ includes {target}; it may include {', '.join(allowed)}"
    one, another = technique_of(source), technique_of(target)
    if one and another and one != another:
        return f"technique {one} includes technique {another}; move what they share down a layer"
    return None


def complaints(root):
    src = (root / "src").resolve()
    for file in sorted(p for p in src.rglob("*") if p.suffix in SOURCES and p.is_file()):
        source = file.relative_to(src)
        if source.parts[0] not in LAYERS:
            yield f"src/{source}: not in a layer; add its folder to LAYERS and to docs/architecture.md"
            continue
        for number, line in enumerate(file.read_text(errors="replace").splitlines(), 1):
            match = INCLUDE.match(line)
            target = match and included_path(src, file, match[1])
            reason = target and complaint(source, target)
            if reason:
                yield f"src/{source}:{number}: {reason}"


SELF_TEST = [  # file, its include, whether that is fine
    ("base/a.h", "<vector>", True),
    ("base/a.cpp", '"base/a.h"', True),
    ("abi/a.h", '"base/a.h"', False),
    ("runtime/a.c", '"abi/a.h"', True),
    ("runtime/b.c", '"base/a.h"', False),
    ("replay/a.cpp", '"recording/a.h"', True),
    ("recording/a.cpp", '"replay/a.h"', False),
    ("program/a.cpp", '"../base/a.h"', True),
    ("base/b.cpp", '"../runtime/a.c"', False),
    ("base/c.cpp", "<cli/a.h>", False),
    ("technique/slice/a.cpp", '"technique/slice/a.h"', True),
    ("technique/slice/b.cpp", '"technique/chain/a.h"', False),
    ("technique/chain/a.cpp", '"technique/shared.h"', True),
    ("report/a.cpp", '"finding/a.h"', True),
    ("report/b.cpp", '"replay/a.h"', False),
    ("stray/a.cpp", "<vector>", False),
]


def self_test():
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        for name, include, _ in SELF_TEST:
            file = root / "src" / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(f"// a comment\n  #  include {include}\n")
        found = {line.split(":")[0].removeprefix("src/") for line in complaints(root)}
    expected = {name for name, _, fine in SELF_TEST if not fine}
    for name in sorted(found ^ expected):
        print(f"{name}: {'wrongly reported' if name in found else 'not reported'}")
    return found == expected


def main():
    if sys.argv[1:] == ["--self-test"]:
        return 0 if self_test() else 1
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(complaints(Path(sys.argv[1])))
    print("\n".join(found) or "All includes follow the layers.")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
