# SPDX-License-Identifier: Apache-2.0
"""Helpers for writing Paddle calls in Torch: arguments, promotion, reductions, searching.

Each follows Paddle's documentation of the APIs that use it, not Paddle's results. Names differ from
all parameter names, because a translation sees both.
"""

from typing import Any, List, Optional, Sequence, Tuple, Union

import numpy as np
import torch
from torch import Tensor

Scalar = Union[bool, int, float, complex]
Operand = Union[Tensor, Scalar]


def torch_dtype(d: Any) -> Optional[torch.dtype]:
    """A dtype from its name (NumPy's), a NumPy or Python type, or itself; None stays None."""
    if d is None or isinstance(d, torch.dtype):
        return d
    name = d if isinstance(d, str) and d not in ("int", "float") else np.dtype(d).name
    found = getattr(torch, name, None)
    if not isinstance(found, torch.dtype):
        raise TypeError(f"no such dtype: {d!r}")
    return found


def integer(value: Any) -> int:
    """An int from an int, a float without fraction, or a tensor of one element."""
    return int(value.item()) if isinstance(value, Tensor) else int(value)


def number(value: Any) -> Any:
    """A Python number from a number or a tensor of one element."""
    return value.item() if isinstance(value, Tensor) else value


def ints(shape: Any) -> List[int]:
    """A shape or axes: an int, a tensor, or a list of ints and of tensors of one element."""
    if isinstance(shape, Tensor):
        return [int(n) for n in shape.reshape(-1).tolist()]
    if isinstance(shape, (list, tuple)):
        return [integer(item) for item in shape]
    return [int(shape)]


def dims(axis: Any) -> Optional[Tuple[int, ...]]:
    """Axes to reduce; None for all of them, which an empty list means too."""
    if axis is None:
        return None
    return tuple(ints(axis)) or None


def _beside(x: Operand, y: Operand) -> Operand:
    """x as it is, or a bool tensor beside a number in the number's kind, which Torch asks for."""
    if isinstance(x, Tensor) and x.dtype == torch.bool and not isinstance(y, bool):
        return x.to(torch.result_type(x, y))
    return x


def promote(x: Operand, y: Operand) -> Tuple[Operand, Operand]:
    """Both operands in the dtype that the type promotion guide documents.

    Tensors promote between floating dtypes and from real to complex; other mixtures are refused.
    A 0-D tensor counts as a scalar, and scalars promote as Torch's do.
    """
    if not (isinstance(x, Tensor) and isinstance(y, Tensor)):
        return _beside(x, y), _beside(y, x)
    if x.dtype == y.dtype:
        return x, y
    both_floating = x.is_floating_point() and y.is_floating_point()
    if not (both_floating or x.is_complex() or y.is_complex() or x.ndim == 0 or y.ndim == 0):
        raise TypeError(f"no type promotion between {x.dtype} and {y.dtype}")
    common = torch.result_type(x, y)
    return x.to(common), y.to(common)


def power(x: Tensor, y: Operand) -> Tensor:
    """paddle.pow: the dtype of x, whatever the exponent."""
    if isinstance(y, float) and not (x.is_floating_point() or x.is_complex()):
        return torch.pow(x.double(), y).to(x.dtype)
    return torch.pow(*promote(x, y))


def matrix_multiply(
    x: Tensor, y: Tensor, transpose_x: bool = False, transpose_y: bool = False
) -> Tensor:
    """paddle.matmul; a vector has nothing to transpose."""
    x, y = promote(x, y)
    left = x.mT if transpose_x and x.ndim > 1 else x
    right = y.mT if transpose_y and y.ndim > 1 else y
    return torch.matmul(left, right)


def right_shift(x: Tensor, y: Operand, is_arithmetic: bool) -> Tensor:
    """x >> y; a logical shift fills with zeros, which is a shift of the unsigned number."""
    if is_arithmetic or x.dtype == torch.uint8:
        return torch.bitwise_right_shift(*promote(x, y))
    bits = torch.iinfo(x.dtype).bits
    ones = (torch.ones_like(x) << (bits - 1)) - 1  # all bits but the sign
    first = ((x >> 1) & ones) if bits > 1 else x
    shifted = torch.bitwise_right_shift(first, torch.clamp(torch.as_tensor(y) - 1, min=0))
    return torch.where(torch.as_tensor(y) == 0, x, shifted.to(x.dtype))


def reduced_shape(x: Tensor, axis: Any, keepdim: bool) -> List[int]:
    """The shape of x after its axes (None: all) are reduced."""
    chosen = dims(axis)
    gone = {a % x.ndim for a in chosen} if chosen and x.ndim else set(range(x.ndim))
    return [1 if i in gone else n for i, n in enumerate(x.shape) if keepdim or i not in gone]


def last_axis(x: Tensor, axis: Any) -> Tensor:
    """x with the axes to reduce (None: all) moved to the end and merged into one."""
    chosen = dims(axis)
    if chosen is None or x.ndim == 0:
        return x.reshape(-1)
    gone = sorted(a % x.ndim for a in chosen)
    kept = [i for i in range(x.ndim) if i not in gone]
    moved = x.permute(kept + gone)
    count = 1
    for i in gone:
        count *= x.shape[i]
    return moved.reshape([x.shape[i] for i in kept] + [count])


def total(x: Tensor, axis: Any, dtype: Any, keepdim: Any) -> Tensor:
    """paddle.sum; positional dtype and keepdim may be swapped, bool and int32 give int64."""
    if isinstance(dtype, bool):
        dtype, keepdim = (None if isinstance(keepdim, bool) else keepdim), dtype
    wanted = torch_dtype(dtype)
    if wanted is None:
        wanted = torch.int64 if x.dtype in (torch.bool, torch.int32) else x.dtype
    return torch.sum(x, dim=dims(axis), keepdim=keepdim, dtype=wanted)


def average(x: Tensor, axis: Any, keepdim: bool, dtype: Any = None) -> Tensor:
    """paddle.mean: the dtype of x, integers too."""
    wanted = torch_dtype(dtype) or x.dtype
    if wanted.is_floating_point or wanted.is_complex:
        return torch.mean(x.to(wanted), dim=dims(axis), keepdim=keepdim)
    return torch.mean(x.double(), dim=dims(axis), keepdim=keepdim).to(wanted)


def product(x: Tensor, axis: Any, keepdim: bool, dtype: Any) -> Tensor:
    """paddle.prod: over several axes, and the dtype of x."""
    x = x.to(torch_dtype(dtype) or x.dtype)
    result = torch.prod(last_axis(x, axis), dim=-1, dtype=x.dtype)
    return result.reshape(reduced_shape(x, axis, keepdim))


def spread(x: Tensor, axis: Any, correction: float, keepdim: bool) -> Tensor:
    """paddle.var with a divisor of N - correction."""
    return torch.var(x, dim=dims(axis), correction=correction, keepdim=keepdim)


class _Extremum(torch.autograd.Function):
    """max or min that propagates the gradient to all elements that are equal to the result."""

    @staticmethod
    def forward(ctx: Any, x: Tensor, axis: Tuple[int, ...], largest: bool) -> Tensor:
        result = torch.amax(x, axis, True) if largest else torch.amin(x, axis, True)
        ctx.save_for_backward(x == result)
        return result

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tuple[Tensor, None, None]:
        (chosen,) = ctx.saved_tensors
        return torch.where(chosen, grad, torch.zeros_like(grad)), None, None


def extremum(x: Tensor, axis: Any, keepdim: bool, largest: bool) -> Tensor:
    """paddle.max and paddle.min, whose gradient goes to every tied element."""
    axis = dims(axis) or tuple(range(x.ndim))
    return _Extremum.apply(x, axis, largest).reshape(reduced_shape(x, axis, keepdim))


def middle(x: Tensor, axis: Any, keepdim: bool, mode: str, skip_nan: bool) -> Any:
    """paddle.median and paddle.nanmedian; mode "min" with one axis gives the index too."""
    shape = reduced_shape(x, axis, keepdim)
    if mode == "min":
        flat = last_axis(x, axis)
        values, indices = (torch.nanmedian if skip_nan else torch.median)(flat, dim=-1)
        if axis is None or isinstance(axis, (list, tuple)):
            return values.reshape(shape)
        return values.reshape(shape), indices.reshape(shape)
    flat = last_axis(x, axis)
    wanted = x.dtype if skip_nan or x.dtype == torch.float64 else torch.float32
    flat = flat if flat.is_floating_point() else flat.double()
    length = flat.shape[-1]
    if length == 0:
        return (flat.sum(-1) + float("nan")).to(wanted).reshape(shape)
    missing = torch.isnan(flat)
    skipped = missing if skip_nan else torch.zeros_like(missing)
    count = length - skipped.sum(-1, keepdim=True)
    ordered = torch.sort(flat, dim=-1).values
    low = ordered.gather(-1, ((count - 1) // 2).clamp(min=0))
    high = ordered.gather(-1, (count // 2).clamp(max=length - 1))
    if wanted.is_floating_point:
        low, high = low.to(wanted), high.to(wanted)
    result = (low + high) / 2
    if not skip_nan:
        result = torch.where(missing.any(-1, keepdim=True), float("nan"), result)
    return result.to(wanted).reshape(shape)


def quantiles(
    x: Tensor, q: Any, axis: Any, keepdim: bool, interpolation: str, skip_nan: bool
) -> Tensor:
    """paddle.quantile: several axes; the first dimension is that of q unless q is a scalar."""
    flat = last_axis(x, axis)
    points = q if isinstance(q, Tensor) else torch.tensor(q, dtype=flat.dtype)
    shape = list(points.shape) + reduced_shape(x, axis, keepdim)
    if flat.numel() == 0 and flat.shape[-1] != 0:
        return flat.sum(-1).expand(*points.shape, *flat.shape[:-1]).reshape(shape)
    function = torch.nanquantile if skip_nan else torch.quantile
    result = function(flat, points.to(flat.dtype), dim=-1, interpolation=interpolation)
    return result.reshape(shape)


def running(name: str, x: Tensor, axis: Any, dtype: Any) -> Tuple[Tensor, Tensor]:
    """paddle.cummax and paddle.cummin; no axis means over the flattened tensor."""
    flat, dim = (x.reshape(-1), 0) if axis is None else (x, integer(axis))
    values, indices = getattr(torch, name)(flat, dim=dim)
    return values, indices.to(torch_dtype(dtype))


def place_of(name: str, x: Tensor, axis: Any, keepdim: Any, dtype: Any) -> Tensor:
    """paddle.argmax and paddle.argmin; with no axis, an index into the flattened tensor."""
    function = getattr(torch, name)
    if axis is None:
        result = function(x).reshape([1] * x.ndim if keepdim else [])
    else:
        result = function(x, dim=integer(axis), keepdim=bool(keepdim))
    return result.to(torch_dtype(dtype))


def contraction_axes(axes: Any) -> Tuple[List[int], List[int]]:
    """The two axis lists of paddle.tensordot; the shorter is extended by the longer's tail."""
    if isinstance(axes, Tensor):
        axes = axes.tolist()
    parts: Sequence[Any] = list(axes)
    if not any(isinstance(part, (list, tuple, Tensor)) for part in parts):
        left = right = ints(parts)
    else:
        left = ints(parts[0])
        right = ints(parts[1]) if len(parts) > 1 else left
    return left + right[len(left) :], right + left[len(right) :]


def contract(x: Tensor, y: Tensor, axes: Any) -> Tensor:
    """paddle.tensordot, which broadcasts contracted dimensions of size one."""
    if isinstance(axes, int):
        return torch.tensordot(x, y, dims=axes)
    return torch.tensordot(x, y, dims=contraction_axes(axes))


def paddle_norm(x: Tensor, p: Any, axis: Any, keepdim: bool, dtype: Any = None) -> Tensor:
    """paddle.linalg.norm: two axes make a matrix norm, one or none a vector norm."""
    chosen = dims(axis)
    wanted = torch_dtype(dtype)
    if chosen is not None and len(chosen) == 2:
        order = "fro" if p is None else p
        return torch.linalg.matrix_norm(x, order, chosen, keepdim, dtype=wanted)
    order = 2.0 if p is None or p == "fro" else p
    return torch.linalg.vector_norm(x, order, chosen, keepdim, dtype=wanted)


def distance(x: Tensor, y: Tensor, p: float) -> Tensor:
    """paddle.dist: the p-norm of x - y; p = 0 counts, and has no gradient."""
    x, y = promote(x, y)
    if p == 0:
        return (x != y).sum().to(x.dtype) + 0 * (x - y).sum()
    return torch.dist(x, y, p)


def matrix_rank(x: Tensor, tol: Any, hermitian: bool, atol: Any, rtol: Any) -> Tensor:
    """paddle.linalg.matrix_rank; Torch takes two numbers or two tensors."""
    if tol is not None:
        return torch.linalg.matrix_rank(x, tol=tol, hermitian=hermitian)
    if isinstance(atol, Tensor) or isinstance(rtol, Tensor):
        atol = atol if atol is None else torch.as_tensor(atol)
        rtol = rtol if rtol is None else torch.as_tensor(rtol)
    return torch.linalg.matrix_rank(x, atol=atol, rtol=rtol, hermitian=hermitian)


def condition(x: Tensor, p: Any) -> Tensor:
    """paddle.linalg.cond; stays differentiable for empty batches and every norm."""
    if 0 in x.shape[:-2]:
        return x.sum((-2, -1))
    if p in (None, 2, -2):
        return torch.linalg.cond(x, p)
    norm = torch.linalg.matrix_norm
    return norm(x, p) * norm(torch.linalg.inv(x), p)


def least_squares(x: Tensor, y: Tensor, rcond: Any, driver: Any) -> Tuple[Tensor, ...]:
    """paddle.linalg.lstsq; without unknowns, all of y is left over."""
    solution, residuals, rank, singular = torch.linalg.lstsq(x, y, rcond=rcond, driver=driver)
    if x.shape[-1] == 0 and x.shape[-2] > 0 and driver not in (None, "gelsy"):
        residuals = y.square().sum(-2)
    return solution, residuals, rank, singular


def cross_axis(x: Tensor, axis: int) -> int:
    """The axis of paddle.cross: 9 means the first of length three."""
    return axis if axis != 9 else list(x.shape).index(3)


def constant(value: Any) -> Tensor:
    """A tensor from a Python number or nested lists; Python's floats are float64."""
    if isinstance(value, Tensor):
        return value.clone()
    return torch.from_numpy(np.array(value))


def activate(x: Tensor, act: Optional[str]) -> Tensor:
    """The activation of paddle.scale, by name."""
    return x if act is None else getattr(torch.nn.functional, act)(x)


def ramp(start: Any, stop: Any, num: Any, dtype: Any) -> Tensor:
    """paddle.linspace: float32 unless a dtype is given."""
    wanted = torch_dtype(dtype) or torch.float32
    return torch.linspace(number(start), number(stop), integer(num), dtype=wanted)


def log_ramp(start: Any, stop: Any, num: Any, base: Any, dtype: Any) -> Tensor:
    """paddle.logspace: the exponents stay real whatever the dtype, which is that of the result."""
    wanted = torch_dtype(dtype) or torch.float32
    kind = wanted if wanted.is_floating_point else torch.float64
    ends = number(start), number(stop)
    return torch.logspace(*ends, integer(num), base=number(base), dtype=kind).to(wanted)


def steps(start: Any, end: Any, step: Any, dtype: Any) -> Tensor:
    """paddle.arange: one bound is the end."""
    first, last = (0, number(start)) if end is None else (number(start), number(end))
    return torch.arange(first, last, number(step), dtype=torch_dtype(dtype))


def bound(value: Any, x: Tensor) -> Any:
    """A bound of paddle.clip that Torch takes beside a tensor."""
    return value.reshape([]) if isinstance(value, Tensor) and value.numel() == 1 else value


def clipped(x: Tensor, low: Any, high: Any) -> Tensor:
    """paddle.clip: no bound leaves x as it is."""
    low, high = bound(low, x), bound(high, x)
    if low is None and high is None:
        return x.clone()
    if isinstance(low, Tensor) != isinstance(high, Tensor):
        low = low if low is None or isinstance(low, Tensor) else torch.tensor(low)
        high = high if high is None or isinstance(high, Tensor) else torch.tensor(high)
    return torch.clamp(x, low, high)


def transform(name: str, x: Tensor, size: Any, axes: Any, norm: str) -> Tensor:
    """A function of torch.fft; an empty input, padded if a size says so, has zeros as spectrum."""
    if axes is None and name.endswith("2"):
        name = name[:-1] + "n"
    function = getattr(torch.fft, name)
    if x.numel():
        return function(x, size, axes, norm)
    # Its shape is that of a tensor with one element where x is empty but not transformed.
    if axes is None:
        done = list(range(0 if size is None else x.ndim - len(size), x.ndim))
    else:
        done = [axis % x.ndim for axis in ([axes] if isinstance(axes, int) else axes)]
    filled = [n if i in done else n or 1 for i, n in enumerate(x.shape)]
    like = function(x.new_zeros(filled), size, axes, norm)
    shape = [n if i in done or x.shape[i] else 0 for i, n in enumerate(like.shape)]
    return torch.zeros(shape, dtype=like.dtype) + x.sum().real.to(like.dtype.to_real())
