# SPDX-License-Identifier: Apache-2.0
"""Values of the protocol: from JSON to what a call takes, and from what it returns to JSON."""

from __future__ import annotations

import sys
from typing import Any, Callable, Dict, List, Tuple

from opalign.worker.errors import ProtocolError, Refusal, clean

_INT64 = 1 << 63
_MAX_DEPTH = 64

Json = Any
Leaf = Tuple[str, Any, Any]  # dtype, shape, tensor

_PYTHON_TYPES = {t.__name__: t for t in (bool, int, float, complex, str, list, tuple, dict)}
_NUMPY_TYPES = frozenset(
    "bool bool_ int8 int16 int32 int64 uint8 uint16 uint32 uint64 intp uintp float16 float32"
    " float64 complex64 complex128 ndarray generic number integer floating".split()
)


class Decoder:
    """Decodes arguments. `tensors` and `variables` are those of the case at hand."""

    def __init__(self, adapter: Any, call: Callable[[Json], Any]) -> None:
        self.tensors: List[Any] = []
        self.variables: Dict[str, Any] = {}
        self._kinds: Dict[str, Callable[[Json], Any]] = {
            "tensor": lambda v: self.tensors[v["i"]],
            "name": self._variable,
            "tuple": lambda v: tuple([self.decode(x) for x in v["v"]]),
            "slice": lambda v: slice(*[self.decode(x) for x in v["v"]]),
            "ellipsis": lambda v: ...,
            "float": lambda v: float(v["v"]),
            "complex": lambda v: complex(float(v["v"][0]), float(v["v"][1])),
            "int": lambda v: int(v["v"]),
            "dtype": lambda v: adapter.dtype_object(v["v"]),
            "type": lambda v: _type(v["v"]),
            "place": lambda v: adapter.place_object(v["v"]),
            "call": call,
        }

    def decode(self, value: Json) -> Any:
        kind = type(value)
        if kind is dict:
            try:
                decode = self._kinds[value["$"]]
            except KeyError:
                raise ProtocolError(f"a value of no known kind: {value}") from None
            return decode(value)
        if kind is list:
            return [self.decode(item) for item in value]
        return value

    def _variable(self, value: Json) -> Any:
        try:
            return self.variables[value["n"]]
        except KeyError:
            raise Refusal("no_such_name", f"no variable {value['n']}") from None


def _type(name: str) -> Any:
    if name in _PYTHON_TYPES:
        return _PYTHON_TYPES[name]
    head, _, tail = name.rpartition(".")
    numpy = sys.modules.get("numpy")
    if head == "numpy" and tail in _NUMPY_TYPES and hasattr(numpy, tail):
        return getattr(numpy, tail)
    raise Refusal("no_such_name", f"no type {name}")


class Encoder:
    """Encodes what a call returned; tensors go to `out`, and each into `leaves`, in order."""

    def __init__(self, adapter: Any, out: Any) -> None:
        self._adapter = adapter
        self._arrays = None
        if "numpy" in sys.modules and adapter.NAME != "numpy":
            from opalign.worker.adapters import numpy

            self._arrays = numpy
        self.out = out
        self.leaves: List[Leaf] = []

    def encode(self, value: Any, depth: int = 0) -> Json:
        if self._adapter.is_tensor(value):
            return self.tensor(value, self._adapter)
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is int:
            return value if -_INT64 <= value < _INT64 else {"$": "int", "v": str(value)}
        if kind is float:
            return value if value - value == 0 else {"$": "float", "v": repr(value)}
        if kind is str:
            return value.encode("utf-8", "replace").decode("utf-8")
        if depth == _MAX_DEPTH:
            return {"$": "other", "v": "nested too deeply"}
        if isinstance(value, (list, tuple, range)):
            return [self.encode(item, depth + 1) for item in value]
        if isinstance(value, dict):
            pairs = [[clean(str(key)), self.encode(v, depth + 1)] for key, v in value.items()]
            return {"$": "dict", "v": pairs}
        return self._rare(value)

    def tensor(self, value: Any, adapter: Any) -> Json:
        layout = adapter.layout(value)
        if type(layout) is not tuple:  # the adapter found no dense tensor and says what it is
            return self.encode(layout)
        dtype, shape, size = layout
        offset = self.out.reserve(size)
        if size:
            adapter.store(value, self.out, offset)
        self.leaves.append((dtype, shape, value))
        return {"$": "out", "o": offset, "d": dtype, "s": shape}

    def _rare(self, value: Any) -> Json:
        if isinstance(value, complex):
            return {"$": "complex", "v": [repr(value.real), repr(value.imag)]}
        if self._arrays is not None and self._arrays.is_tensor(value):
            return self.tensor(value, self._arrays)
        if isinstance(value, Other):
            return {"$": "other", "v": value.name}
        for base in (bool, int, float, str):
            if isinstance(value, base):  # enums and the like
                return self.encode(base(value))
        name = self._adapter.dtype_name(value)
        if name is not None:
            return {"$": "dtype", "v": name}
        return {"$": "other", "v": clean(f"{type(value).__module__}.{type(value).__qualname__}")}


class Other:
    """What an adapter gives for a tensor that has no form in the protocol."""

    def __init__(self, name: str) -> None:
        self.name = name
