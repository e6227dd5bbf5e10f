# SPDX-License-Identifier: Apache-2.0
"""The shipped catalog against the installed frameworks, and what `opalign catalog` says."""

import subprocess
from pathlib import Path

import pytest


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
