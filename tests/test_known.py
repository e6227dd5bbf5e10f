# SPDX-License-Identifier: Apache-2.0
"""Known differences: each entry of the shipped catalog still holds; where they are told."""

import json
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
from places import ROOT

CATALOG = ROOT / "catalog"


def entries() -> dict[str, dict[str, Any]]:
    """By name as reports have it."""
    return {
        f"{api}/{known['name']}": known
        for file in sorted(CATALOG.rglob("*.toml"))
        for api, entry in tomllib.loads(file.read_text()).items()
        for known in entry.get("known", [])
    }


def run(
    opalign: Path, home: Path, out: Path, *arguments: str | Path
) -> tuple[subprocess.CompletedProcess[str], list[dict[str, Any]]]:
    environment = {"OPALIGN_HOME": str(home), "PATH": "/usr/bin:/bin", "HOME": str(home)}
    done = subprocess.run(
        [opalign, "run", "--out", out, "--summary", f"{out}.json", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode in (0, 1), done.stderr
    exported = subprocess.run([opalign, "export", out], capture_output=True, text=True, check=True)
    return done, [json.loads(line) for line in exported.stdout.splitlines()]


@pytest.mark.parametrize(("target", "reference"), [("paddle", "torch")])
def test_examples_still_differ(
    opalign: Path,
    home: Path,
    tmp_path: Path,
    paddle_python: Path,
    torch_python: Path,
    target: str,
    reference: str,
) -> None:
    """Each entry explains its example, which fails without it."""
    known = {
        name: entry
        for name, entry in entries().items()
        if name.startswith(f"{target}.") and entry.get("reference", reference) == reference
    }
    assert known
    arguments = ["--target", target, "--reference", reference]
    for entry in known.values():
        arguments += ["--case", entry["example"]]
    _, explained = run(opalign, home, tmp_path / "known", *arguments)
    _, plain = run(opalign, home, tmp_path / "plain", "--no-known", *arguments)
    for (name, entry), with_it, without in zip(known.items(), explained, plain, strict=True):
        tolerance = "_tolerance" if "atol" in entry or "rtol" in entry else ""
        assert with_it["verdict"] == f"known{tolerance}", with_it
        assert with_it["known"] == [name]
        assert entry["reason"] in with_it["message"]
        assert without["verdict"] == entry.get("verdict", "differs"), without
        assert "known" not in without


def test_counts(opalign: Path, home: Path, tmp_path: Path) -> None:
    """Counts by entry stand in the summary, at the end of the run and in the overview."""
    case = 'liar.by_design(Tensor([{}], "float32"), "{}")'
    cases = [case.format(n, "first") for n in (1, 2, 3)] + [case.format(2, "both")]
    arguments: list[str | Path] = ["--catalog", ROOT / "tests" / "liar" / "catalog"]
    for text in cases:
        arguments += ["--case", text]
    out = tmp_path / "run"
    done, records = run(opalign, home, out, "--target", "liar", "--reference", "truth", *arguments)
    assert done.returncode == 0
    counts = {"liar.by_design/first": 4, "liar.by_design/coarse": 1}
    assert json.loads(Path(f"{out}.json").read_text())["known"] == counts
    assert sorted(records[-1]["known"]) == sorted(counts)
    overview = subprocess.run([opalign, "show", out], capture_output=True, text=True, check=True)
    for name, count in counts.items():
        assert f"known: {name} {count}\n" in done.stdout
        assert f"known: {name} {count}\n" in overview.stdout
    full = subprocess.run(
        [opalign, "show", out, records[-1]["id"]], capture_output=True, text=True, check=True
    )
    assert "liars count from 1" in full.stdout
    assert "value, known: liar.by_design/coarse" in full.stdout


def test_rerun_line_and_resume_keep_no_known(opalign: Path, home: Path, tmp_path: Path) -> None:
    liar: list[str | Path] = ["--target", "liar", "--reference", "truth"]
    liar += ["--catalog", ROOT / "tests" / "liar" / "catalog"]
    liar += ["--case", 'liar.by_design(Tensor([4], "float32"))']
    out = tmp_path / "run"
    done, records = run(opalign, home, out, "--no-known", *liar)
    assert done.returncode == 1
    full = subprocess.run(
        [opalign, "show", out, records[0]["id"]], capture_output=True, text=True, check=True
    )
    assert full.stdout.rstrip().endswith("--no-known")
    again = subprocess.run(
        [opalign, "run", "--out", out, "--resume", *liar],
        env={"OPALIGN_HOME": str(home), "PATH": "/usr/bin:/bin", "HOME": str(home)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert again.returncode == 2
    assert "no-known" in again.stderr


def test_inherited(opalign: Path, tmp_path: Path) -> None:
    """same_as hands entries on, under the name of where they are written."""
    folder = tmp_path / "paddle"
    folder.mkdir()
    (folder / "a.toml").write_text(
        """
        ["paddle.abs"]
        call = "(x)"
        torch = "torch.abs(x)"
        known = [{ name = "a", reason = "why", example = "paddle.abs(x=1, )" }]
        ["paddle.Tensor.abs"]
        same_as = "paddle.abs"
        """
    )
    done = subprocess.run(
        [opalign, "catalog", "show", "paddle.Tensor.abs", "--catalog", tmp_path],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "known, paddle.abs/a: why" in done.stdout
