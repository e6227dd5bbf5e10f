# SPDX-License-Identifier: Apache-2.0
"""tools/unregistered.py: a second opinion on which kernels Paddle lacks, that shares no code."""

import json
import subprocess
from pathlib import Path

import pytest
from places import ROOT


def answers(python: Path, suite: Path, *options: str) -> dict[int, str]:
    """Line -> answer."""
    tool = ROOT / "tools" / "unregistered.py"
    said = subprocess.run(
        [python, tool, *options, suite], capture_output=True, text=True, check=True
    ).stdout
    rows = [line.removeprefix(f"{suite}:").partition(": ") for line in said.splitlines()]
    return {int(number): answer for number, _, answer in rows}


def test_lines_of_every_kind(paddle_python: Path, tmp_path: Path) -> None:
    escaped = tmp_path / "escaped"
    lines = {
        'paddle.add(Tensor([2],"float32"), Tensor([2],"float32"), )': "finished",
        'paddle.concat(list[Tensor([2],"int64"),Tensor([0],"int64"),], axis=-1, )': "finished",
        'paddle.nn.functional.relu(Tensor([2],"float16"), )': "forward: ",
        'paddle.Tensor.__mul__(Tensor([2],"float16"), Tensor([2],"float16"), )': "forward: ",
        'paddle.add(Tensor([2],"float32"), Tensor([3],"float32"), )': "other error",
        f'__import__("pathlib").Path("{escaped}").touch()': "not read",
        f'paddle.save(Tensor([2],"float32"), "{escaped}", )': "not read",
        f'paddle.os.mkdir("{escaped}", )': "not read",
        'paddle.cast(Tensor([2],"float32"), Dtype(save), )': "not read",
        "paddle.add(Tensor(": "not read",
    }
    suite = tmp_path / "suite.txt"
    suite.write_text("\n".join(lines))
    said = answers(paddle_python, suite, "--all")
    for number, (line, expected) in enumerate(lines.items(), 1):
        assert said[number].startswith(expected), f"{line}: {said[number]}"
    assert not escaped.exists()


@pytest.mark.slow
def test_opalign_finds_the_same(
    opalign: Path, paddle_python: Path, torch_python: Path, shared_cases: Path, tmp_path: Path
) -> None:
    suite = tmp_path / "suite.txt"
    lines = (shared_cases / "smoke.txt").read_text().splitlines(keepends=True)
    suite.write_text("".join(lines[::8]))  # all of them take minutes
    runners = ["--target", "paddle", "--reference", "torch"]
    run = [str(opalign), "run", str(suite), *runners, "--out", str(tmp_path / "run")]
    subprocess.run(run, capture_output=True, check=False)
    exported = subprocess.run(
        [opalign, "export", tmp_path / "run", "--format", "jsonl", "--verdict", "unsupported"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    records = [json.loads(line) for line in exported.splitlines()]
    found = {record["line"] for record in records if record["reason"] == "not_registered"}
    assert found
    assert found == set(answers(paddle_python, suite))
