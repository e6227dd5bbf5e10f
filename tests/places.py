# SPDX-License-Identifier: Apache-2.0
"""Where the tests find the program under test and the environments. Fixtures are in conftest.py."""

import os
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
BINARY = Path(os.environ.get("OPALIGN_BIN", ROOT / "build" / "dev" / "bin" / "opalign"))


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
