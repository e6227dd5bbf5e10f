# SPDX-License-Identifier: Apache-2.0
"""How a framework spells what scripts need: tensors, dtypes, gradients. One list; a new framework
is a new entry."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Callable

from opalign.repro.arrays import CARRIERS


@dataclass(frozen=True)
class Input:
    """A tensor to make of `array`, NumPy source. With strides that is the one-dimensional
    buffer, or for a dialect that leaves them to NumPy a strided array."""

    array: str
    dtype: str
    shape: list[int]
    strides: list[int]
    offset: int

    @property
    def carrier(self) -> str:
        """bfloat16 as the signed integers that every framework knows."""
        return f'{self.array}.view("int16")' if self.dtype == "bfloat16" else self.array


@dataclass(frozen=True)
class Dialect:
    imports: list[str]
    setup: list[str]
    tensor: Callable[[Input], str]
    numpy_strides: bool  # strides are made with NumPy
    dtype: Callable[[str], str]
    place: Callable[[str], str]
    wants_grad: str  # a statement about {x}
    clone: str
    is_differentiable: str  # an expression about {x}
    gradients: str | None  # the function; nothing where the framework has none
    sparse: str  # the function `dense`, for gradients of sparse embeddings; or nothing
    parts: str  # statements that make a sparse `value` a dict of its parts; or nothing
    properties: frozenset[str]  # attributes of a tensor that are no methods
    tensor_class: str
    record: str  # the body of `record` for one tensor


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _torch_tensor(x: Input) -> str:
    text = f"torch.from_numpy({x.carrier})"
    if x.dtype in CARRIERS:
        text += f".view(torch.{x.dtype})"
    return text + (f".as_strided({x.shape}, {x.strides}, {x.offset})" if x.strides else "")


def _paddle_tensor(x: Input) -> str:
    # to_tensor would copy a strided array into a dense one, and read uint16 as bfloat16.
    is_exact = x.strides or x.dtype == "uint16"
    function = "paddle.utils.dlpack.from_dlpack" if is_exact else "paddle.to_tensor"
    return f"{function}({x.carrier})" + (f'.view("{x.dtype}")' if x.dtype in CARRIERS else "")


_TORCH = Dialect(
    imports=["import torch"],
    setup=[],
    tensor=_torch_tensor,
    numpy_strides=False,
    dtype=lambda name: f"torch.{name}",
    place=lambda name: f'torch.device("{name.replace("gpu", "cuda")}")',
    wants_grad="{x}.requires_grad_()",
    clone="{x}.clone()",
    is_differentiable="{x}.requires_grad",
    gradients="torch.autograd.grad",
    sparse="",
    parts="""\
if isinstance(value, torch.Tensor) and value.layout is not torch.strided:
    value = value.to_sparse_coo().coalesce()
    value = {"indices": value.indices(), "values": value.values(), "shape": list(value.shape)}
""",
    properties=_words(
        "T mT H mH shape ndim dtype device layout itemsize nbytes grad grad_fn is_leaf real imag"
        " requires_grad is_sparse"
    ),
    tensor_class="torch.Tensor",
    record="""\
dtype = str(value.dtype).replace("torch.", "")
array = value.detach().to_dense().resolve_conj().resolve_neg()
if dtype.startswith(("bfloat16", "float8")):  # NumPy has no such dtypes
    array = array.float()
results[f"{name}: {dtype}"] = array.numpy()
""",
)

_PADDLE = Dialect(
    imports=["import paddle"],
    setup=['paddle.set_device("cpu")'],
    tensor=_paddle_tensor,
    numpy_strides=True,
    dtype=lambda name: f"paddle.{name}",
    place=lambda name: "paddle.CPUPlace()" if name == "cpu" else f'"{name}"',
    wants_grad="{x}.stop_gradient = False",
    clone="{x}.clone()",
    is_differentiable="not {x}.stop_gradient",
    gradients="paddle.grad",
    sparse="""\
def dense(gradient, like):
    # The gradient of a sparse embedding holds some of the rows of `like` only.
    if gradient is None or not gradient.is_selected_rows():
        return gradient
    rows = paddle.to_tensor(gradient.rows(), dtype="int64")
    values = gradient._get_tensor_from_selected_rows()
    return paddle.index_add(paddle.zeros(like.shape, values.dtype), rows, 0, values)
""",
    parts="""\
if isinstance(value, paddle.Tensor) and value.is_sparse():
    if value.is_sparse_csr():
        value = value.to_sparse_coo(len(value.shape))
    value = value.coalesce()
    value = {"indices": value.indices(), "values": value.values(), "shape": list(value.shape)}
""",
    properties=_words(
        "T mT shape ndim dtype place size itemsize nbytes grad is_leaf stop_gradient name"
        " persistable strides offset layout type"
    ),
    tensor_class="paddle.Tensor",
    record="""\
dtype = str(value.dtype).replace("paddle.", "")
array = value.detach()
if dtype.startswith(("bfloat16", "float8")):  # NumPy has no such dtypes
    array = array.astype("float32")
results[f"{name}: {dtype}"] = array.numpy()
""",
)

_NUMPY = Dialect(
    imports=[],
    setup=[],
    tensor=lambda x: x.carrier,
    numpy_strides=True,
    dtype=lambda name: "np.bool_" if name == "bool" else f"np.{name}",
    place=lambda name: f'"{name}"',
    wants_grad="",
    clone="{x}.copy()",
    is_differentiable="",
    gradients=None,
    sparse="",
    parts="",
    properties=_words("T mT shape ndim dtype size itemsize nbytes real imag flat base strides"),
    tensor_class="(np.ndarray, np.generic)",
    record='results[f"{name}: {value.dtype}"] = value\n',
)

DIALECTS = {"torch": _TORCH, "paddle": _PADDLE, "numpy": _NUMPY}
