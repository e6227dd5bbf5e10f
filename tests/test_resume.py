# SPDX-License-Identifier: Apache-2.0
"""What a run keeps: kills and --resume, --retest, --shard and merge."""

import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest
from kills import VICTIMS, kill_and_resume
from places import ROOT
from test_run import command, environment_of, processes_mentioning, records, run, wait_until

CASES = 300


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Cases of all kinds, one of them twice."""
    names = ["identity", "wrong_value", "segfault", "slow", "nan", "raises"]
    lines = [f'liar.{names[n % 6]}(Tensor([{n + 1}],"float32"), )' for n in range(CASES - 1)]
    path = tmp_path / "suite.txt"
    path.write_text("\n".join([*lines, lines[0]]) + "\n")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("victim", VICTIMS)
def test_twenty_kills_lose_nothing(opalign: Path, home: Path, tmp_path: Path, victim: str) -> None:
    kinds = ["identity"] * 15 + ["slow"] * 3 + ["wrong_value", "raises"]
    lines = [f'liar.{kinds[n % 20]}(Tensor([{n + 1}],"float32"), )' for n in range(1999)]
    suite = tmp_path / "suite.txt"
    suite.write_text("\n".join([*lines, lines[0]]) + "\n")  # one of them twice
    shared_before = set(os.listdir("/dev/shm"))
    out = tmp_path / "run"
    whole = command(opalign, "--out", out, suite)
    done = kill_and_resume(whole, [*whole, "--resume"], victim, 20, environment_of(home))
    assert done == 20
    found = records(opalign, out)
    assert sorted(r["case"] for r in found) == sorted([*lines, lines[0]])
    assert Counter(r["verdict"] for r in found) == {
        "pass": 1801,
        "differs": 100,
        "target_error": 99,
    }
    assert sorted(os.listdir(out)) == ["run.db", "run.lock"]
    assert set(os.listdir("/dev/shm")) <= shared_before
    assert wait_until(lambda: not processes_mentioning(str(ROOT / "tests" / "liar")), 5)


def test_resume_refuses_another_run(opalign: Path, home: Path, tmp_path: Path, suite: Path) -> None:
    out = tmp_path / "run"
    case = ["--case", 'liar.identity(Tensor([2],"float32"), )']
    assert run(opalign, home, "--out", out, *case).returncode == 0
    done = run(opalign, home, "--out", out, *case, "--resume", "--seed", "5")
    assert done.returncode == 2
    assert "seed" in done.stderr
    assert run(opalign, home, "--out", out, *case).returncode == 2  # a run is there already


def test_retest(opalign: Path, home: Path, tmp_path: Path, suite: Path) -> None:
    out = tmp_path / "run"
    run(opalign, home, "--out", out, suite)
    before = [(r["case"], r["verdict"]) for r in records(opalign, out)]
    done = run(opalign, home, "--out", out, "--retest", "crash,differs")
    assert "150 cases" in done.stdout
    assert [(r["case"], r["verdict"]) for r in records(opalign, out)] == before


def key(record: dict[str, str]) -> tuple[str, ...]:
    return record["case"], record["verdict"], record["message"], record["line"]


def test_shards_make_a_whole(opalign: Path, home: Path, tmp_path: Path, suite: Path) -> None:
    run(opalign, home, "--out", tmp_path / "whole", suite)
    parts = []
    for part in "123":
        parts.append(tmp_path / f"part{part}")
        run(opalign, home, "--out", parts[-1], suite, "--shard", f"{part}/3")
    assert all(0 < len(records(opalign, part)) < CASES for part in parts)
    merged = subprocess.run(
        [opalign, "merge", tmp_path / "merged", *parts], capture_output=True, text=True, check=False
    )
    assert merged.returncode == 0, merged.stderr
    assert [key(r) for r in records(opalign, tmp_path / "merged")] == [
        key(r) for r in records(opalign, tmp_path / "whole")
    ]
