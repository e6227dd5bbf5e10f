# SPDX-License-Identifier: Apache-2.0
# Helpers of the manipulation and indexing entries: what Paddle documents and one torch call does
# not say. Each returns torch tensors and stays differentiable.
from typing import Any, List, Sequence, Tuple, Union

import numpy as np
import torch
from torch import Tensor


def scalar(value: Any) -> Any:
    """A Python number for a tensor of one element, anything else as it is."""
    return value.item() if isinstance(value, Tensor) else value


def alike(tensors: Sequence[Tensor]) -> Sequence[Tensor]:
    """The tensors, which must have one dtype; Torch would promote them."""
    if len({t.dtype for t in tensors}) > 1:
        raise TypeError(f"all tensors must have the same dtype, not {[t.dtype for t in tensors]}")
    return tensors


def numbers(value: Any) -> List[int]:
    """A list of integers from a number, a tensor, or a sequence of both."""
    if isinstance(value, Tensor):
        return [int(item) for item in value.reshape(-1).tolist()]
    if isinstance(value, (list, tuple)):
        return [int(scalar(item)) for item in value]
    return [int(value)]


def whole(index: Tensor) -> Tensor:
    """An index as Torch wants it; only integers index."""
    if index.is_floating_point() or index.is_complex() or index.dtype == torch.bool:
        raise TypeError(f"an index must hold integers, not {index.dtype}")
    return index.long()


def shape_of(shape: Any, x: Tensor) -> List[int]:
    """A target shape of reshape: 0 copies the dimension of `x`."""
    return [x.shape[i] if n == 0 else n for i, n in enumerate(numbers(shape))]


def _index(part: Any, x: Tensor) -> Any:
    if isinstance(part, list):
        return torch.tensor(part, device=x.device)
    if isinstance(part, slice):
        parts = (part.start, part.stop, part.step)
        return slice(*(None if p is None else int(scalar(p)) for p in parts))
    return part


def _consumed(part: Any) -> int:
    if part is None or isinstance(part, bool):
        return 0
    if isinstance(part, Tensor) and part.dtype == torch.bool:
        return part.ndim
    return 1


def _indices(x: Tensor, item: Any) -> List[Any]:
    """The parts of an index, one Ellipsis replaced by full slices."""
    parts = [_index(part, x) for part in (item if isinstance(item, tuple) else (item,))]
    dots = [i for i, part in enumerate(parts) if part is Ellipsis]
    if dots:
        rest = x.ndim - sum(_consumed(part) for part in parts if part is not Ellipsis)
        parts[dots[0] : dots[0] + 1] = [slice(None)] * rest
    return parts


def _backward(part: Any) -> bool:
    return isinstance(part, slice) and part.step is not None and part.step < 0


def getitem(x: Tensor, item: Any) -> Tensor:
    """x[item] by NumPy's rules; a list is an index array, a slice may have a negative step."""
    parts = _indices(x, item)
    dim = 0
    for i, part in enumerate(parts):
        if _backward(part):
            chosen = list(range(*part.indices(x.shape[dim])))
            x = x.index_select(dim, torch.tensor(chosen, dtype=torch.int64, device=x.device))
            parts[i] = slice(None)
        dim += _consumed(part)
    return x[tuple(parts)]


def setitem(x: Tensor, item: Any, value: Any) -> Tensor:
    """x[item] = value in place, in the dtype of x; returns x."""
    parts = _indices(x, item)
    if isinstance(value, Tensor):
        value = value.to(x.dtype)
    if not any(_backward(part) for part in parts):
        x[tuple(parts)] = value
        return x
    places = torch.arange(x.numel(), device=x.device).reshape(x.shape)
    chosen = getitem(places, item)
    if not isinstance(value, Tensor):
        value = torch.tensor(value, dtype=x.dtype, device=x.device)
    values = torch.broadcast_to(value, chosen.shape).reshape(-1)
    flat = x.reshape(-1).index_put((chosen.reshape(-1),), values)
    return x.copy_(flat.reshape(x.shape))


def slices(
    x: Tensor, axes: Sequence[Any], starts: Any, ends: Any, strides: Any = None
) -> Tuple[slice, ...]:
    """Slices of all dims of x; out-of-range starts and ends are clamped."""
    parts = [slice(None)] * x.ndim
    first, last = numbers(starts), numbers(ends)
    steps = [1] * len(first) if strides is None else numbers(strides)
    for axis, start, end, step in zip(numbers(axes), first, last, steps):
        size = x.shape[axis]
        if step < 0 and end < -size:
            parts[axis] = slice(start, None, step)
        else:
            parts[axis] = slice(start, end, step)
    return tuple(parts)


def slice_scatter(
    x: Tensor, value: Tensor, axes: Any, starts: Any, ends: Any, strides: Any
) -> Tensor:
    return setitem(x.clone(), slices(x, axes, starts, ends, strides), value)


def unsqueeze(x: Tensor, axis: Any) -> Tensor:
    """Inserts the axes one after another, each counted in the tensor so far."""
    for one in numbers(axis):
        x = x.unsqueeze(one)
    return x


def squeeze(x: Tensor, axis: Any) -> Tensor:
    axes = [] if axis is None else numbers(axis)
    return torch.squeeze(x, tuple(axes)) if axes else torch.squeeze(x)


def split(x: Tensor, num_or_sections: Any, axis: Any) -> List[Tensor]:
    """A number of equal parts, or sections of which one may be -1: what is left."""
    dim = int(scalar(axis))
    if isinstance(num_or_sections, int):
        if x.shape[dim] % num_or_sections:
            raise ValueError("the axis must be divisible by the number of sections")
        return list(torch.tensor_split(x, num_or_sections, dim))
    sections = numbers(num_or_sections)
    known = sum(n for n in sections if n != -1)
    return list(torch.split(x, [x.shape[dim] - known if n == -1 else n for n in sections], dim))


def tensor_split(x: Tensor, num_or_indices: Any, axis: Any) -> List[Tensor]:
    dim = int(scalar(axis))
    if isinstance(num_or_indices, int):
        return list(torch.tensor_split(x, num_or_indices, dim))
    return list(torch.tensor_split(x, tuple(numbers(num_or_indices)), dim))


def gather(x: Tensor, index: Tensor, axis: Any) -> Tensor:
    """Rows of x along an axis; an index of no dimensions drops the axis."""
    dim = 0 if axis is None else int(scalar(axis))
    chosen = torch.index_select(x, dim, index.reshape(-1))
    return chosen.squeeze(dim) if index.ndim == 0 else chosen


def gather_nd(x: Tensor, index: Tensor) -> Tensor:
    if index.shape[-1] == 0:
        return x.expand(*index.shape[:-1], *x.shape)
    return x[tuple(index.unbind(-1))]


def scatter(x: Tensor, index: Tensor, updates: Tensor, overwrite: bool) -> Tensor:
    """Rows of x replaced; without overwrite they are cleared and the updates added."""
    if index.ndim == 0:
        updates = updates.unsqueeze(0)
    rows = whole(index).reshape(-1)
    if overwrite:
        return torch.index_copy(x, 0, rows, updates[: rows.numel()])
    return x.index_fill(0, rows, 0).index_add(0, rows, updates[: rows.numel()])


def scatter_nd_add(x: Tensor, index: Tensor, updates: Tensor) -> Tensor:
    if index.shape[-1] == 0:
        return x + updates.reshape(-1, *x.shape).sum(0)
    return x.index_put(tuple(whole(index).unbind(-1)), updates, accumulate=True)


def _along(arr: Tensor, indices: Tensor, axis: int) -> Tensor:
    shape = list(
        np.broadcast_shapes(
            *(
                tuple(1 if i == axis % arr.ndim else n for i, n in enumerate(t.shape))
                for t in (arr, indices)
            )
        )
    )
    shape[axis] = indices.shape[axis]
    return whole(indices).expand(shape)


def take_along_axis(arr: Tensor, indices: Tensor, axis: int, broadcast: bool) -> Tensor:
    """Elements along an axis; with `broadcast` both are broadcast in the other dims."""
    if not broadcast:
        return torch.gather(arr, axis, whole(indices))
    places = _along(arr, indices, axis)
    shape = list(places.shape)
    shape[axis] = arr.shape[axis]
    return torch.gather(arr.expand(shape), axis, places)


_REDUCE = {"add": "sum", "mul": "prod", "multiply": "prod"}


def put_along_axis(
    arr: Tensor,
    indices: Tensor,
    values: Any,
    axis: int,
    reduce: str,
    include_self: bool,
    broadcast: bool,
) -> Tensor:
    places = _along(arr, indices, axis) if broadcast else whole(indices)
    if not isinstance(values, Tensor):
        values = torch.tensor(values, device=arr.device)
    values = values.to(arr.dtype)
    if broadcast or values.numel() == 1:
        values = torch.broadcast_to(values, places.shape)
    if reduce == "assign":
        return torch.scatter(arr, axis, places, values)
    return torch.scatter_reduce(
        arr, axis, places, values, _REDUCE.get(reduce, reduce), include_self=include_self
    )


def index_fill(x: Tensor, index: Tensor, axis: int, value: Union[float, Tensor]) -> Tensor:
    return torch.index_fill(x, int(scalar(axis)), whole(index).reshape(-1), value)


def index_put(x: Tensor, indices: Sequence[Tensor], value: Tensor, accumulate: bool) -> Tensor:
    places = tuple(i if i.dtype == torch.bool else whole(i) for i in indices)
    return torch.index_put(x, places, value, accumulate)


def fill_diagonal(x: Tensor, value: float, offset: int, wrap: bool) -> Tensor:
    """The diagonal filled in place; `wrap` starts again below where rows outnumber columns."""
    if x.ndim > 2 or offset == 0:
        return x.fill_diagonal_(value, wrap)
    rows, columns = x.shape
    row = torch.arange(rows, device=x.device)
    column = row + offset
    if wrap and rows > columns:
        step = torch.arange(max(offset, -offset * columns), x.numel(), columns + 1)
        row, column = step // columns, step % columns
    inside = (column >= 0) & (column < columns)
    x[row[inside], column[inside]] = value
    return x


def crop(x: Tensor, shape: Any, offsets: Any) -> Tensor:
    starts = [0] * x.ndim if offsets is None else numbers(offsets)
    sizes = list(x.shape) if shape is None else numbers(shape)
    ends = [n if size == -1 else start + size for n, start, size in zip(x.shape, starts, sizes)]
    if any(end > n for end, n in zip(ends, x.shape)):
        raise ValueError("offsets + shape must lie inside x")
    return x[tuple(slice(start, end) for start, end in zip(starts, ends))]


def take(x: Tensor, index: Tensor, mode: str) -> Tensor:
    count = x.numel()
    index = whole(index)
    if mode == "wrap":
        index = index % count
    elif mode == "clip":
        index = index.clamp(0, count - 1)
    elif index.numel() and not (-count <= int(index.min()) and int(index.max()) < count):
        raise IndexError("take: index out of range")
    return x.reshape(-1)[index]


def expand(x: Tensor, shape: Any) -> Tensor:
    return x.expand(numbers(shape))


def tile(x: Tensor, repeat_times: Any) -> Tensor:
    return torch.tile(x, tuple(numbers(repeat_times)))


def roll(x: Tensor, shifts: Any, axis: Any) -> Tensor:
    if isinstance(shifts, Tensor):
        raise TypeError("shifts must be an int, a list or a tuple")
    if axis is None:
        return torch.roll(x.reshape(-1), numbers(shifts)[0]).reshape(x.shape)
    return torch.roll(x, tuple(numbers(shifts)), tuple(numbers(axis)))


def atleast(dims: int, inputs: Sequence[Any]) -> Any:
    """Each input with at least `dims` dimensions; one input gives a tensor, more a list."""
    grow = {1: torch.atleast_1d, 2: torch.atleast_2d, 3: torch.atleast_3d}[dims]
    results = [grow(x if isinstance(x, Tensor) else torch.tensor(x)) for x in inputs]
    return results[0] if len(results) == 1 else results


def as_view(x: Tensor, shape_or_dtype: Any) -> Tensor:
    if isinstance(shape_or_dtype, (list, tuple)):
        return x.view(numbers(shape_or_dtype))
    if isinstance(shape_or_dtype, str):
        shape_or_dtype = getattr(torch, shape_or_dtype)
    return x.view(shape_or_dtype)


def unflatten(x: Tensor, axis: int, shape: Any) -> Tensor:
    return torch.unflatten(x, int(scalar(axis)), numbers(shape))


def shard_index(
    input: Tensor, index_num: int, nshards: int, shard_id: int, ignore_value: int
) -> Tensor:
    size = (index_num + nshards - 1) // nshards
    inside = input // size == shard_id
    return torch.where(inside, input % size, torch.full_like(input, ignore_value))


def multiplex(inputs: Sequence[Tensor], index: Tensor) -> Tensor:
    """Row i of input number index[i]."""
    rows = torch.arange(index.shape[0], device=index.device)
    return torch.stack(list(inputs))[whole(index).reshape(-1), rows]


def vector_to_parameters(vec: Tensor, parameters: Sequence[Tensor]) -> None:
    """Writes slices of vec, in order, into the parameters."""
    begin = 0
    for parameter in parameters:
        end = begin + parameter.numel()
        parameter.data = vec[begin:end].reshape(parameter.shape).data
        begin = end


def masked_fill(x: Tensor, mask: Tensor, value: Any) -> Tensor:
    """x, broadcast with the mask, with `value` where the mask is true."""
    x = x.expand(np.broadcast_shapes(x.shape, mask.shape))
    return torch.masked_fill(x, mask, value.reshape(()) if isinstance(value, Tensor) else value)
