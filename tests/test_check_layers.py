# SPDX-License-Identifier: Apache-2.0
"""tools/check_layers.py finds includes that go against the stages' arrows."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
CMAKE = """
opalign_stage(base LINK fmt::fmt)
opalign_stage(case DEPENDS base LINK ZLIB::ZLIB)
opalign_stage(plan DEPENDS case)
opalign_stage(store DEPENDS base)
"""


def check(root: Path) -> subprocess.CompletedProcess[str]:
    script = ROOT / "tools" / "check_layers.py"
    return subprocess.run(
        [sys.executable, script, root], capture_output=True, text=True, check=False
    )


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A project with one header in each stage and an include of plan's that is right."""
    (tmp_path / "CMakeLists.txt").write_text(CMAKE, encoding="utf-8")
    for stage in ("base", "case", "plan", "store", "cli"):
        write(tmp_path, f"{stage}/a.hpp", "#pragma once\n#include <vector>\n")
    write(tmp_path, "plan/b.cpp", "#include <opalign/base/a.hpp>\n#include <opalign/plan/a.hpp>\n")
    write(tmp_path, "cli/main.cpp", "#include <opalign/store/a.hpp>\n#include <CLI/CLI.hpp>\n")
    return tmp_path


def write(root: Path, path: str, text: str) -> None:
    file = root / "src" / "opalign" / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text, encoding="utf-8")


def test_arrows_are_transitive_and_cli_may_include_all(tree: Path) -> None:
    result = check(tree)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.parametrize(
    ("path", "line", "message"),
    [
        (
            "case/a.cpp",
            "#include <opalign/plan/a.hpp>",
            "case/a.cpp:1: case includes plan; it may include base, case",
        ),
        (
            "store/a.cpp",
            "\n  #  include <opalign/case/a.hpp>",
            "store/a.cpp:2: store includes case; it may include base, store",
        ),
        (
            "base/a.cpp",
            "#include <opalign/cli/a.hpp>",
            "base/a.cpp:1: base includes cli; it may include base",
        ),
        ("base/a.cpp", '#include "../plan/a.hpp"', 'stage/file.hpp>, not "../plan/a.hpp"'),
        (
            "base/a.cpp",
            "#include <opalign/a.hpp>",
            "expected <opalign/stage/file.hpp>, got <opalign/a.hpp>",
        ),
        ("extra/a.cpp", "", "extra: no opalign_stage(extra ...) in CMakeLists.txt"),
    ],
)
def test_violation_is_named_with_its_place(tree: Path, path: str, line: str, message: str) -> None:
    write(tree, path, line + "\n")
    result = check(tree)
    assert result.returncode == 1
    assert message in result.stderr
    assert len(result.stderr.splitlines()) == 1


def test_a_cycle_is_refused(tree: Path) -> None:
    cmake = CMAKE.replace("stage(base LINK", "stage(base DEPENDS plan LINK")
    (tree / "CMakeLists.txt").write_text(cmake, encoding="utf-8")
    result = check(tree)
    assert result.returncode == 1
    assert result.stderr == "CMakeLists.txt: stage base depends on plan, not above it\n"


def test_a_build_without_stages_is_refused(tree: Path) -> None:
    (tree / "CMakeLists.txt").write_text("project(x)\n", encoding="utf-8")
    assert "no opalign_stage" in check(tree).stderr
