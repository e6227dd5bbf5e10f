# SPDX-License-Identifier: Apache-2.0
"""A framework of one page on the standard library alone: dense tensors of the dtypes that
Python's memoryview knows, a few elementwise functions, and gradients. liar.py and truth.py are
built on it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Sequence
from types import ModuleType
from typing import Any

from opalign.worker.dtypes import SIZES
from opalign.worker.errors import Refusal

_FORMATS: dict[str, Any] = {
    "bool": "?",
    "uint8": "B",
    "uint16": "H",
    "uint32": "I",
    "uint64": "Q",
    "int8": "b",
    "int16": "h",
    "int32": "i",
    "int64": "q",
    "float32": "f",
    "float64": "d",
}
Vjp = Callable[["Tensor"], "Tensor"]


class Unregistered(Exception):
    """No kernel."""


class Tensor:
    __module__ = "fake"

    def __init__(self, data: memoryview, dtype: str, shape: Sequence[int]) -> None:
        self.data = data  # one-dimensional, as many items as the shape has
        self.dtype = dtype
        self.shape = list(shape)
        self.requires_grad = False
        self.parents: list[tuple[Tensor, Vjp]] = []

    def with_data(self, items: Sequence[Any], dtype: str | None = None) -> Tensor:
        dtype = dtype or self.dtype
        return Tensor(pack(items, dtype), dtype, self.shape)


def pack(items: Sequence[Any], dtype: str) -> memoryview:
    view = memoryview(bytearray(len(items) * SIZES[dtype])).cast("B").cast(_FORMATS[dtype])
    for index, item in enumerate(items):
        view[index] = item
    return view


def derive(result: Tensor, *parents: tuple[Tensor, Vjp]) -> Tensor:
    """Makes `result` differentiable with respect to those parents that are."""
    if result.dtype.startswith("float"):
        result.parents = [(parent, vjp) for parent, vjp in parents if parent.requires_grad]
        result.requires_grad = bool(result.parents)
    return result


def same(x: Tensor) -> Tensor:
    return derive(x.with_data(x.data.tolist()), (x, lambda g: g))


def add(x: Tensor, y: Tensor) -> Tensor:
    if x.shape != y.shape:
        raise ValueError(f"shapes {x.shape} and {y.shape} differ")
    items = list(map(operator.add, x.data, y.data))
    return derive(x.with_data(items), (x, lambda g: g), (y, lambda g: g))


def framework(name: str, functions: Sequence[Callable[..., Any]]) -> ModuleType:
    """A module `name` that holds the functions and Tensor, so that names of cases resolve in it."""
    module = ModuleType(name)
    for function in functions:
        function.__module__ = name
        setattr(module, function.__name__, function)
    module.Tensor = type("Tensor", (Tensor,), {"__module__": name})  # type: ignore[attr-defined]
    return module


# The functions of an adapter that liar and truth share.


def version() -> str:
    return "1.0"


def setup(threads: int) -> None:
    pass


def warm_up() -> None:
    pass


def dtypes() -> list[str]:
    return list(_FORMATS)


def dtype_object(name: str) -> Any:
    if name not in _FORMATS:
        raise Refusal("no_such_dtype", f"there is no {name}")
    return DType(name)


class DType:
    def __init__(self, name: str) -> None:
        self.name = name


def dtype_name(value: Any) -> str | None:
    return value.name if isinstance(value, DType) else None


def place_object(name: str) -> str:
    return name


def from_buffer(
    memory: Any, offset: int, dtype: str, shape: Sequence[int], strides: Sequence[int] | None
) -> Tensor:
    dtype_object(dtype)
    if strides is not None:
        raise Refusal("not_registered", "only contiguous tensors")
    count = count_of(shape)
    data = memoryview(memory)[offset : offset + count * SIZES[dtype]].cast(_FORMATS[dtype])
    return Tensor(data, dtype, shape)


def wants_grad(tensor: Tensor) -> None:
    tensor.requires_grad = True


def clone(tensor: Tensor) -> Tensor:
    return same(tensor)


def is_tensor(value: Any) -> bool:
    return isinstance(value, Tensor)


def is_differentiable(tensor: Tensor) -> bool:
    return tensor.requires_grad


def layout(tensor: Tensor) -> Any:
    return tensor.dtype, tensor.shape, tensor.data.nbytes


def store(tensor: Tensor, memory: Any, offset: int) -> None:
    memory.buffer[offset : offset + tensor.data.nbytes] = tensor.data.cast("B")


def gradients(outputs: list[Tensor], inputs: list[Tensor], upstream: list[Tensor]) -> list[Any]:
    sums: dict[int, Tensor] = {}

    def push(tensor: Tensor, gradient: Tensor) -> None:
        before = sums.get(id(tensor))
        sums[id(tensor)] = gradient if before is None else add(before, gradient)
        for parent, vjp in tensor.parents:
            push(parent, vjp(gradient))

    list(map(push, outputs, upstream))
    return [sums.get(id(tensor)) for tensor in inputs]


def classify(error: BaseException) -> str | None:
    if isinstance(error, Unregistered):
        return "not_registered"
    return "invalid_argument" if isinstance(error, (ValueError, TypeError)) else None


def count_of(shape: Sequence[int]) -> int:
    count = 1
    for length in shape:
        count *= length
    return count
