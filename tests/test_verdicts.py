# SPDX-License-Identifier: Apache-2.0
"""Runs tests/verdicts/*.test: cases with the verdicts that must come of them (README there)."""

import json
import subprocess
from dataclasses import dataclass
from pathlib import Path

import pytest
from places import ROOT, environment_python

FOLDER = ROOT / "tests" / "verdicts"
ENVIRONMENTS = {"torch": "torch@2.13.0", "paddle": "paddle@3.3.1"}


@dataclass
class Expectation:
    line: int
    verdict: str
    stage: str
    reason: str
    message: str


@dataclass
class Script:
    target: str
    references: list[str]
    options: list[str]
    cases: list[str]
    expected: list[Expectation]


def read_script(path: Path) -> Script:
    script = Script("", [], [], [], [])
    for number, line in enumerate(path.read_text().splitlines(), 1):
        text = line.strip()
        if text.startswith("->"):
            words, _, message = text[2:].partition("|")
            verdict, stage, reason = [*words.split(), "", ""][:3]
            script.expected.append(Expectation(number, verdict, stage, reason, message.strip()))
        elif text.startswith("target:"):
            script.target = text.partition(":")[2].strip()
        elif text.startswith("reference:"):
            script.references.append(text.partition(":")[2].strip())
        elif text.startswith("options:"):
            script.options = text.partition(":")[2].split()
        elif text and not text.startswith("#"):
            script.cases.append(text)
    assert len(script.cases) == len(script.expected), f"{path}: a case without its verdict"
    return script


def run_cases(
    opalign: Path, home: Path, folder: Path, script: Script, *options: str
) -> list[dict[str, str]]:
    command: list[str | Path] = [opalign, "run", "--target", script.target, "--out", folder / "run"]
    for reference in script.references:
        command += ["--reference", reference]
    for case in script.cases:
        command += ["--case", case]
    if "liar" in (script.target, *script.references):
        command += ["--catalog", ROOT / "tests" / "liar" / "catalog"]
    environment = {"OPALIGN_HOME": str(home), "PATH": "/usr/bin:/bin", "HOME": str(folder)}
    done = subprocess.run(
        [*command, *script.options, *options],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode in (0, 1), done.stderr
    exported = subprocess.run(
        [opalign, "export", folder / "run", "--format", "jsonl"],
        capture_output=True,
        text=True,
        check=True,
    )
    return [json.loads(line) for line in exported.stdout.splitlines()]


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.test")), ids=lambda path: path.stem)
def test_verdicts(opalign: Path, home: Path, tmp_path: Path, path: Path) -> None:
    script = read_script(path)
    for name, environment in ENVIRONMENTS.items():
        if f"{{{name}}}" in (script.target, *script.references):
            environment_python(environment)
    script.target = script.target.strip("{}")
    script.references = [text.strip("{}") for text in script.references]
    results = run_cases(opalign, home, tmp_path, script)
    assert len(results) == len(script.cases)
    wrong = []
    for case, expected, result in zip(script.cases, script.expected, results, strict=True):
        got = (result["verdict"], result["stage"], result["reason"])
        if expected.stage == "*":  # it raced on, so any stage is true
            expected.stage = result["stage"]
        if got != (expected.verdict, expected.stage, expected.reason) or (
            expected.message not in result["message"]
        ):
            wrong.append(
                f"{path.name}:{expected.line}: {case}\n  -> {' '.join(got)} | {result['message']}"
            )
    assert not wrong, "\n".join(wrong)
    assert not list(tmp_path.glob("*opalign_was_here*"))
