# SPDX-License-Identifier: Apache-2.0
"""opalign repro: scripts that show the difference of a record with a framework and NumPy alone."""

import io
import json
import math
import os
import random
import re
import struct
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from places import ROOT
from test_run import environment_of, records
from test_run import run as liar_run

sys.path.insert(0, str(ROOT / "python"))

from opalign.repro.arrays import Arrays
from opalign.repro.prelude import Extract
from opalign.repro.translation import translate

CASES = {
    "nan": 'paddle.nn.functional.relu(Tensor([3],"float32", values=[nan, 1, -1]), )',
    "tie": 'paddle.max(Tensor([3],"float32", values=[1, 1, 0]), )',
    "pass": 'paddle.add(Tensor([4, 3],"float64"), Tensor([3],"float64", grad=False), )',
    "getitem": 'paddle.Tensor.__getitem__(Tensor([5, 4],"float32"), '
    "tuple(slice(1,None,2),slice(None,3,None),), )",
    "in_place": 'paddle.abs_(Tensor([6],"float32"), )',
    "bfloat16": 'paddle.transpose(Tensor([4, 6],"bfloat16", layout="step"), perm=[1, 0], )',
    "large": 'paddle.nn.functional.relu(Tensor([110, 100],"float32"), )',
    "beyond_pool": 'paddle.nn.functional.relu(Tensor([600, 500],"float32", full=nan), )',
    "complex": 'paddle.add(Tensor([3, 4],"complex64", layout="transposed"), '
    'Tensor([3, 4],"complex64", layout="offset"), )',
    "sequence": 'paddle.split(Tensor([6, 4],"float32"), num_or_sections=3, axis=0, )',
    "sparse": 'paddle.nn.functional.embedding(Tensor([3],"int64"), Tensor([10, 4],"float32"), '
    "sparse=True, )",
    "no_kernel": 'paddle.add(Tensor([3],"bfloat16"), Tensor([3],"bfloat16"), )',
    "statements": 'a = Tensor([16], "float32"); b = paddle.reshape(a, [4, 4]); '
    "c = paddle.sum(b, axis=[1]); d = paddle.add(b, c); check d, c",
}


@pytest.fixture(scope="module")
def run(
    opalign: Path, paddle_python: Path, torch_python: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """One run of all cases, on the real frameworks."""
    folder = tmp_path_factory.mktemp("repro") / "run"
    cases = [word for text in CASES.values() for word in ("--case", text)]
    done = subprocess.run(
        [opalign, "run", "--target", "paddle", "--reference", "torch", "--out", folder, *cases],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr  # some differ
    return folder


def reproduce(opalign: Path, run: Path, name: str, folder: Path) -> str:
    """Writes the scripts of a case; what the command printed."""
    record = records(opalign, run)[list(CASES).index(name)]
    done = subprocess.run(
        [opalign, "repro", run, record["id"][:12], "--out", folder],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert f"verdict of the run: {record['verdict']}; just now: {record['verdict']}" in done.stdout
    assert sorted(path.name for path in folder.iterdir() if path.suffix == ".py") == [
        "compare.py",
        "repro_paddle.py",
        "repro_torch.py",
    ]
    assert not [path for path in folder.iterdir() if path.name.startswith(".")]
    return done.stdout


def compare(folder: Path, python: Path, *arguments: str) -> tuple[int, list[str]]:
    """Runs compare.py where nothing leads to opalign; its lines without blanks before them."""
    environment = {"PATH": "/usr/bin:/bin", "HOME": os.environ["HOME"], "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        [python, folder / "compare.py", *arguments],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        cwd=folder,
    )
    assert done.stderr == ""
    return done.returncode, [line.strip() for line in done.stdout.splitlines()]


EXPECTED = {
    "nan": [
        "output: float32 [3], 1 of 3 elements differ, max abs difference inf",
        "worst at [0]: paddle 0.0, torch nan",
        "grad(x): float32 [3], 1 of 3 elements differ, max abs difference ",
        "worst at [0]: paddle -0.0, torch -0.",
    ],
    "tie": [
        "output: float32 [], same",
        "grad(x): float32 [3], 2 of 3 elements differ, max abs difference ",
        "worst at [0]: paddle ",
    ],
    "pass": ["output: float64 [4, 3], same", "grad(x): float64 [4, 3], same"],
    "getitem": ["output: float32 [2, 3], same", "grad(x): float32 [5, 4], same"],
    "in_place": ["output: float32 [6], same", "grad(x): float32 [6], same"],
    "bfloat16": ["output: bfloat16 [6, 4], same", "grad(x): bfloat16 [4, 6], same"],
    "large": ["output: float32 [110, 100], same", "grad(x): float32 [110, 100], same"],
    "beyond_pool": [
        "output: float32 [600, 500], 300000 of 300000 elements differ",
        "worst at [0, 0]: paddle 0.0, torch nan",
        "grad(x): float32 [600, 500], 300000 of 300000 elements differ",
        "worst at [",
    ],
    "complex": [
        "output: complex64 [3, 4], same",
        "grad(x): complex64 [3, 4], same",
        "grad(y): complex64 [3, 4], same",
    ],
    "sequence": [
        *[f"output[{i}]: float32 [2, 4], same" for i in range(3)],
        "grad(x): float32 [6, 4], same",
    ],
    "sparse": ["output: float32 [3, 4], same", "grad(weight): float32 [10, 4], same"],
    "statements": [
        "output[0]: float32 [4, 4], same",
        "output[1]: float32 [4], ",
        "grad(a): float32 [16], same",
    ],
}


def shown_elements(opalign: Path, run: Path, name: str) -> list[list[str]]:
    """Leaf, index, target and reference of the elements that `opalign show` prints."""
    record = records(opalign, run)[list(CASES).index(name)]
    done = subprocess.run(
        [opalign, "show", run, record["id"]], capture_output=True, text=True, check=True
    )
    found, leaf = [], ""
    for line in done.stdout.splitlines():
        if heading := re.fullmatch(r"  (output|grad\(x\))  float32 .*", line):
            leaf = heading[1]
        elif element := re.fullmatch(r" +\[([\d, ]+)\] +(\S+) +(\S+)", line):
            found.append([leaf, *element.groups()])
    return found


# Says how many of the elements are in the files that the scripts saved.
COUNT = """
import json, sys
import numpy as np
results = [np.load(f"out_{name}.npz") for name in ("paddle", "torch")]
count = 0
for leaf, index, *texts in json.loads(sys.argv[1]):
    for text, result in zip(texts, results):
        value = result[f"{leaf}: float32"][tuple(map(int, index.split(",")))]
        count += np.array_equal(np.float32(text), value, equal_nan=True)
print(count)
"""


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPECTED)
def test_scripts_show_what_the_run_found(
    opalign: Path, run: Path, torch_python: Path, tmp_path: Path, name: str
) -> None:
    reproduce(opalign, run, name, tmp_path)
    for script in tmp_path.glob("*.py"):
        text = script.read_text()
        assert "import opalign" not in text
        assert "from opalign" not in text
        assert max(map(len, text.splitlines())) <= 120
    code, lines = compare(tmp_path, torch_python)
    assert code == 0, lines
    assert lines[0] == "paddle against torch"
    found = lines[1:]
    if name == "statements":  # a sum may be rounded either way
        found = [line for line in found if not line.startswith("worst")]
    assert len(found) == len(EXPECTED[name]), lines
    for line, expected in zip(found, EXPECTED[name], strict=True):
        assert line.startswith(expected), lines
    if name in ("nan", "tie", "beyond_pool"):
        elements = shown_elements(opalign, run, name)
        assert {leaf for leaf, *_ in elements} >= {"grad(x)"}
        done = subprocess.run(
            [torch_python, "-c", COUNT, json.dumps(elements)],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
        )
        assert int(done.stdout) == 2 * len(elements)
    assert (tmp_path / "inputs.npz").exists() == (name in ("large", "beyond_pool"))


@pytest.mark.slow
def test_scripts_read_like_a_report(opalign: Path, run: Path, tmp_path: Path) -> None:
    reproduce(opalign, run, "nan", tmp_path)
    paddle = (tmp_path / "repro_paddle.py").read_text()
    assert paddle.startswith("# differs (forward nonfinite): paddle.nn.functional.relu\n")
    assert "# This script: paddle@3.3.1:cpu; the run also had torch@2.13.0:cpu." in paddle
    assert 'x = paddle.to_tensor(np.array([np.nan, 1.0, -1.0], "float32"))\n' in paddle
    assert "\nresult = paddle.nn.functional.relu(x)\n" in paddle
    assert "= paddle.grad([result], [x], [upstream], allow_unused=True)\n" in paddle
    torch = (tmp_path / "repro_torch.py").read_text()
    assert "\nresult = torch.relu(x)\n" in torch
    assert torch.count("\ndef ") == 1  # nothing of the preludes
    assert "= torch.autograd.grad([result], [x], [upstream], allow_unused=True)\n" in torch


@pytest.mark.slow
def test_failures_and_other_interpreters(
    opalign: Path, run: Path, torch_python: Path, paddle_python: Path, tmp_path: Path
) -> None:
    reproduce(opalign, run, "no_kernel", tmp_path)
    code, lines = compare(tmp_path, torch_python)
    assert code == 1
    assert lines[0] == "paddle: the script ended with code 1"
    assert any("kernel `add` is not registered" in line for line in lines)
    assert lines[-1] == "paddle against torch: no results of paddle"

    reproduce(opalign, run, "pass", tmp_path)
    code, lines = compare(tmp_path, torch_python, "torch=/nowhere/python")
    assert code == 1
    assert any("/nowhere/python" in line for line in lines)
    code, lines = compare(tmp_path, torch_python, f"torch={torch_python}")
    assert code == 0
    (tmp_path / "repro_paddle.py").unlink()  # not needed for what is saved
    code, lines = compare(tmp_path, torch_python, "--saved")
    assert (code, lines[1]) == (0, "output: float64 [4, 3], same")
    code, lines = compare(tmp_path, torch_python, "numpy=python")
    assert code == 2


@pytest.mark.slow
def test_errors_name_a_way_out(opalign: Path, run: Path) -> None:
    def error(*arguments: str | Path) -> str:
        done = subprocess.run(
            [opalign, "repro", *arguments], capture_output=True, text=True, check=False
        )
        assert done.returncode == 2
        return done.stderr

    assert "no record has an id that begins with 'xyz'" in error(run, "xyz")
    ids = [record["id"] for record in records(opalign, run)]
    ambiguous = error(run, "")
    assert f"{len(ids)} ids begin with ''" in ambiguous
    assert sorted(ids)[0] in ambiguous
    assert sorted(ids)[-1] not in ambiguous  # a list of all would be endless
    assert "run.db" in error(run.parent, ids[0])


def test_framework_without_scripts(opalign: Path, home: Path, tmp_path: Path) -> None:
    case = 'liar.nan(Tensor([2],"float32"), )'
    liar_run(opalign, home, "--out", tmp_path / "run", "--case", case)
    [record] = records(opalign, tmp_path / "run")
    catalog = ROOT / "tests" / "liar" / "catalog"
    done = subprocess.run(
        [opalign, "repro", tmp_path / "run", record["id"], "--catalog", catalog],
        env=environment_of(home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert "liar: no scripts for this framework" in done.stdout
    assert "torch, paddle" in done.stderr


def bits_of(text: str, letter: str) -> bytes:
    """What NumPy would make of a literal of floats."""

    def array(values: list[float], dtype: str) -> bytes:
        return struct.pack(f"<{len(values)}{letter}", *values)

    numpy = SimpleNamespace(array=array, nan=math.nan, inf=math.inf)
    result: bytes = eval(text, {"np": numpy})  # our own text
    return result


@pytest.mark.parametrize(
    ("dtype", "letter"), [("float16", "e"), ("float32", "f"), ("float64", "d")]
)
def test_literals_give_the_same_bits(dtype: str, letter: str) -> None:
    draw = random.Random(dtype)
    size = struct.calcsize(letter)
    special = [math.nan, math.inf, -math.inf, -0.0, 0.0, 1.0]
    edges = [b"\x01" + bytes(size - 1)]  # the smallest denormal
    edges += [
        bytes([255] * (size - 2)) + {"e": b"\x7b", "f": b"\x7f\x7f", "d": b"\xef\x7f"}[letter]
    ]
    edges[-1] = edges[-1].rjust(size, b"\xff")[-size:]  # the largest finite
    data = struct.pack(f"<{len(special)}{letter}", *special) + b"".join(edges)
    while len(data) < 128 * size:
        drawn = draw.randbytes(size)
        if struct.unpack(f"<{letter}", drawn)[0] == struct.unpack(f"<{letter}", drawn)[0]:
            data += drawn
    text = Arrays(io.BytesIO(data)).source("x", dtype, [128], 0)
    assert bits_of(text, letter) == data


def test_arrays_go_to_a_file_where_no_literal_gives_them(tmp_path: Path) -> None:
    strange_nan = b"\x01\x00\xc0\x7f"
    arrays = Arrays(io.BytesIO(strange_nan + bytes(4 * 1000)))
    assert arrays.source("x", "float32", [1], 0) == 'inputs["x"]'
    assert arrays.source("y", "float32", [10, 100], 4) == 'inputs["y"]'
    assert arrays.source("y", "float32", [10, 100], 4) == 'inputs["y"]'
    assert arrays.source("y", "float32", [10, 99], 4) == 'inputs["y_2"]'
    assert arrays.source("z", "float32", [0, 3], 0) == 'np.zeros([0, 3], "float32")'
    arrays.write(tmp_path / "inputs.npz")
    assert (tmp_path / "inputs.npz").stat().st_size > 0


def test_extract_takes_what_is_needed(tmp_path: Path) -> None:
    first, second = tmp_path / "a.py", tmp_path / "b.py"
    first.write_text(
        "import math\nfrom typing import Any\n_SCALE = 2\n\n\n"
        "def _item(x: Any) -> Any:\n    return x\n\n\n"
        "def scaled(x):\n    unused = 1\n    return math.floor(_item(x)) * _SCALE\n\n\n"
        "def unused(x):\n    return x\n"
    )
    second.write_text(
        "def _item(x):\n    return -x\n\n\ndef both(x):\n    return scaled(_item(x)) + torch.pi\n"
    )
    extract = Extract([str(first), str(second)])
    extract.need({"both", "torch"})
    text = extract.text()
    assert extract.imports == {"import math", "from typing import Any"}
    assert "torch" in extract.unbound
    assert "def unused" not in text
    space: dict[str, Any] = {"math": math, "Any": Any, "torch": SimpleNamespace(pi=0.5)}
    exec(text, space)
    assert space["both"](3) == -6 + 0.5  # each file's own _item


@pytest.mark.parametrize(
    ("text", "names", "expression", "defines"),
    [
        ("torch.relu(x)", {"x": "x", "name": "None"}, "torch.relu(x)", False),
        ("torch.sum(x, dim=axis)", {"x": "y", "axis": "[1]"}, "torch.sum(y, dim=[1])", False),
        ("x.sum(a) if a is not None else x", {"x": "x", "a": "None"}, "f(x, None)", True),
        ("x.sum(*axis)", {"x": "x", "axis": "[1]"}, "f(x, [1])", True),
        ("[x for x in x]", {"x": "y"}, "f(y)", True),
        ("x = x + 1\nresult = x", {"x": "x"}, "f(x)", True),
    ],
)
def test_translations(text: str, names: dict[str, str], expression: str, defines: bool) -> None:
    found = translate(text, names, "f")
    assert found.expression == expression
    assert (found.function is not None) == defines
