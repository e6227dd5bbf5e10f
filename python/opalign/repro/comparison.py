# SPDX-License-Identifier: Apache-2.0
"""compare.py: the template beside this file with its header filled in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

Json = Any
_MARK = "RUNNERS: dict[str, dict[str, Any]] = {}\n"


def comparison(description: Json, runners: dict[str, Json]) -> str:
    text = (Path(__file__).parent / "compare_template.py").read_text(encoding="utf-8")
    entries = [
        f'    "{name}": {{"python": {_quoted(runner["python"])}, '
        f'"path": [{", ".join([_quoted(p) for p in runner["pythonpath"]])}]}},'
        f"  # {runner['spec']}\n"
        for name, runner in runners.items()
    ]
    table = f"RUNNERS: dict[str, dict[str, Any]] = {{\n{''.join(entries)}}}\n"
    head = f"# Case {description['id']}: {description['verdict']}, {description['api']}\n"
    body = text.partition("\n")[2]  # without our licence line
    return head + body.replace(_MARK, table)


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
