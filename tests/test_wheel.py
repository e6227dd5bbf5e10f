# SPDX-License-Identifier: Apache-2.0
"""A wheel, installed where neither the source nor a build is in sight, is all of opalign.

It is assembled from build/release: only the Python module is compiled for it."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from places import ROOT
from test_run import CATALOG, command, environment_of, records

pytestmark = pytest.mark.slow

# What every Linux has; the rest must be inside.
SYSTEM_LIBRARIES = {"linux-vdso", "libc", "libm", "libdl", "libpthread", "ld-linux-x86-64"}
CASE = 'paddle.abs(Tensor([3],"float32"),axis=0)'


def run(*words: object, cwd: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [str(word) for word in words], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"]
    run(*build, f"--config-settings=build-dir={ROOT}/build/release", "-w", folder, ROOT, cwd=folder)
    [file] = folder.glob("opalign-*.whl")
    return file


@pytest.fixture(scope="module")
def venv(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A prefix with nothing but the wheel: without NumPy, which only fill() needs."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    pip = [sys.executable, "-m", "pip", "--python", folder / "bin" / "python", "install", "--quiet"]
    run(*pip, "--no-deps", "--no-index", wheel, cwd=folder.parent)
    return folder


def test_wheel_holds_what_runs_and_nothing_else(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    version = re.search(r"project\(opalign VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    assert version is not None
    data = f"opalign-{version[1]}.data"
    folders = {"/".join(name.split("/")[:5]) for name in names if name.startswith(data)}
    assert folders >= {
        f"{data}/scripts/opalign",
        f"{data}/data/share/opalign/catalog",
        f"{data}/data/share/opalign/python",
        f"{data}/data/share/opalign/suites",
    }
    package = sorted(name for name in names if name.startswith("opalign/"))
    assert len(package) == 4, package
    assert re.fullmatch(r"opalign/_core\..*so", package[1])
    assert [package[0], *package[2:]] == [
        "opalign/__init__.py",
        "opalign/_core.pyi",
        "opalign/py.typed",
    ]
    assert not [name for name in names if re.search(r"__pycache__|\.(cpp|hpp|a|cmake)$", name)]


def test_it_asks_for_glibc_alone(venv: Path) -> None:
    [core] = venv.glob("lib/python*/site-packages/opalign/_core*.so")
    for binary in (venv / "bin" / "opalign", core):
        lines = run("ldd", binary, cwd=venv).splitlines()
        assert {Path(line.split()[0]).name.split(".so")[0] for line in lines} <= SYSTEM_LIBRARIES


def test_command_and_package_are_there(venv: Path, tmp_path: Path) -> None:
    opalign = venv / "bin" / "opalign"
    (tmp_path / "cases.txt").write_text(CASE + "\n")
    version = run(opalign, "--version", cwd=tmp_path).split()[1]
    assert run(opalign, "cases", "check", "cases.txt", cwd=tmp_path) == "1 cases parse\n"
    assert "too_permissive" in run(opalign, "verdicts", cwd=tmp_path)
    assert "torch" in run(opalign, "catalog", "show", "paddle.abs", cwd=tmp_path)
    script = f"import opalign; c = opalign.parse({CASE!r}); print(opalign.version(), c.text)"
    canonical = run(opalign, "cases", "fmt", "cases.txt", cwd=tmp_path)
    assert run(venv / "bin" / "python", "-c", script, cwd=tmp_path) == f"{version} {canonical}"


def test_it_runs_cases(venv: Path, home: Path, tmp_path: Path) -> None:
    """Workers start from the files in the wheel."""
    opalign = venv / "bin" / "opalign"
    words = command(opalign, "--out", tmp_path / "run", "--case", 'liar.nan(Tensor([2],"float32"))')
    assert str(CATALOG) in map(str, words)
    subprocess.run(words, cwd=tmp_path, env=environment_of(home), check=False, capture_output=True)
    assert [record["verdict"] for record in records(opalign, tmp_path / "run")] == ["differs"]


def test_it_holds_paddle_against_torch(
    venv: Path, paddle_python: Path, torch_python: Path, tmp_path: Path
) -> None:
    """With the catalog in the wheel."""
    opalign = venv / "bin" / "opalign"
    case = 'paddle.add(Tensor([4, 3],"float32"), Tensor([3],"float32"), )'
    runners = ["--target", "paddle", "--reference", "torch"]
    out = ["--out", tmp_path / "run"]
    run(opalign, "run", *runners, *out, "--case", case, cwd=tmp_path, env=dict(os.environ))
    assert [record["verdict"] for record in records(opalign, tmp_path / "run")] == ["pass"]
