# SPDX-License-Identifier: Apache-2.0
# Helpers of the pooling entries. A window's last position is counted as Paddle documents it: with
# ceil_mode it may start in the padding after the input, which torch's own pooling leaves out.
import math
from typing import Any, List, Optional, Sequence, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor

_Pads = List[Tuple[int, int]]
_MAX = {1: F.max_pool1d, 2: F.max_pool2d, 3: F.max_pool3d}
_AVG = {1: F.avg_pool1d, 2: F.avg_pool2d, 3: F.avg_pool3d}
_ADAPTIVE_AVG = {1: F.adaptive_avg_pool1d, 2: F.adaptive_avg_pool2d, 3: F.adaptive_avg_pool3d}
_ADAPTIVE_MAX = {1: F.adaptive_max_pool1d, 2: F.adaptive_max_pool2d, 3: F.adaptive_max_pool3d}


def _ints(value: Any, count: int) -> List[int]:
    if isinstance(value, Tensor):
        value = value.reshape(-1).tolist()
    if isinstance(value, (list, tuple)):
        values = [int(v) for v in value]
        return values * count if len(values) == 1 else values
    return [int(value)] * count


def _last(data_format: Optional[str]) -> bool:
    return data_format is not None and data_format.upper().endswith("C")


def _first(x: Tensor, data_format: Optional[str]) -> Tensor:
    return x.movedim(-1, 1) if _last(data_format) else x


def _back(x: Tensor, data_format: Optional[str]) -> Tensor:
    return x.movedim(1, -1) if _last(data_format) else x


def _batched(x: Tensor) -> Tensor:
    """torch pools no empty channels: they become an empty batch."""
    return x.reshape(0, 1, *x.shape[2:]) if x.ndim > 2 and x.shape[1] == 0 else x


def _like(out: Tensor, x: Tensor) -> Tensor:
    return out.reshape(*x.shape[:2], *out.shape[2:]) if x.ndim > 2 and x.shape[1] == 0 else out


def _pads(
    padding: Any,
    spatial: Sequence[int],
    window: List[int],
    stride: List[int],
    data_format: Optional[str],
) -> _Pads:
    dims = len(spatial)
    if isinstance(padding, str):
        if padding.upper() == "VALID":
            return [(0, 0)] * dims
        if padding.upper() != "SAME":
            raise ValueError(f"unknown padding {padding}")
        totals = [max((-(-n // s) - 1) * s + k - n, 0) for n, k, s in zip(spatial, window, stride)]
        return [(total // 2, total - total // 2) for total in totals]
    if isinstance(padding, (list, tuple)) and padding and isinstance(padding[0], (list, tuple)):
        pairs = [(int(a), int(b)) for a, b in padding]
        if len(pairs) == dims + 2:
            pairs = pairs[1:-1] if _last(data_format) else pairs[2:]
        return pairs
    values = _ints(padding, dims)
    if len(values) == 2 * dims:
        return list(zip(values[0::2], values[1::2]))
    if len(values) != dims:
        raise ValueError(f"padding must have 1, {dims} or {2 * dims} numbers")
    return [(p, p) for p in values]


def _flat(pads: _Pads) -> List[int]:
    return [p for pair in reversed(pads) for p in pair]


def _grown(spatial: Sequence[int], window: List[int], stride: List[int], pads: _Pads) -> _Pads:
    """The pads with what ceil_mode adds after each dim."""
    grown = []
    for n, k, s, (a, b) in zip(spatial, window, stride, pads):
        count = -(-(n + a + b - k) // s) + 1
        grown.append((a, max(b, (count - 1) * s + k - n - a)))
    return grown


def _hollow(
    x: Tensor, window: List[int], stride: List[int], pads: _Pads, ceil_mode: bool
) -> Optional[Tensor]:
    """The result without windows of an x without places, which torch refuses."""
    sizes = []
    for n, k, s, (a, b) in zip(x.shape[2:], window, stride, pads):
        free = n + a + b - k
        sizes.append((-(-free // s) if ceil_mode else free // s) + 1)
    if 0 not in x.shape[2:] or min(sizes) != 0:
        return None
    return x.sum() + x.new_zeros(*x.shape[:2], *sizes)


def _plain(window: List[int], pads: _Pads) -> bool:
    return all(a == b and 2 * a <= k for k, (a, b) in zip(window, pads))


def _unpadded(mask: Tensor, padded: Sequence[int], spatial: Sequence[int], pads: _Pads) -> Tensor:
    """Flat positions in the padded input as flat positions in the input."""
    place = torch.zeros_like(mask)
    for dim in range(len(spatial)):
        below = math.prod(padded[dim + 1 :])
        coordinate = mask // below % padded[dim] - pads[dim][0]
        place = place * spatial[dim] + coordinate
    return place


def max_pool(
    x: Tensor,
    dims: int,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    return_mask: bool,
    ceil_mode: bool,
    data_format: Optional[str],
) -> Any:
    whole = _first(x, data_format)
    x = _batched(whole)
    window = _ints(kernel_size, dims)
    step = window if stride is None else _ints(stride, dims)
    spatial = x.shape[2:]
    pads = _pads(padding, spatial, window, step, data_format)
    hollow = _hollow(whole, window, step, pads, ceil_mode)
    if hollow is not None:
        out = _back(hollow, data_format)
        return (out, torch.zeros_like(out, dtype=torch.int32)) if return_mask else out
    wide = _grown(spatial, window, step, pads) if ceil_mode else pads
    if _plain(window, wide):
        found = _MAX[dims](x, window, step, [a for a, _ in wide], 1, False, return_mask)
        if not return_mask:
            return _back(_like(found, whole), data_format)
        out, mask = found
    else:
        padded = F.pad(x, _flat(wide), "constant", -math.inf)
        out, mask = _MAX[dims](padded, window, step, 0, 1, False, True)
        mask = _unpadded(mask, padded.shape[2:], spatial, wide)
    out = _back(_like(out, whole), data_format)
    return (out, _back(_like(mask, whole), data_format).int()) if return_mask else out


def avg_pool(
    x: Tensor,
    dims: int,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    exclusive: bool,
    ceil_mode: bool,
    divisor: Optional[float],
    data_format: Optional[str],
) -> Tensor:
    whole = _first(x, data_format)
    x = _batched(whole)
    window = _ints(kernel_size, dims)
    step = window if stride is None else _ints(stride, dims)
    pads = _pads(padding, x.shape[2:], window, step, data_format)
    hollow = _hollow(whole, window, step, pads, ceil_mode)
    if hollow is not None:
        return _back(hollow, data_format)
    wide = _grown(x.shape[2:], window, step, pads) if ceil_mode else pads
    if wide == pads and _plain(window, pads) and not divisor:
        out = _AVG[dims](x, window, step, [a for a, _ in pads], False, not exclusive)
        return _back(_like(out, whole), data_format)
    out = _AVG[dims](F.pad(x, _flat(wide)), window, step)
    ones = torch.ones(1, 1, *x.shape[2:], dtype=x.dtype, device=x.device)
    if not exclusive:
        ones = F.pad(ones, _flat(pads), "constant", 1.0)
        wide = [(0, after - b) for (_, after), (_, b) in zip(wide, pads)]
    share = _AVG[dims](F.pad(ones, _flat(wide)), window, step)
    if divisor:
        return _back(_like(out * (math.prod(window) / divisor), whole), data_format)
    return _back(_like(out / share, whole), data_format)


def lp_pool(
    x: Tensor,
    dims: int,
    norm_type: float,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    ceil_mode: bool,
    data_format: str,
) -> Tensor:
    """(sum of x**p)**(1/p); the limits of p are the largest and the smallest element."""
    power = float(norm_type)
    if power == 0:
        raise ValueError("norm_type must not be 0")
    if math.isinf(power):
        sign = 1 if power > 0 else -1
        out = max_pool(x * sign, dims, kernel_size, stride, padding, False, ceil_mode, data_format)
        return out * sign
    total = avg_pool(
        x**power, dims, kernel_size, stride, padding, False, ceil_mode, 1.0, data_format
    )
    return total ** (1 / power)


def max_unpool(
    x: Tensor,
    indices: Tensor,
    dims: int,
    kernel_size: Any,
    stride: Any,
    padding: Any,
    output_size: Any,
) -> Tensor:
    if indices.shape != x.shape:
        raise ValueError("indices must have the shape of x")
    window = _ints(kernel_size, dims)
    step = window if stride is None else _ints(stride, dims)
    pads = _ints(padding, dims)
    size = [(n - 1) * s - 2 * p + k for n, s, p, k in zip(x.shape[2:], step, pads, window)]
    if output_size is not None:
        wanted = _ints(output_size, dims)[-dims:]
        if any(abs(a - b) >= s for a, b, s in zip(wanted, size, step)):
            raise ValueError(f"output_size must be less than a stride from {size}")
        size = wanted
    empty = x.new_zeros(*x.shape[:2], math.prod(size))
    out = torch.scatter(empty, 2, indices.long().flatten(2), x.flatten(2))
    return out.reshape(*x.shape[:2], *size)


def _sizes(output_size: Any, spatial: Sequence[int]) -> List[int]:
    if not isinstance(output_size, (list, tuple)):
        return _ints(output_size, len(spatial))
    return [n if size is None else int(size) for n, size in zip(spatial, output_size)]


def adaptive_avg_pool(x: Tensor, dims: int, output_size: Any, data_format: str) -> Tensor:
    x = _first(x, data_format)
    out = _ADAPTIVE_AVG[dims](_batched(x), _sizes(output_size, x.shape[2:]))
    return _back(_like(out, x), data_format)


def adaptive_max_pool(x: Tensor, dims: int, output_size: Any, return_mask: bool) -> Any:
    out, mask = _ADAPTIVE_MAX[dims](_batched(x), _sizes(output_size, x.shape[2:]), True)
    out = _like(out, x)
    return (out, _like(mask, x).int()) if return_mask else out


def _fraction(n: int, size: int, window: Optional[int], u: float) -> Tensor:
    """The places of each window in one dim; a shorter one repeats its last."""
    if size == 0:
        return torch.zeros(0, 1, dtype=torch.int64)
    step = n / size
    starts = [math.ceil(step * (i + u) - 1) for i in range(size)]
    if window is None:
        ends = [math.ceil(step * (i + 1 + u) - 1) for i in range(size)]
    else:
        ends = [start + window for start in starts]
    ends = [min(end, n) for end in ends]
    width = max(end - start for start, end in zip(starts, ends))
    last = torch.tensor(ends).reshape(-1, 1) - 1
    return torch.minimum(torch.tensor(starts).reshape(-1, 1) + torch.arange(width), last)


def fractional_max_pool(
    x: Tensor,
    dims: int,
    output_size: Any,
    kernel_size: Any,
    random_u: Optional[float],
    return_mask: bool,
) -> Any:
    """Windows from ceil(a (i + u) - 1) to ceil(a (i + 1 + u) - 1), cut at the end of x."""
    u = 0.5 if random_u is None else random_u
    if not 0 < u < 1:
        raise ValueError("random_u must be in (0, 1)")
    spatial, sizes = x.shape[2:], _sizes(output_size, x.shape[2:])
    window = [None] * dims if kernel_size is None else _ints(kernel_size, dims)
    grid = torch.zeros([1] * (2 * dims), dtype=torch.int64)
    for dim, (n, size, k) in enumerate(zip(spatial, sizes, window)):
        places = _fraction(n, size, k, u)
        shape = [1] * (2 * dims)
        shape[dim], shape[dims + dim] = places.shape
        grid = grid * n + places.reshape(shape)
    flat = grid.flatten(dims).flatten(0, dims - 1)
    out, chosen = x.flatten(2)[..., flat].max(-1)
    out = out.reshape(*x.shape[:2], *sizes)
    if not return_mask:
        return out
    mask = flat.gather(1, chosen.reshape(-1, flat.shape[0]).T).T
    return out, mask.reshape(out.shape).int()
