# SPDX-License-Identifier: Apache-2.0
"""Names of Python texts: which a text takes from outside, and identifiers that are still free."""

from __future__ import annotations

import builtins
import keyword
import re
import symtable
from textwrap import dedent


def free_names(text: str) -> set[str]:
    """The names that a module of this text reads and does not bind itself."""
    top = symtable.symtable(dedent(text).strip(), "<text>", "exec")
    bound = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    found = set()
    tables = [top]
    while tables:
        table = tables.pop()
        tables.extend(table.get_children())
        for symbol in table.get_symbols():
            from_outside = symbol.is_global() or (table is top and not symbol.is_assigned())
            if from_outside and symbol.is_referenced():
                found.add(symbol.get_name())
    return found - bound


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
