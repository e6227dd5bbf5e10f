# SPDX-License-Identifier: Apache-2.0
"""NumPy: a reference without gradients."""

from __future__ import annotations

from typing import Any, Dict, List, Optional, Sequence

import numpy as np

from opalign.worker.dtypes import SIZES
from opalign.worker.errors import Refusal, by_table, refuses_arguments, table
from opalign.worker.values import Other

NAME = "numpy"
TENSOR = np.ndarray
DENIED = """
numpy.load numpy.save numpy.savez numpy.savez_compressed numpy.loadtxt numpy.savetxt
numpy.genfromtxt numpy.fromfile numpy.fromregex numpy.memmap numpy.DataSource numpy.f2py
numpy.distutils numpy.ctypeslib numpy.testing numpy.lib.npyio numpy.lib.format
numpy.lib.introspect numpy.lib.user_array numpy.test numpy.show_config numpy.show_runtime
numpy.info numpy.lookfor numpy.source numpy.setbufsize numpy.set* numpy.get_include numpy.rec
numpy.core numpy.compat numpy.matlib numpy.exceptions numpy.frombuffer numpy.from_dlpack
numpy.asarray numpy.frompyfunc numpy.vectorize numpy.nested_iters numpy.nditer
numpy.random.*_state numpy.typing numpy.ma numpy.polynomial.set* numpy.lib.add_newdoc
numpy.*.tofile numpy.*.fromfile numpy.*.dump numpy.*.dumps numpy.ndarray.ctypes numpy.ndarray.data
numpy.ndarray.base numpy.ndarray.setflags numpy.ndarray.setfield numpy.ndarray.getfield
""".split()

_ERRORS = table(
    ("out_of_memory", r"Unable to allocate"),
    (
        "not_registered",
        r"not supported for the input types|did not contain a loop|is unsupported in linalg",
    ),
)
_DTYPES = {name: np.dtype(name) for name in SIZES if name in np.sctypeDict}
_NAMES = {dtype: name for name, dtype in _DTYPES.items()}


def version() -> str:
    return np.__version__


def setup(threads: int) -> None:
    """The BLAS below has its threads from the environment."""


def warm_up() -> None:
    np.ones(4) + np.ones(4)


def namespace() -> Dict[str, Any]:
    return {"numpy": np}


def dtypes() -> List[str]:
    return list(_DTYPES)


def dtype_object(name: str) -> Any:
    try:
        return _DTYPES[name]
    except KeyError:
        raise Refusal("no_such_dtype", f"numpy has no {name}") from None


def dtype_name(value: Any) -> Optional[str]:
    if isinstance(value, np.dtype):
        return str(value)
    if isinstance(value, type) and issubclass(value, np.generic):
        return value.__name__
    return None


def place_object(name: str) -> str:
    return name


def from_buffer(
    memory: Any, offset: int, dtype: str, shape: Sequence[int], strides: Optional[Sequence[int]]
) -> Any:
    kind = dtype_object(dtype)
    if 0 in shape:
        return np.empty(shape, kind)
    if strides is not None:
        strides = [stride * kind.itemsize for stride in strides]
    return np.ndarray(shape, kind, memory, offset, strides)


def wants_grad(tensor: Any) -> None:
    """NumPy has no gradients."""


def clone(tensor: Any) -> Any:
    return tensor.copy()


def is_tensor(value: Any) -> bool:
    return isinstance(value, (np.ndarray, np.generic))


def is_differentiable(tensor: Any) -> bool:
    return False


def layout(tensor: Any) -> Any:
    name = _NAMES.get(tensor.dtype)
    if name is None:
        return str(tensor) if tensor.dtype.kind == "U" else Other(f"{tensor.dtype} array")
    return name, tensor.shape, tensor.nbytes


def store(tensor: Any, memory: Any, offset: int) -> None:
    np.ndarray(tensor.shape, tensor.dtype, memory.buffer, offset)[...] = tensor


def gradients(outputs: List[Any], inputs: List[Any], upstream: List[Any]) -> List[Any]:
    return [None] * len(inputs)


def classify(error: BaseException) -> Optional[str]:
    kind = by_table(error, _ERRORS)
    if kind is not None:
        return kind
    if refuses_arguments(error) or isinstance(error, np.linalg.LinAlgError):
        return "invalid_argument"
    return None
