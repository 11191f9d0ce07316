"""Which lines of a program did a run execute? By clang's counters, which a crash does not lose.

A line counts as executed if a region of code on it was, and if the program's line table has it: so neither comments nor
closing words count. What stands behind a crash in the same straight piece of code counts too; counters cannot tell.
"""
import json
import os
import re
import subprocess


def line_table(program):
    """Every line that has instructions, as {path: set of lines}; without those of the system's headers."""
    kept = program.with_name(program.name + ".lines")
    if kept.exists() and kept.stat().st_mtime > program.stat().st_mtime:
        return {path: set(lines) for path, lines in json.loads(kept.read_text()).items()}
    text = subprocess.run(["llvm-dwarfdump-19", "--debug-line", program], capture_output=True, text=True,
                          errors="replace", check=True).stdout
    found = {}
    for unit in text.split("\ndebug_line[")[1:]:
        folders = dict(re.findall(r'include_directories\[ *(\d+)\] = "(.*)"', unit))
        files = {}
        for number, name, folder in re.findall(r'file_names\[ *(\d+)\]:\s+name: "(.*)"\s+dir_index: (\d+)', unit):
            files[number] = os.path.realpath(os.path.join(folders.get("0", ""), folders.get(folder, ""), name))
        for line, number in re.findall(r"^0x[0-9a-f]+ +(\d+) +\d+ +(\d+) ", unit, re.M):
            if line != "0" and number in files and not files[number].startswith("/usr/"):
                found.setdefault(files[number], set()).add(int(line))
    kept.write_text(json.dumps({path: sorted(lines) for path, lines in found.items()}))
    return found


def executed(program, profile):
    """The lines (path, number) that a run with its counters in `profile` executed."""
    indexed = profile.with_suffix(".profdata")
    subprocess.run(["llvm-profdata-19", "merge", profile, "-o", indexed], check=True, capture_output=True)
    text = subprocess.run(["llvm-cov-19", "export", "-format=lcov", "-skip-functions", program,
                           f"-instr-profile={indexed}"], check=True, capture_output=True, text=True, errors="replace").stdout
    table, lines, path = line_table(program), set(), ""
    for entry in text.splitlines():
        if entry.startswith("SF:"):
            path = os.path.realpath(entry[3:])
        elif entry.startswith("DA:"):
            number, count = entry[3:].split(",")[:2]
            if count != "0" and int(number) in table.get(path, ()):
                lines.add((path, int(number)))
    return lines
