# SPDX-License-Identifier: Apache-2.0
"""What the Python tests share: where the program, the environments and the shared cases are."""

import json
import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent

BINARY = Path(os.environ.get("OPALIGN_BIN", ROOT / "build" / "dev" / "bin" / "opalign"))


@pytest.fixture(scope="session")
def opalign() -> Path:
    """The program under test: $OPALIGN_BIN, or that of the dev preset."""
    if not BINARY.is_file():
        pytest.fail(
            f"{BINARY} is missing; build it: cmake --preset dev && cmake --build --preset dev"
        )
    return BINARY


@pytest.fixture(scope="session")
def shared_cases() -> Path:
    """A folder of large public suites beside the checkout; few machines have it."""
    folder = ROOT.parent / "shared" / "cases"
    if not folder.is_dir():
        pytest.skip(f"{folder} is not here")
    return folder


def opalign_home() -> Path:
    """Where environments live; `opalign env` and ./quickstart follow the same rule."""
    if home := os.environ.get("OPALIGN_HOME"):
        return Path(home)
    data = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(data) / "opalign"


def environment_python(name: str) -> Path:
    python = opalign_home() / "envs" / name / "bin" / "python"
    if not python.is_file():
        pytest.skip(f"environment {name} is not installed; ./quickstart --setup-only installs it")
    return python


@pytest.fixture(scope="session")
def paddle_python() -> Path:
    return environment_python("paddle@3.3.1")


@pytest.fixture(scope="session")
def torch_python() -> Path:
    return environment_python("torch@2.13.0")


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An $OPALIGN_HOME with the lying framework, its honest twin, and what is installed."""
    folder = tmp_path_factory.mktemp("home")
    python = environment_python("torch@2.13.0")
    for name in ("liar", "truth"):
        environment = folder / "envs" / f"{name}@1"
        environment.mkdir(parents=True)
        adapter = ROOT / "tests" / "liar" / f"{name}.py"
        description = {"python": str(python), "version": "1", "adapter": str(adapter)}
        (environment / "env.json").write_text(json.dumps(description))
    for installed in (opalign_home() / "envs").iterdir():
        (folder / "envs" / installed.name).symlink_to(installed)
    return folder
