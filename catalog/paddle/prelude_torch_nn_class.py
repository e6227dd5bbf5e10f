# SPDX-License-Identifier: Apache-2.0
# Helpers of the nn.functional entries about tokens, classes, attention and similarity.
from typing import Any, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor


def embedding(
    x: Tensor,
    weight: Tensor,
    padding_idx: Optional[int],
    max_norm: Optional[float],
    norm_type: float,
    by_frequency: bool,
) -> Tensor:
    """Rows of weight; rows of padding_idx are zero in the result."""
    if max_norm is not None:
        norms = weight.detach().norm(norm_type, dim=-1, keepdim=True)
        weight = torch.where(norms > max_norm, weight * (max_norm / (norms + 1e-7)), weight)
    if weight.is_complex():
        out = weight[x]
    else:
        out = F.embedding(x, weight, padding_idx, scale_grad_by_freq=by_frequency)
    if padding_idx is None:
        return out
    return out.masked_fill((x == padding_idx % weight.shape[0]).unsqueeze(-1), 0)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    mask: Optional[Tensor],
    p: float,
    causal: bool,
    training: bool,
    scale: Optional[float],
    grouped: bool,
) -> Tensor:
    """Scaled dot product attention on [batch, length, heads, head size]."""
    if key.shape[2] != value.shape[2]:
        raise ValueError("key and value must have as many heads")
    q, k, v = (t.transpose(1, 2) for t in (query, key, value))
    out = F.scaled_dot_product_attention(
        q,
        k,
        v,
        mask,
        p if training else 0.0,
        causal,
        scale=scale,
        enable_gqa=grouped and q.shape[1] != k.shape[1],
    )
    return out.transpose(1, 2)


def sequence_mask(x: Tensor, maxlen: Any, dtype: torch.dtype) -> Tensor:
    length = int(x.max()) if maxlen is None else int(maxlen)
    return (torch.arange(length, device=x.device) < x.unsqueeze(-1)).to(dtype)


def maxout(x: Tensor, groups: int, axis: int) -> Tensor:
    axis = axis % x.ndim
    return x.unflatten(axis, (x.shape[axis] // groups, groups)).amax(axis + 1)


def one_hot(x: Tensor, num_classes: Any) -> Tensor:
    count = int(num_classes)
    return F.one_hot(x.long(), count).float()


def cosine_similarity(x1: Tensor, x2: Tensor, axis: int, eps: float) -> Tensor:
    """The product of the norms, not each norm, is kept from zero."""
    x1, x2 = torch.broadcast_tensors(x1, x2)
    product = x1.square().sum(axis) * x2.square().sum(axis)
    return (x1 * x2).sum(axis) / product.clamp(min=eps * eps).sqrt()


def swiglu(x: Tensor, y: Optional[Tensor]) -> Tensor:
    if y is None:
        x, y = x.chunk(2, -1)
    return F.silu(x) * y


def class_center_sample(label: Tensor, num_classes: int, num_samples: int) -> Tuple[Tensor, Tensor]:
    """All classes that occur and random others, in order; labels as positions among them."""
    present = torch.unique(label)
    chosen = torch.zeros(num_classes, dtype=torch.bool, device=label.device)
    chosen[present] = True
    others = (~chosen).nonzero().reshape(-1)
    missing = max(num_samples - present.numel(), 0)
    chosen[others[torch.randperm(others.numel(), device=label.device)[:missing]]] = True
    centers = chosen.nonzero().reshape(-1).to(label.dtype)
    return torch.searchsorted(centers, label).to(label.dtype), centers
