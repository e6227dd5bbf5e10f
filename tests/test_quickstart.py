# SPDX-License-Identifier: Apache-2.0
"""The shipped suite gives what ./quickstart says: only the calls known to differ do."""

import json
import subprocess
from pathlib import Path

from places import ROOT

DIFFERENT = ["paddle.hypot", "paddle.logaddexp", "paddle.nn.functional.relu"]


def test_only_the_known_differences_are_found(
    opalign: Path, paddle_python: Path, torch_python: Path, tmp_path: Path
) -> None:
    suite = ROOT / "suites" / "quickstart.txt"
    run = tmp_path / "run"
    runners = ["--target", "paddle@3.3.1", "--reference", "torch@2.13.0"]
    done = subprocess.run(
        [opalign, "run", suite, *runners, "--out", run], capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    exported = subprocess.run(
        [opalign, "export", run, "--format", "jsonl"], capture_output=True, text=True, check=True
    )
    records = [json.loads(line) for line in exported.stdout.splitlines()]
    cases = [line for line in suite.read_text().splitlines() if line.startswith("paddle.")]
    assert len(records) == len(cases)
    assert {record["verdict"] for record in records} == {"pass", "differs"}
    assert sorted(r["api"] for r in records if r["verdict"] == "differs") == DIFFERENT


def test_unknown_options_are_refused() -> None:
    for script in ("quickstart", "test"):
        done = subprocess.run(
            [ROOT / script, "--sideways"], capture_output=True, text=True, check=False
        )
        assert (done.returncode, done.stdout) == (2, "")
        assert f"./{script} --" in done.stderr
