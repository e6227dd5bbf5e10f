# SPDX-License-Identifier: Apache-2.0
"""Values of the protocol (docs/protocol.md, "Values") as Python source."""

from __future__ import annotations

from typing import Any

from opalign.repro.dialects import Dialect

Json = Any
_LINE = 100


class Values:
    """`tensors` and `variables` are the identifiers of input tensors and of earlier results."""

    def __init__(self, dialect: Dialect, tensors: list[str], variables: dict[str, str]) -> None:
        self._dialect = dialect
        self._tensors = tensors
        self._variables = variables

    def source(self, value: Json) -> str:
        if isinstance(value, list):
            return f"[{self._items(value)}]"
        if isinstance(value, str):
            return quoted(value)
        if not isinstance(value, dict):
            return repr(value)
        kind = value["$"]
        if kind == "tensor":
            return self._tensors[value["i"]]
        if kind == "name":
            return self._variables[value["n"]]
        if kind == "tuple":
            comma = "," if len(value["v"]) == 1 else ""
            return f"({self._items(value['v'])}{comma})"
        if kind == "slice":
            return f"slice({self._items(value['v'])})"
        if kind == "ellipsis":
            return "..."
        if kind == "float":
            return f'float("{value["v"]}")'
        if kind == "complex":
            return f"complex({', '.join(_real(part) for part in value['v'])})"
        if kind == "int":
            return str(value["v"])
        if kind == "dtype":
            return self._dialect.dtype(value["v"])
        if kind == "type":
            return str(value["v"]).replace("numpy.", "np.")
        if kind == "place":
            return self._dialect.place(value["v"])
        return self.call(value["call"], value)

    def call(self, callee: str, step: Json) -> str:
        """A call, or the reading of an attribute that is none."""
        args, kwargs = step.get("args", []), step.get("kwargs", {})
        owner, _, name = callee.rpartition(".")
        is_property = owner.endswith(".Tensor") and name in self._dialect.properties
        if is_property and len(args) == 1 and not kwargs:
            return f"{self.source(args[0])}.{name}"
        parts = [self.source(value) for value in args]
        parts += [f"{name}={self.source(value)}" for name, value in kwargs.items()]
        return call(callee, parts)

    def _items(self, values: list[Json]) -> str:
        return ", ".join([self.source(value) for value in values])


def call(callee: str, parts: list[str]) -> str:
    line = f"{callee}({', '.join(parts)})"
    if len(line) + len("result = ") <= _LINE:
        return line
    return f"{callee}(\n" + "".join([f"    {part},\n" for part in parts]) + ")"


def quoted(text: str) -> str:
    """In double quotes, where that needs no escapes."""
    return f'"{text}"' if text.isprintable() and not set(text) & set('"\\') else repr(text)


def _real(text: str) -> str:
    value = float(text)
    return repr(value) if value - value == 0 else f'float("{value}")'
