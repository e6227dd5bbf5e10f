# SPDX-License-Identifier: Apache-2.0
"""opalign in Python: parse, fill and compare give what the program gives, for every dtype."""

import importlib
import math
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nanobind.stubgen import StubGen
from places import BINARY, ROOT
from test_language import calls, spell
from test_run import command, environment_of

sys.path.insert(0, str(ROOT / "python"))

import opalign

opalign.__path__.append(str(BINARY.parent.parent / "python"))

CASE = 'paddle.abs(Tensor([3],"float32"), )'
NUMPY_LACKS = ["bfloat16", "float8_e4m3fn", "float8_e5m2"]
ALL_DTYPES = [
    *["bool", "uint8", "uint16", "uint32", "uint64", "int8", "int16", "int32", "int64"],
    *["float16", "float32", "float64", "complex64", "complex128"],
    *NUMPY_LACKS,
]


def fill(domain: str, dtype: str, shape: list[int], **key: Any) -> Any:
    return opalign.fill(domain, dtype, shape, case=key.pop("case", CASE), **key)


# Case texts


@settings(deadline=None)
@given(text=calls)
def test_parse_reads_what_it_prints(text: str) -> None:
    case = opalign.parse(text)
    again = opalign.parse(case.text)
    assert (again, again.text, again.id) == (case, case.text, case.id)
    assert re.fullmatch("[0-9a-f]{16}", case.id)


def only_argument(text: str) -> Any:
    [call] = opalign.parse(f"paddle.f({text})").statements
    assert isinstance(call, opalign.Call)
    [argument] = call.arguments
    return argument.value


atoms = st.none() | st.booleans() | st.integers() | st.text(st.characters(codec="ascii"))


def written(value: Any) -> str:
    if isinstance(value, float):
        return spell(value)
    if isinstance(value, str):
        return '"' + "".join(f"\\x{ord(c):02x}" for c in value) + '"'
    if isinstance(value, list):
        return f"[{', '.join(map(written, value))}]"
    if isinstance(value, tuple):
        return f"tuple({''.join(written(item) + ',' for item in value)})"
    return str(value)


@settings(deadline=None)
@given(
    value=st.recursive(
        atoms | st.floats(allow_nan=False),
        lambda inner: st.lists(inner, max_size=3) | st.lists(inner, max_size=3).map(tuple),
        max_leaves=6,
    )
)
def test_values_become_python_values(value: Any) -> None:
    found = only_argument(written(value))
    assert found == value
    assert type(found) is type(value)


def test_structure_of_a_case() -> None:
    text = (
        'a = Tensor([4, 2], "bfloat16", domain="uniform(0, 1)", layout="transposed")\n'
        "b = paddle.slice(a, slice(1, None, 2), ..., axis=-1, dtype=type(numpy.int32))\n"
        'b.cast_("float32", Place(cpu))\n'
        "check a, b"
    )
    assign, second, method, check = opalign.parse(text).statements
    assert isinstance(assign, opalign.Assign)
    tensor = assign.value
    assert isinstance(tensor, opalign.Tensor)
    assert (tensor.dtype, tensor.shape, tensor.layout) == ("bfloat16", [4, 2], "transposed")
    assert (tensor.domain, tensor.grad, tensor.full, tensor.values) == (
        "uniform(0, 1)",
        None,
        None,
        [],
    )
    assert isinstance(second, opalign.Assign)
    call = second.value
    assert isinstance(call, opalign.Call)
    assert [argument.name for argument in call.arguments] == ["", "", "", "axis", "dtype"]
    name, cut, dots, axis, dtype = (argument.value for argument in call.arguments)
    assert isinstance(name, opalign.Name)
    assert isinstance(dtype, opalign.TypeName)
    assert (name.name, cut, dots, axis) == ("a", slice(1, None, 2), ..., -1)
    assert (dtype.kind, dtype.name, repr(dtype)) == ("type", "numpy.int32", "type(numpy.int32)")
    assert isinstance(method, opalign.Call)
    assert (method.callee, method.on_variable) == ("b.cast_", True)
    assert isinstance(check, opalign.Check)
    assert check.names == ["a", "b"]
    assert math.isnan(only_argument("nan"))
    assert only_argument("complex(1, -2)") == 1 - 2j


def test_errors_have_a_place() -> None:
    with pytest.raises(opalign.Error) as raised:
        opalign.parse("paddle.abs(\n", file="suite.txt", line=7)
    assert str(raised.value).startswith("suite.txt:7:12: expected ")
    assert isinstance(raised.value, ValueError)
    with pytest.raises(opalign.Error, match="col"):
        fill("uniform(0", "float32", [2])
    with pytest.raises(opalign.Error, match='dtype: expected a name like "float32", got "half"'):
        fill("plain()", "half", [2])
    for shape in ([-1], [2**62, 4]):
        with pytest.raises(opalign.Error, match="shape: expected sizes"):
            fill("plain()", "float32", shape)
    with pytest.raises(opalign.Error, match="unknown policy 'pytorch'"):
        opalign.compare(np.ones(1), np.ones(1), policy="pytorch")


# Values


def test_fill_gives_what_a_run_gives(home: Path, tmp_path: Path) -> None:
    """The honest framework returns its input, and every element differs: all are shown."""
    domains = {"float32": "plain()", "float64": "normal(0, 3)", "int64": "permutation(8)"}
    cases = {
        dtype: f'liar.wrong_value(Tensor([2, 4],"{dtype}", domain="{domain}"))'
        for dtype, domain in domains.items()
    }
    words = command(BINARY, "--out", tmp_path / "run", "--seed", "3")
    for case in cases.values():
        words += ["--case", case]
    subprocess.run(words, env=environment_of(home), capture_output=True, check=False)
    for dtype, case in cases.items():
        shown = subprocess.run(
            [BINARY, "show", tmp_path / "run", opalign.parse(case).id],
            capture_output=True,
            text=True,
            check=True,
        )
        elements = re.findall(r"^ +\[(\d), (\d)\] +\S+ +(\S+)$", shown.stdout, re.MULTILINE)
        array = fill(domains[dtype], dtype, [2, 4], case=case, seed=3)
        assert len(elements) == 8, shown.stdout
        for row, column, text in elements:
            assert array[int(row), int(column)] == np.dtype(dtype).type(text)


@pytest.mark.parametrize("dtype", ALL_DTYPES)
@pytest.mark.parametrize("shape", [[], [0, 3], [5, 7]])
def test_arrays_of_every_dtype_go_out_and_come_back(dtype: str, shape: list[int]) -> None:
    array = fill("plain()", dtype, shape)
    assert isinstance(array, np.ndarray) == (dtype not in NUMPY_LACKS)
    if isinstance(array, np.ndarray):
        assert (str(array.dtype), list(array.shape)) == (dtype, shape)
        assert array.flags.c_contiguous
        assert array.flags.writeable
    judgement = opalign.compare(array, fill("plain()", dtype, shape), policy="torch")
    [leaf] = judgement.leaves
    assert (leaf.dtype, leaf.shape) == (dtype, shape)
    assert leaf.stats.bit_equal == leaf.stats.numel == math.prod(shape)
    if math.prod(shape) > 1:
        assert judgement.verdict == "pass"
        other = opalign.compare(array, fill("plain()", dtype, shape, seed=1), policy="torch")
        assert (other.verdict, other.is_failure) == ("differs", True)


def test_values_depend_on_case_path_and_seed() -> None:
    key = {"case": CASE, "path": "0", "seed": 0}
    first = fill("plain()", "float64", [9], **key)
    assert (fill("plain()", "float64", [9], **key) == first).all()
    for other in ({"case": "paddle.abs(1)"}, {"path": "1"}, {"seed": 1}):
        assert (fill("plain()", "float64", [9], **{**key, **other}) != first).all()


# Comparison: rows of tests/cpp/compare_judge.cpp

ONES, TWOS = np.float32([1, 1]), np.float32([2, 2])
NANS, ZEROS = np.float32([math.nan, math.nan]), np.float32([0, -0.0])


@pytest.mark.parametrize(
    ("target", "reference", "verdict", "reason", "message"),
    [
        (ONES, ONES, "pass", "", ""),
        (
            ONES,
            TWOS,
            "differs",
            "value",
            "output[0]: 1 != 2 (2 of 2 elements, max abs 1, max rel 0.5, "
            "limit atol 0.01 rtol 0.01)",
        ),
        (
            NANS,
            ONES,
            "differs",
            "nonfinite",
            "output[0]: nan != 1 (2 of 2 elements differ in nan or inf, 0 in value)",
        ),
        (ONES, ONES.reshape(2, 1), "differs", "shape", "output: shape [2] != [2, 1]"),
        (ONES, ONES.astype("float64"), "differs", "dtype", "output: dtype float32 != float64"),
        (ZEROS, ZEROS, "vacuous", "", "agreement proves nothing: all is zero"),
        (NANS, NANS, "vacuous", "", "agreement proves nothing: all is nan"),
        (ONES[:0], ONES[:0], "vacuous", "", "agreement proves nothing: all is empty"),
    ],
)
def test_verdicts(target: Any, reference: Any, verdict: str, reason: str, message: str) -> None:
    judgement = opalign.compare(target, reference)
    assert (judgement.verdict, judgement.reason) == (verdict, reason)
    assert judgement.message == message
    assert repr(judgement) == (f"{verdict}: {message}" if message else verdict)


def test_limits_and_statistics() -> None:
    ulp = 1 + 2.0**-23
    judgement = opalign.compare(np.float32([1, ulp]), ONES, atol=0, rtol=0)
    stats = judgement.leaves[0].stats
    assert (stats.mismatched, stats.max_ulp, stats.first_mismatch) == (1, 1, 1)
    [element] = judgement.leaves[0].elements
    assert (element.index, element.target, element.reference) == ([1], "1.0000001", "1")
    assert opalign.compare(np.float32([1, ulp]), ONES, atol=1.2e-7, rtol=0).verdict == "pass"


# Arrays as they come


def test_memory_may_lie_anyhow() -> None:
    dense = np.arange(24.0).reshape(2, 3, 4)
    moved = dense.transpose(2, 0, 1).copy().transpose(1, 2, 0)
    wide = np.zeros((2, 3, 8))
    wide[:, :, ::2] = dense
    misaligned = np.frombuffer(b"\0" + dense.tobytes(), "uint8")[1:].view("float64")
    frozen = dense.copy()
    frozen.flags.writeable = False
    for other in (moved, wide[:, :, ::2], misaligned.reshape(2, 3, 4), frozen, dense[::-1][::-1]):
        stats = opalign.compare(other, dense).leaves[0].stats
        assert (stats.bit_equal, stats.numel) == (24, 24)
    row = np.broadcast_to(np.arange(4.0), (3, 4))
    assert opalign.compare(row, np.array(row)).verdict == "pass"


@pytest.mark.parametrize(("dtype", "carrier"), [("bfloat16", "uint16"), ("float8_e5m2", "uint8")])
def test_dtypes_that_others_add_to_numpy(dtype: str, carrier: str) -> None:
    """Such arrays can be had neither as a buffer nor by DLPack, but viewed as integers."""
    bits = np.array([1, 2, 3], carrier)
    array = SimpleNamespace(dtype=dtype, view={carrier: bits}.__getitem__)
    leaf = opalign.compare(array, array).leaves[0]
    assert (leaf.dtype, leaf.shape, leaf.stats.bit_equal) == (dtype, [3], 3)


@pytest.mark.parametrize("array", [[1.0], None, "text", np.ones(2, ">f4"), np.array(["a"])])
def test_what_is_no_array_is_refused(array: Any) -> None:
    with pytest.raises(opalign.Error, match="reference: expected an array in the CPU's memory"):
        opalign.compare(ONES, array)


# The package


def test_import_asks_for_nothing() -> None:
    """Workers import it with old interpreters that have neither the module nor NumPy."""
    script = (
        f"import sys; sys.path.insert(0, {str(ROOT / 'python')!r}); import opalign.worker; "
        "print('opalign._core' in sys.modules, 'numpy' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-c", script], capture_output=True, text=True, check=True
    )
    assert done.stdout == "False False\n"


def test_names_of_the_package() -> None:
    core = importlib.import_module("opalign._core")
    public = {name for name in vars(core) if not name.startswith("_")}
    assert set(opalign.__all__) == set(dir(opalign)) == public
    with pytest.raises(AttributeError, match="module 'opalign' has no attribute 'run'"):
        opalign.run  # type: ignore[attr-defined]  # noqa: B018


def test_stub_says_what_the_module_has() -> None:
    core = importlib.import_module("opalign._core")
    stub = StubGen(core)
    stub.put(core)
    committed = (ROOT / "python" / "opalign" / "_core.pyi").read_text()
    assert stub.get() == committed, "run tools/stub"
