# SPDX-License-Identifier: Apache-2.0
"""What the Python tests share: the program, the environments and the shared cases as fixtures."""

import json
from pathlib import Path

import pytest
from places import BINARY, ROOT, environment_python, opalign_home


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
