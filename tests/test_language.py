# SPDX-License-Identifier: Apache-2.0
"""Laws of the case language, on generated cases: printing is canonical and loses nothing."""

import math
import subprocess
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

DTYPES = ["bool", "uint8", "int8", "int32", "int64", "float16", "bfloat16", "float32", "complex64"]
NAMES = st.sampled_from(["x", "y", "axis", "keepdim", "name", "data_format"])


def spell(number: float) -> str:
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "math.inf" if number > 0 else "-math.inf"
    return repr(number)


def tensor(shape: list[int], dtype: str) -> str:
    return f'Tensor({shape},"{dtype}")'


leaves = st.one_of(
    st.none().map(str),
    st.booleans().map(str),
    st.integers(-(2**70), 2**70).map(str),
    st.floats().map(spell),
    st.text(st.characters(codec="ascii", exclude_characters="\"'\\\n\r"), max_size=8).map(
        lambda text: f'"{text}"'
    ),
    st.builds(tensor, st.lists(st.integers(0, 2**40), max_size=5), st.sampled_from(DTYPES)),
    st.sampled_from(["Ellipsis", "Dtype(float32)", "VarType(bool)", "type(numpy.int32)"]),
    st.builds(lambda a, b: f"slice({a},{b},None)", st.integers(-9, 9), st.integers(-9, 9)),
    st.builds(
        lambda re, im: f"complex({spell(re)},{spell(im)})",
        st.floats(width=32),
        st.floats(width=32),
    ),
)
values = st.recursive(
    leaves,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4).map(lambda items: f"list[{','.join(items)}]"),
        st.lists(inner, max_size=4).map(lambda items: f"tuple({','.join([*items, ''])})"),
        st.lists(inner, max_size=4).map(lambda items: f"[{', '.join(items)}]"),
    ),
    max_leaves=6,
)
calls = st.builds(
    lambda positional, keywords: "paddle.some.call({})".format(
        ", ".join([*positional, *(f"{name}={value}" for name, value in keywords.items())])
    ),
    st.lists(values, max_size=3),
    st.dictionaries(NAMES, values, max_size=3),
)


def fmt(opalign: Path, lines: list[str]) -> list[str]:
    done = subprocess.run(
        [opalign, "cases", "fmt", "-"],
        input="\n".join(lines) + "\n",
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@settings(deadline=None, max_examples=40, suppress_health_check=list(HealthCheck))
@given(lines=st.lists(calls, min_size=1, max_size=40))
def test_print_is_canonical(opalign: Path, lines: list[str]) -> None:
    printed = fmt(opalign, lines)
    assert len(printed) == len(lines)
    assert fmt(opalign, printed) == printed


@settings(deadline=None, max_examples=60, suppress_health_check=list(HealthCheck))
@given(noise=st.binary(max_size=200), at=st.integers(0, 60))
def test_no_text_is_too_strange(opalign: Path, noise: bytes, at: int) -> None:
    """Whatever the bytes: an error of the case or a case, never a crash."""
    good = b'paddle.concat(tuple(Tensor([3, 4],"float32"),), axis=0, )'
    done = subprocess.run(
        [opalign, "cases", "check", "-"],
        input=good[:at] + noise + good[at:],
        capture_output=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
