# SPDX-License-Identifier: Apache-2.0
# Helpers of the normalisation entries. Each returns torch tensors and stays differentiable.
from typing import Any, List, Optional

import torch
import torch.nn.functional as F
from torch import Tensor


def _last(data_format: Optional[str]) -> bool:
    return data_format is not None and data_format.upper().endswith("C")


def _first(x: Tensor, data_format: Optional[str]) -> Tensor:
    return x.movedim(-1, 1) if _last(data_format) else x


def _back(x: Tensor, data_format: Optional[str]) -> Tensor:
    return x.movedim(1, -1) if _last(data_format) else x


def _sizes(shape: Any) -> List[int]:
    if isinstance(shape, Tensor):
        return [int(n) for n in shape.reshape(-1).tolist()]
    return [int(n) for n in shape] if isinstance(shape, (list, tuple)) else [int(shape)]


def batch_norm(
    x: Tensor,
    mean: Tensor,
    variance: Tensor,
    weight: Optional[Tensor],
    bias: Optional[Tensor],
    training: bool,
    momentum: float,
    epsilon: float,
    data_format: str,
    use_global: Optional[bool],
) -> Tensor:
    batch = training if use_global is None else not use_global
    x = _first(x, data_format)
    out = F.batch_norm(x, mean, variance, weight, bias, batch, 1 - momentum, epsilon)
    return _back(out, data_format)


def layer_norm(
    x: Tensor, shape: Any, weight: Optional[Tensor], bias: Optional[Tensor], epsilon: float
) -> Tensor:
    sizes = _sizes(shape)
    weight = None if weight is None else weight.reshape(sizes)
    bias = None if bias is None else bias.reshape(sizes)
    return F.layer_norm(x, sizes, weight, bias, epsilon)


def group_norm(
    x: Tensor,
    groups: int,
    epsilon: float,
    weight: Optional[Tensor],
    bias: Optional[Tensor],
    data_format: str,
) -> Tensor:
    out = F.group_norm(_first(x, data_format), groups, weight, bias, epsilon)
    return _back(out, data_format)


def normalize(x: Tensor, p: float, axis: int, epsilon: float) -> Tensor:
    norm = torch.linalg.vector_norm(x, p, axis if x.ndim > 1 else 0, keepdim=True)
    return x / norm.clamp(min=epsilon)


def local_response_norm(
    x: Tensor, size: int, alpha: float, beta: float, k: float, data_format: str
) -> Tensor:
    out = F.local_response_norm(_first(x, data_format), size, alpha, beta, k)
    return _back(out, data_format)


def instance_norm(
    x: Tensor, weight: Optional[Tensor], bias: Optional[Tensor], epsilon: float
) -> Tensor:
    """Over all but the first two dims, of which there may be none."""
    flat = x.unsqueeze(-1) if x.ndim == 2 else x.flatten(2)
    spread, mean = torch.var_mean(flat, -1, correction=0, keepdim=True)
    out = (flat - mean) / torch.sqrt(spread + epsilon)
    if weight is not None:
        out = out * weight.reshape(1, -1, 1)
    if bias is not None:
        out = out + bias.reshape(1, -1, 1)
    return out.reshape(x.shape)
