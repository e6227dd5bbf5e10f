# SPDX-License-Identifier: Apache-2.0
"""What a run keeps: kills and --resume, --retest, --shard and merge."""

import os
import random
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

import pytest
from conftest import ROOT
from test_run import command, environment_of, has_records, processes_mentioning, records, wait_until

CASES = 300


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """Cases of all kinds, one of them twice."""
    names = ["identity", "wrong_value", "segfault", "slow", "nan", "raises"]
    lines = [f'liar.{names[n % 6]}(Tensor([{n + 1}],"float32"), )' for n in range(CASES - 1)]
    path = tmp_path / "suite.txt"
    path.write_text("\n".join([*lines, lines[0]]) + "\n")
    return path


def run(opalign: Path, home: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(opalign, *arguments),
        env=environment_of(home),
        capture_output=True,
        text=True,
        check=False,
    )


def children(pid: int) -> list[int]:
    return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.parametrize("victim", ["opalign", "forkserver", "worker"])
def test_kill_and_resume(
    opalign: Path, home: Path, tmp_path: Path, suite: Path, victim: str
) -> None:
    out = tmp_path / "run"
    process = subprocess.Popen(
        command(opalign, "--out", out, suite),
        env=environment_of(home),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    assert wait_until(lambda: has_records(opalign, out))
    time.sleep(random.Random(victim).uniform(0, 0.5))
    if process.poll() is None:
        below = [
            int(c)
            for c in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        ]
        chosen = {
            "opalign": [process.pid],
            "forkserver": below,
            "worker": [p for f in below for p in children(f)],
        }[victim]
        os.kill(random.Random(victim).choice(chosen), signal.SIGKILL)
    process.wait(timeout=120)
    assert wait_until(lambda: not processes_mentioning(str(ROOT / "tests" / "liar")), 5)
    done = run(opalign, home, "--out", out, suite, "--resume")
    assert done.returncode in (0, 1), done.stderr
    found = records(opalign, out)
    assert len(found) == CASES
    twice = [case for case, count in Counter(r["case"] for r in found).items() if count != 1]
    assert len(twice) == 1
    verdicts = Counter(r["verdict"] for r in found)
    assert verdicts == {"pass": 101, "differs": 100, "crash": 50, "target_error": 49}


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
