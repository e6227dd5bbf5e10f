# SPDX-License-Identifier: Apache-2.0
"""The shipped catalog against the installed frameworks, and what `opalign catalog` says."""

import subprocess
from pathlib import Path

import pytest

KNOWN = """call = "(x)"
[["paddle.abs".known]]
name = "a"
reason = "why"
example = "paddle.abs(x=1, )"
{}
"""


def run(opalign: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([opalign, *arguments], capture_output=True, text=True, check=False)


def test_every_entry_holds(opalign: Path, paddle_python: Path, torch_python: Path) -> None:
    """Names exist, signatures agree, texts compile and every name in them is bound."""
    done = run(opalign, "catalog", "check")
    assert done.returncode == 0, done.stdout + done.stderr
    assert ", 0 wrong" in done.stdout


def test_show(opalign: Path) -> None:
    assert "torch.concat" in run(opalign, "catalog", "show", "paddle.concat").stdout
    done = run(opalign, "catalog", "show", "paddle.conct")
    assert done.returncode == 2
    assert 'did you mean "paddle.concat"?' in done.stderr


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        ('call = "(x)"\ntoch = "torch.abs(x)"', "unknown key"),
        ('torch = "torch.abs(x)"', 'expected a key "call"'),
        ('call = "(x, y=)"\ntorch = "torch.abs(x)"', "signature"),
        ('call = "(x)"\nno_grad = ["y"]', '"y" is not a parameter'),
        ('call = "(x)"\nvalues = { x = "uniform(0" }', "col"),
        ('same_as = "paddle.nothing"', "expected another entry's name"),
        ('call = "(x', "toml"),
        ('call = "(x)"\nknown = "why"', "expected a list of tables"),
        (KNOWN.format('verdict = "crash"'), "expected one of differs, target_error"),
        (KNOWN.format('verdict = "difers"'), 'did you mean "differs"?'),
        (KNOWN.format('stage = "plan"'), "expected one of forward, backward"),
        (KNOWN.format('kind = ["values"]'), 'did you mean "value"?'),
        (KNOWN.format('where = ["grad(z)"]'), '"z" is not a parameter'),
        (KNOWN.format('where = ["x"]'), "expected output, output[i] or grad(parameter)"),
        (KNOWN.format('when = "z.ndim == 2"'), '"z" is not a parameter'),
        (KNOWN.format('dtype = ["float33"]'), '"float33" is no dtype'),
        (KNOWN.format("atol = 0"), "expected a number above 0"),
        (KNOWN.format('verdict = "target_error"\natol = 1'), "are of the verdict differs"),
        (KNOWN.format('nam = "b"'), 'did you mean "name"?'),
        (KNOWN.replace("paddle.abs(x", "paddle.exp(x").format(""), "expected a call of paddle.abs"),
        (KNOWN.replace("why", "").format(""), 'expected a key "reason"'),
        (KNOWN.format("") + KNOWN.format("").partition("\n")[2], "is there already"),
    ],
)
def test_bad_entries(opalign: Path, tmp_path: Path, entry: str, said: str) -> None:
    folder = tmp_path / "paddle"
    folder.mkdir()
    (folder / "a.toml").write_text(
        f'["paddle.abs"]\n{entry}\n["paddle.b"]\ncall="(x)"\ntorch="torch.x"'
    )
    done = run(opalign, "catalog", "show", "--catalog", tmp_path)
    assert done.returncode == 2
    assert "a.toml" in done.stderr
    assert said in done.stderr
