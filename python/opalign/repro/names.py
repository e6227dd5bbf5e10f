# SPDX-License-Identifier: Apache-2.0
"""Identifiers that a script has not used yet."""

from __future__ import annotations

import builtins
import keyword
import re


class Identifiers:
    """Gives out identifiers, no two alike; none that a helper function may need."""

    def __init__(self, reserved: set[str]) -> None:
        # `input` is what frameworks call it, and no helper asks the terminal.
        self._taken = reserved | set(keyword.kwlist) | (set(dir(builtins)) - {"input"})

    def new(self, wish: str) -> str:
        """`wish`, made an identifier; with a number behind it where it is taken."""
        name = re.sub(r"\W+", "_", wish).strip("_") or "value"
        if name[0].isdigit():
            name = f"arg{name}"
        candidate, number = name, 1
        while candidate in self._taken:
            number += 1
            candidate = f"{name}_{number}"
        self._taken.add(candidate)
        return candidate
