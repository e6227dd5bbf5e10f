# SPDX-License-Identifier: Apache-2.0
"""Entry point of `opalign repro`: <python> main.py DESCRIPTION FOLDER. Standard library only,
Python >= 3.9.

DESCRIPTION is the JSON that src/opalign/cli/repro.cpp writes: the record, its inputs as ranges of a
data file, and for each runner its program (docs/protocol.md) and upstream gradients."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

# The folder of this file would shadow modules of other packages: the package's root replaces it.
sys.path[0] = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

from opalign.repro.arrays import Arrays  # noqa: E402
from opalign.repro.comparison import comparison  # noqa: E402
from opalign.repro.dialects import DIALECTS  # noqa: E402
from opalign.repro.script import Script  # noqa: E402


def main() -> int:
    with open(sys.argv[1], encoding="utf-8") as file:
        description = json.load(file)
    folder = Path(sys.argv[2])
    runners: dict[str, dict[str, Any]] = {}
    for runner in description["runners"]:
        framework = runner["framework"]
        if framework not in DIALECTS:
            print(f"{framework}: no scripts for this framework: {runner['spec']} is left out")
            continue
        twins = sum(other["framework"] == framework for other in runners.values())
        runners[framework if not twins else f"{framework}_{twins + 1}"] = runner
    if not runners:
        print(f"there are scripts for {', '.join(DIALECTS)} alone", file=sys.stderr)
        return 1
    files = {}
    with open(description["data"], "rb") as data:
        arrays = Arrays(data)
        for name, runner in runners.items():
            script = Script(description, runner, name, DIALECTS[runner["framework"]], arrays)
            files[f"repro_{name}.py"] = script.text()
        arrays.write(folder / "inputs.npz")
    files["compare.py"] = comparison(description, runners)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
        print(f"wrote {folder / name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
