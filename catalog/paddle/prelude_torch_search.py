# SPDX-License-Identifier: Apache-2.0
"""Helpers for writing Paddle's searching, counting and comparing calls in Torch."""

from typing import Any, Optional

import torch
from torch import Tensor


def close(x: Tensor, y: Tensor, rtol: float, atol: float, equal_nan: bool) -> Tensor:
    """|x - y| <= atol + rtol * |y|, elementwise; equal infinities are close."""
    if not (isinstance(x, Tensor) and isinstance(y, Tensor)):
        raise TypeError("expected two tensors")
    near = torch.abs(x - y) <= atol + rtol * torch.abs(y)
    same = near & torch.isfinite(y) | (x == y) & torch.isinf(y)
    return same | torch.isnan(x) & torch.isnan(y) if equal_nan else same


def first_positions(inverse: Tensor, count: int) -> Tensor:
    """For each of count values, the first place of inverse that holds its number."""
    flat = inverse.reshape(-1)
    places = torch.arange(flat.numel())
    start = torch.full((count,), flat.numel(), dtype=torch.int64)
    return start.scatter_reduce(0, flat, places, "amin")


def distinct_values(
    x: Tensor,
    return_index: bool,
    return_inverse: bool,
    return_counts: bool,
    axis: Optional[int],
    dtype: torch.dtype,
) -> Any:
    """paddle.unique."""
    values, inverse, counts = torch.unique(x, return_inverse=True, return_counts=True, dim=axis)
    results = [values]
    if return_index:
        results.append(first_positions(inverse, counts.numel()).to(dtype))
    if return_inverse:
        results.append(inverse.reshape(-1).to(dtype))
    if return_counts:
        results.append(counts.to(dtype))
    return results[0] if len(results) == 1 else tuple(results)


def distinct_runs(
    x: Tensor,
    return_inverse: bool,
    return_counts: bool,
    axis: Optional[int],
    dtype: torch.dtype,
) -> Any:
    """paddle.unique_consecutive."""
    values, inverse, counts = torch.unique_consecutive(
        x, return_inverse=True, return_counts=True, dim=axis
    )
    results = [values]
    if return_inverse:
        results.append(inverse.reshape(-1).to(dtype))
    if return_counts:
        results.append(counts.to(dtype))
    return results[0] if len(results) == 1 else tuple(results)


def bin_edges(x: Tensor, bins: int, low: float, high: float) -> Tensor:
    """Edges of equal bins over [low, high]; equal bounds mean the range of the data."""
    if low == high and low == 0 and x.numel():
        low, high = float(x.min()), float(x.max())
    if low == high:
        low, high = low - 0.5, high + 0.5
    return torch.linspace(low, high, bins + 1, dtype=torch.float32)


def counted(
    x: Tensor, bins: int, low: float, high: float, weight: Optional[Tensor], density: bool
) -> Tensor:
    """paddle.histogram: int64 counts, floats with a weight or a density."""
    if low == high and x.numel():
        low, high = float(x.min()), float(x.max())
    if low == high:
        low, high = low - 1.0, high + 1.0
    flat = x.reshape(-1).double()
    inside = (flat >= low) & (flat <= high)
    slot = ((flat[inside] - low) * bins / (high - low)).long().clamp(max=bins - 1)
    mass = torch.ones_like(flat) if weight is None else weight.reshape(-1).double()
    sums = torch.zeros(bins, dtype=torch.float64).scatter_add(0, slot, mass[inside])
    if density:
        return (sums / sums.sum() / ((high - low) / bins)).float()
    return sums.long() if weight is None else sums.to(weight.dtype)
