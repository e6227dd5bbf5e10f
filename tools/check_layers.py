#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Holds the #include lines of src/opalign against the stages' arrows.

The arrows stand in one place, the opalign_stage(NAME DEPENDS ...) lines of CMakeLists.txt; they are
transitive. Folders without such a line (cli, bind) are the top and may include every stage.
"""

import re
import sys
from pathlib import Path

STAGE = re.compile(r"^opalign_stage\((?P<name>\w+)(?P<rest>[^)]*)\)", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*(?P<open>[<"])(?P<path>[^>"]+)[>"]')
KEYWORDS = {"DEPENDS", "LINK"}
TOP = {"cli", "bind"}


def direct_arrows(cmake: str) -> dict[str, set[str]]:
    """Stage -> the stages after DEPENDS on its line."""
    arrows: dict[str, set[str]] = {}
    for match in STAGE.finditer(cmake):
        keyword = ""
        arrows[match["name"]] = set()
        for word in match["rest"].split():
            if word in KEYWORDS:
                keyword = word
            elif keyword == "DEPENDS":
                arrows[match["name"]].add(word)
    return arrows


def allowed_includes(arrows: dict[str, set[str]]) -> dict[str, set[str]]:
    """Stage -> itself and all that it reaches. An arrow to a stage not yet named is an error, so
    that the order of the lines proves that there is no cycle."""
    allowed: dict[str, set[str]] = {}
    for stage, depends in arrows.items():
        allowed[stage] = {stage}
        for other in sorted(depends):
            if other not in allowed:
                raise ValueError(f"CMakeLists.txt: stage {stage} depends on {other}, not above it")
            allowed[stage] |= allowed[other]
    return allowed


def check_file(file: Path, stage: str, allowed: set[str]) -> list[str]:
    problems = []
    for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1):
        match = INCLUDE.match(line)
        if not match:
            continue
        place = f"{file}:{number}"
        if match["open"] == '"':
            problems.append(f'{place}: write <opalign/stage/file.hpp>, not "{match["path"]}"')
            continue
        parts = match["path"].split("/")
        if parts[0] != "opalign":
            continue
        if len(parts) != 3:
            problems.append(f"{place}: expected <opalign/stage/file.hpp>, got <{match['path']}>")
        elif parts[1] not in allowed:
            may = ", ".join(sorted(allowed))
            problems.append(f"{place}: {stage} includes {parts[1]}; it may include {may}")
    return problems


def check(root: Path) -> list[str]:
    """All violations below root/src/opalign, one line each."""
    arrows = direct_arrows((root / "CMakeLists.txt").read_text(encoding="utf-8"))
    if not arrows:
        return ["CMakeLists.txt: no opalign_stage(...) line found"]
    try:
        allowed = allowed_includes(arrows)
    except ValueError as error:
        return [str(error)]
    problems = []
    for folder in sorted((root / "src" / "opalign").iterdir()):
        if folder.name in TOP:
            may = set(arrows) | {folder.name}
        elif folder.name in allowed:
            may = allowed[folder.name]
        else:
            problems.append(f"{folder}: no opalign_stage({folder.name} ...) in CMakeLists.txt")
            continue
        for file in sorted([*folder.rglob("*.hpp"), *folder.rglob("*.cpp")]):
            problems += check_file(file, folder.name, may)
    return problems


def main() -> int:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    problems = check(root)
    for problem in problems:
        print(problem, file=sys.stderr)
    if not problems:
        print("layers: every include follows the arrows of CMakeLists.txt")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
