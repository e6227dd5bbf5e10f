# SPDX-License-Identifier: Apache-2.0
"""Environments: adopted interpreters, two versions side by side, a development build found by its
path, and what the doctor says of broken ones."""

import json
import subprocess
from pathlib import Path

import pytest
from test_run import environment_of


@pytest.fixture
def empty_home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def env(opalign: Path, home: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [opalign, "env", *arguments],
        env=environment_of(home),
        capture_output=True,
        text=True,
        check=False,
    )


def development_build(folder: Path, python: Path) -> Path:
    """NumPy below a path of its own, with a version of its own."""
    find = "import numpy; print(numpy.__path__[0])"
    found = subprocess.check_output([python, "-c", find], text=True).strip()
    package = folder / "numpy"
    package.mkdir(parents=True)
    for item in Path(found).iterdir():
        if item.name not in ("version.py", "__pycache__"):
            (package / item.name).symlink_to(item)
    version = (Path(found) / "version.py").read_text()
    (package / "version.py").write_text(version + '\nversion = "9.9.9"\n')
    init = package / "__init__.py"
    text = init.read_text()
    init.unlink()
    init.write_text(text + '\n__version__ = "9.9.9"\n')
    libs = Path(found).with_name("numpy.libs")
    if libs.is_dir():
        (folder / "numpy.libs").symlink_to(libs)
    return folder


def test_two_side_by_side(
    opalign: Path, empty_home: Path, tmp_path: Path, torch_python: Path
) -> None:
    folder = development_build(tmp_path / "build", torch_python)
    adopt: list[str | Path] = ["--python", torch_python]
    done = env(opalign, empty_home, "add", "numpy@released", *adopt)
    assert done.returncode == 0, done.stderr
    done = env(opalign, empty_home, "add", "numpy@mine", *adopt, "--pythonpath", folder)
    assert done.returncode == 0, done.stderr
    assert len(env(opalign, empty_home, "list").stdout.splitlines()) == 2
    doctor = env(opalign, empty_home, "doctor")
    assert doctor.returncode == 0, doctor.stdout
    assert "numpy@mine  Python" in doctor.stdout
    assert "version 9.9.9" in doctor.stdout

    run = ["run", "--case", 'numpy.add(Tensor([3],"float32"), Tensor([3],"float32"), )']
    runners = ["--target", "numpy@mine", "--reference", "numpy@released"]
    done = subprocess.run(
        [opalign, *run, *runners, "--out", tmp_path / "run"],
        env=environment_of(empty_home),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "pass" in done.stdout


def test_the_doctor_names_what_is_broken(
    opalign: Path, empty_home: Path, torch_python: Path
) -> None:
    env(opalign, empty_home, "add", "numpy@a", "--python", torch_python)
    env(opalign, empty_home, "add", "torch@b", "--python", torch_python)
    envs = empty_home / "envs"
    (envs / "numpy@a" / "env.json").write_text("{")
    description = json.loads((envs / "torch@b" / "env.json").read_text())
    description["python"] = "/no/such/python"
    (envs / "torch@b" / "env.json").write_text(json.dumps(description))
    doctor = env(opalign, empty_home, "doctor")
    assert doctor.returncode == 2
    assert doctor.stdout.count("broken") == 2
    assert doctor.stdout.count("mend: rm -r") == 2
    assert "/no/such/python" in doctor.stdout
