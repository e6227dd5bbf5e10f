# SPDX-License-Identifier: Apache-2.0
# Helpers of the incubate, geometric and sparse entries: what the fused operators document as pseudo
# code, message passing over edges, and the check that sparse operators get sparse tensors.
import math
from typing import Any, Optional, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor


def _affine_norm(
    x: Tensor, axis: int, weight: Optional[Tensor], bias: Optional[Tensor], epsilon: float
) -> Tensor:
    shape = x.shape[axis % x.ndim :]
    y = F.layer_norm(
        x.float() if x.dtype in (torch.float16, torch.bfloat16) else x, shape, None, None, epsilon
    )
    y = y if weight is None else y * weight.reshape(shape)
    y = y if bias is None else y + bias.reshape(shape)
    return y.to(x.dtype)


def _drop(x: Tensor, p: float, training: bool, mode: str) -> Tensor:
    if not training:
        return x * (1 - p) if mode == "downscale_in_infer" else x
    keep = (torch.rand(x.shape, device=x.device) >= p).to(x.dtype)
    return x * keep / (1 - p) if mode == "upscale_in_train" and p < 1 else x * keep


def dropout_add(x: Tensor, y: Tensor, p: float, training: bool, mode: str) -> Tensor:
    return _drop(x, p, training, mode) + y


def fused_matmul(
    x: Tensor, y: Tensor, bias: Optional[Tensor], transpose_x: bool, transpose_y: bool
) -> Tensor:
    x = x.transpose(-1, -2) if transpose_x else x
    y = y.transpose(-1, -2) if transpose_y else y
    out = torch.matmul(x, y)
    return out if bias is None else out + bias


_ACTIVATIONS = {
    "gelu": F.gelu,
    "relu": F.relu,
    "silu": F.silu,
    "swish": F.silu,
    "none": lambda x: x,
    "sigmoid": torch.sigmoid,
    "identity": lambda x: x,
}


def activate_after(x: Tensor, name: Optional[str]) -> Tensor:
    if name in ("swiglu", "geglu"):
        gate, value = x.chunk(2, -1)
        return _ACTIVATIONS["silu" if name == "swiglu" else "gelu"](gate) * value
    return _ACTIVATIONS[name or "none"](x)


def _quantized(x: Tensor, scale: float, round_type: int, high: float, low: float) -> Tensor:
    y = x.float() * scale * high
    half_up = torch.sign(y) * torch.floor(y.abs() + 0.5)
    return (torch.round(y) if round_type == 0 else half_up).clamp(low, high).to(torch.int8)


def bias_act(
    x: Tensor,
    bias: Optional[Tensor],
    dequant_scales: Optional[Tensor],
    shift: Optional[Tensor],
    smooth: Optional[Tensor],
    act_method: str,
    quant_scale: float,
    round_type: int,
    high: float,
    low: float,
) -> Tensor:
    x = x if dequant_scales is None else x * dequant_scales
    x = activate_after(x if bias is None else x + bias, act_method)
    x = x if shift is None else x + shift
    x = x if smooth is None else x * smooth
    return _quantized(x, quant_scale, round_type, high, low) if quant_scale > 0 else x


def norm_after_residual(
    x: Tensor,
    weight: Optional[Tensor],
    norm_bias: Optional[Tensor],
    epsilon: float,
    axis: int,
    bias: Optional[Tensor],
    residual: Optional[Tensor],
    alpha: float,
    rms: bool,
) -> Tensor:
    x = x if bias is None else x + bias
    x = x if residual is None else x + alpha * residual
    if weight is None and norm_bias is None:
        return x
    if not rms:
        return _affine_norm(x, axis, weight, norm_bias, epsilon)
    shape = x.shape[axis % x.ndim :]
    wide = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    y = F.rms_norm(wide, shape, None, epsilon)
    y = y if weight is None else y * weight.reshape(shape)
    y = y if norm_bias is None else y + norm_bias.reshape(shape)
    return y.to(x.dtype)


def dropout_residual_norm(
    x: Tensor,
    residual: Tensor,
    bias: Optional[Tensor],
    scale: Optional[Tensor],
    norm_bias: Optional[Tensor],
    p: float,
    epsilon: float,
    training: bool,
    mode: str,
) -> Tensor:
    x = x if bias is None else x + bias
    return _affine_norm(residual + _drop(x, p, training, mode), -1, scale, norm_bias, epsilon)


def feedforward(
    x: Tensor,
    weights: Tuple[Tensor, Tensor],
    biases: Tuple[Any, Any],
    norm1: Tuple[Any, Any],
    norm2: Tuple[Any, Any],
    rates: Tuple[float, float],
    act: str,
    epsilons: Tuple[float, float],
    before: bool,
    training: bool,
    mode: str,
    add_residual: bool,
) -> Tensor:
    y = _affine_norm(x, -1, *norm1, epsilons[0]) if before else x
    y = activate_after(fused_matmul(y, weights[0], biases[0], False, False), act)
    y = fused_matmul(_drop(y, rates[0], training, mode), weights[1], biases[1], False, False)
    y = _drop(y, rates[1], training, mode)
    y = x + y if add_residual else y
    return y if before else _affine_norm(y, -1, *norm2, epsilons[1])


def _rotated(x: Tensor, adjacent: bool) -> Tensor:
    if adjacent:
        return torch.stack([-x[..., 1::2], x[..., 0::2]], -1).flatten(-2)
    first, second = x.chunk(2, -1)
    return torch.cat([-second, first], -1)


def rotary(
    q: Tensor,
    k: Optional[Tensor],
    v: Optional[Tensor],
    sin: Optional[Tensor],
    cos: Optional[Tensor],
    position_ids: Optional[Tensor],
    adjacent: bool,
    time_major: bool,
    base: float,
) -> Tuple[Optional[Tensor], ...]:
    """Rotary embedding of q, k, v: adjacent numbers, or the halves, are rotated as pairs."""
    length, size = q.shape[0 if time_major else 1], q.shape[-1]
    if sin is None or cos is None:
        pair = torch.arange(0, size, 2, device=q.device, dtype=torch.float32) / size
        angle = torch.arange(length, device=q.device).unsqueeze(1) / base**pair
        angle = angle.repeat_interleave(2, -1) if adjacent else angle.repeat(1, 2)
        sin, cos = angle.sin().to(q.dtype), angle.cos().to(q.dtype)
    sin, cos = sin.reshape(-1, size), cos.reshape(-1, size)
    if position_ids is not None:
        sin, cos = sin[position_ids].unsqueeze(2), cos[position_ids].unsqueeze(2)
    else:
        sin, cos = sin[None, :length, None], cos[None, :length, None]
    if time_major:
        sin, cos = sin.transpose(0, 1), cos.transpose(0, 1)
    return tuple(None if x is None else x * cos + _rotated(x, adjacent) * sin for x in (q, k, v))


def masked_softmax(x: Tensor) -> Tensor:
    """Softmax of the lower triangle."""
    above = torch.ones(x.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
    return torch.softmax(x.masked_fill(above, -math.inf), -1)


def segments(data: Tensor, ids: Tensor, reduce: str, count: Optional[int] = None) -> Tensor:
    """Rows reduced by the id of their segment; a segment without rows is zero."""
    if count is None:
        count = int(ids.max()) + 1 if ids.numel() else 0
    place = ids.long().reshape(-1, *[1] * (data.ndim - 1)).expand_as(data)
    out = data.new_zeros(count, *data.shape[1:])
    if reduce == "mean" and not data.is_floating_point():
        total = torch.scatter_add(out, 0, place, data)
        share = torch.scatter_add(out, 0, place, torch.ones_like(data)).clamp(min=1)
        return torch.div(total, share, rounding_mode="trunc")
    return torch.scatter_reduce(out, 0, place, data, reduce, include_self=False)


_MESSAGES = {"add": torch.add, "sub": torch.sub, "mul": torch.mul, "div": torch.div}
_REDUCTIONS = {"sum": "sum", "mean": "mean", "max": "amax", "min": "amin"}


def message(x: Tensor, y: Tensor, how: str) -> Tensor:
    return _MESSAGES[how.lower()](x, y)


def send(
    x: Tensor,
    y: Optional[Tensor],
    src: Tensor,
    dst: Tensor,
    how: str,
    reduce_op: str,
    out_size: Any,
) -> Tensor:
    """Rows of x at src, combined with the edges' y, reduced at dst."""
    size = 0 if out_size is None else int(out_size)
    rows = x[src.long()]
    if y is not None:
        y = y.reshape(y.shape[0], *[1] * (rows.ndim - y.ndim), *y.shape[1:])
        rows = message(rows, y, how)
    return segments(rows, dst, _REDUCTIONS[reduce_op.lower()], size if size > 0 else x.shape[0])


def sparse_input(x: Tensor) -> Tensor:
    if not isinstance(x, Tensor) or x.layout == torch.strided:
        raise TypeError("expected a sparse tensor, got a dense one")
    return x
