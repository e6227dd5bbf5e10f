# SPDX-License-Identifier: Apache-2.0
"""Runs the scripts beside this file and shows how their outputs and gradients differ.

python compare.py                     with the interpreters named below
python compare.py NAME=PYTHON …       with another interpreter for the script repro_NAME.py
python compare.py --saved             nothing is run: reads out_NAME.npz, which
                                      `python repro_NAME.py out_NAME.npz` writes

The first script is held against each of the others. Needs NumPy; exits with 1 if a script fails."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

RUNNERS: dict[str, dict[str, Any]] = {}

HERE = Path(__file__).resolve().parent


def run(name: str, python: str, path: list[str]) -> bool:
    """Whether the script ended well; what it says of an error is shown."""
    script, out = HERE / f"repro_{name}.py", HERE / f"out_{name}.npz"
    if out.exists():
        out.unlink()
    environment = dict(os.environ)
    if path:
        environment["PYTHONPATH"] = os.pathsep.join(path)
    try:
        done = subprocess.run(
            [python, str(script), str(out)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            env=environment,
        )
    except OSError as error:
        print(f"{name}: {error}\n  name an interpreter: compare.py {name}=PYTHON")
        return False
    if done.returncode == 0:
        return True
    how = f"signal {-done.returncode}" if done.returncode < 0 else f"code {done.returncode}"
    lines = done.stderr.decode(errors="replace").strip().splitlines()[-12:]
    print(f"{name}: the script ended with {how}")
    print("".join([f"  {line}\n" for line in lines]))
    return False


def load(name: str) -> dict[str, np.ndarray] | None:
    file = HERE / f"out_{name}.npz"
    if not file.is_file():
        return None
    with np.load(file) as saved:
        return {key: saved[key] for key in saved.files}


def by_name(results: dict[str, np.ndarray]) -> dict[str, str]:
    """From a name, output, to the key that has its dtype too, output: float32."""
    return {key.rpartition(": ")[0]: key for key in results}


def compare(left: str, right: str, a: dict[str, np.ndarray], b: dict[str, np.ndarray]) -> None:
    names_a, names_b = by_name(a), by_name(b)
    print(f"{left} against {right}")
    for name in dict.fromkeys([*names_a, *names_b]):
        if name not in names_a or name not in names_b:
            print(f"  {name}: only {left if name in names_a else right} has it")
            continue
        dtypes = [names[name].rpartition(": ")[2] for names in (names_a, names_b)]
        x, y = a[names_a[name]], b[names_b[name]]
        print(f"  {name}: {describe(left, right, dtypes, x, y)}")


def describe(left: str, right: str, dtypes: list[str], x: np.ndarray, y: np.ndarray) -> str:
    what = f"{dtypes[0]} {list(x.shape)}"
    if dtypes[0] != dtypes[1]:
        what = f"DTYPES DIFFER: {left} {dtypes[0]}, {right} {dtypes[1]}; {list(x.shape)}"
    if x.shape != y.shape:
        return f"{what}, SHAPES DIFFER: {left} {list(x.shape)}, {right} {list(y.shape)}"
    if x.dtype.kind not in "biufc" or y.dtype.kind not in "biufc":
        return what + (", same" if str(x) == str(y) else f", DIFFERS: {left} {x}, {right} {y}")
    error = distances(x, y)
    count = int(np.count_nonzero(error))
    if count == 0:
        return f"{what}, same"
    worst = np.unravel_index(int(np.argmax(error)), x.shape)
    place = f" at {[int(i) for i in worst]}" if x.shape else ""
    return (
        f"{what}, {count} of {x.size} elements differ, max abs difference {error[worst]:.6g}\n"
        f"    worst{place}: {left} {x[worst]!s}, {right} {y[worst]!s}"
    )


def distances(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """|x - y|; 0 between nan and nan and between equal infinities, inf between nan and a number."""
    wide = np.clongdouble if "c" in (x.dtype.kind, y.dtype.kind) else np.longdouble
    with np.errstate(all="ignore"):
        error = np.abs(x.astype(wide) - y.astype(wide))
        same = (x == y) | (np.isnan(x) & np.isnan(y))
    error = np.where(np.isnan(error), np.inf, error)
    return np.where(same, 0, error)


def main(arguments: list[str]) -> int:
    if "--help" in arguments or "-h" in arguments:
        print(__doc__)
        return 0
    pythons = {}
    for argument in arguments:
        name, separator, python = argument.partition("=")
        if argument != "--saved" and (not separator or name not in RUNNERS):
            print(
                f"{argument}: expected NAME=PYTHON with a NAME of {', '.join(RUNNERS)}, or --saved"
            )
            return 2
        pythons[name] = python
    failed = False
    if "--saved" not in arguments:
        for name, runner in RUNNERS.items():
            ended = run(name, pythons.get(name, runner["python"]), runner["path"])
            failed = failed or not ended
    first, *others = RUNNERS
    if not others:
        print(f"only {first} has a script: there is nothing to hold it against")
    a = load(first)
    for other in others:
        b = load(other)
        if a is None or b is None:
            missing = [n for n, r in ((first, a), (other, b)) if r is None]
            print(f"{first} against {other}: no results of {', '.join(missing)}")
            failed = True
            continue
        compare(first, other, a, b)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
