# SPDX-License-Identifier: Apache-2.0
# Helpers of the nn.functional entries: padding, layouts, convolution, interpolation,
# attention. Each returns torch tensors and stays differentiable.
from typing import Any, List, Optional, Sequence, Tuple

import torch
import torch.nn.functional as F
from torch import Tensor

_Pads = List[Tuple[int, int]]


def _item(value: Any) -> Any:
    return value.item() if isinstance(value, Tensor) else value


def _list(value: Any, count: int) -> List[Any]:
    if isinstance(value, Tensor):
        value = value.reshape(-1).tolist()
    if isinstance(value, (list, tuple)):
        values = [_item(v) for v in value]
        return values * count if len(values) == 1 else values
    return [value] * count


def is_channel_last(data_format: Optional[str]) -> bool:
    return data_format is not None and data_format.upper().endswith("C")


def channels_first(x: Tensor, data_format: Optional[str]) -> Tensor:
    return x.movedim(-1, 1) if is_channel_last(data_format) else x


def channels_back(x: Tensor, data_format: Optional[str]) -> Tensor:
    return x.movedim(1, -1) if is_channel_last(data_format) else x


def pads_of(
    padding: Any,
    spatial: Sequence[int],
    window: Sequence[int],
    stride: Sequence[int],
    dilation: Sequence[int],
    data_format: Optional[str],
) -> _Pads:
    """(before, after) of each spatial dim from any spelling of padding."""
    dims = len(spatial)
    if isinstance(padding, str):
        if padding.upper() == "VALID":
            return [(0, 0)] * dims
        if padding.upper() != "SAME":
            raise ValueError(f"unknown padding {padding}")
        pads = []
        for n, k, s, d in zip(spatial, window, stride, dilation):
            total = max((-(-n // s) - 1) * s + d * (k - 1) + 1 - n, 0)
            pads.append((total // 2, total - total // 2))
        return pads
    if isinstance(padding, (list, tuple)) and padding and isinstance(padding[0], (list, tuple)):
        pairs = [(int(a), int(b)) for a, b in padding]
        if len(pairs) == dims + 2:
            pairs = pairs[1:-1] if is_channel_last(data_format) else pairs[2:]
        return pairs
    values = [int(p) for p in _list(padding, dims)]
    if len(values) == 2 * dims:
        return list(zip(values[0::2], values[1::2]))
    if len(values) != dims:
        raise ValueError(f"padding must have 1, {dims} or {2 * dims} numbers")
    return [(p, p) for p in values]


def flat_pads(pads: _Pads) -> List[int]:
    """In the order of torch's pad: last dim first."""
    return [p for pair in reversed(pads) for p in pair]


def _same(pads: _Pads) -> bool:
    return all(before == after for before, after in pads)


_CONV = {1: F.conv1d, 2: F.conv2d, 3: F.conv3d}
_CONV_TRANSPOSE = {1: F.conv_transpose1d, 2: F.conv_transpose2d, 3: F.conv_transpose3d}


def conv(
    x: Tensor,
    weight: Tensor,
    bias: Optional[Tensor],
    stride: Any,
    padding: Any,
    dilation: Any,
    groups: int,
    data_format: str,
) -> Tensor:
    dims = weight.ndim - 2
    x = channels_first(x, data_format)
    strides, dilations = _list(stride, dims), _list(dilation, dims)
    spatial = x.shape[2:]
    pads = pads_of(padding, spatial, weight.shape[2:], strides, dilations, data_format)
    if _same(pads) and 0 not in spatial:
        pad = [before for before, _ in pads]
    else:
        x, pad = F.pad(x, flat_pads(pads)), [0] * dims
    if 0 in spatial and x.shape[1] == weight.shape[1] * groups:
        reach = [d * (k - 1) + 1 for d, k in zip(dilations, weight.shape[2:])]
        sizes = [(n - k) // s + 1 for n, k, s in zip(x.shape[2:], reach, strides)]
        if min(sizes) == 0 and 0 not in weight.shape:
            link = x.sum() + weight.sum() + (0 if bias is None else bias.sum())
            out = link + x.new_zeros(x.shape[0], weight.shape[0], *sizes)
            return channels_back(out, data_format)
    out = _CONV[dims](x, weight, bias, strides, pad, dilations, groups)
    return channels_back(out, data_format)


def conv_transpose(
    x: Tensor,
    weight: Tensor,
    bias: Optional[Tensor],
    stride: Any,
    padding: Any,
    output_padding: Any,
    dilation: Any,
    groups: int,
    output_size: Any,
    data_format: str,
) -> Tensor:
    """The full transposed convolution, then cropped by the padding and grown as asked."""
    dims = weight.ndim - 2
    x = channels_first(x, data_format)
    strides, dilations = _list(stride, dims), _list(dilation, dims)
    window = weight.shape[2:]
    pads = pads_of(padding, x.shape[2:], window, strides, dilations, data_format)
    extra = _list(output_padding, dims)
    if output_size is not None:
        sizes = [int(n) for n in _list(output_size, dims)][-dims:]
        extra = []
        for n, k, s, d, (a, b), size in zip(x.shape[2:], window, strides, dilations, pads, sizes):
            least = (n - 1) * s - a - b + d * (k - 1) + 1
            if not least <= size < least + s:
                raise ValueError(f"output_size {size} must be in [{least}, {least + s})")
            extra.append(size - least)
    if _same(pads):
        pad = [before for before, _ in pads]
        out = _CONV_TRANSPOSE[dims](x, weight, bias, strides, pad, extra, groups, dilations)
        return channels_back(out, data_format)
    out = _CONV_TRANSPOSE[dims](x, weight, None, strides, 0, 0, groups, dilations)
    out = F.pad(out, flat_pads([(-a, e - b) for (a, b), e in zip(pads, extra)]))
    if bias is not None:
        out = out + bias.reshape(1, -1, *[1] * dims)
    return channels_back(out, data_format)


def _pad_places(n: int, before: int, after: int, mode: str, device: torch.device) -> Tensor:
    places = torch.arange(-before, n + after, device=device)
    if mode == "replicate":
        return places.clamp(0, n - 1)
    if mode == "circular":
        return places % n
    if max(before, after) >= n:
        raise ValueError("reflect padding must be less than the dimension")
    places = places.abs()
    return torch.where(places > n - 1, 2 * (n - 1) - places, places)


def pad_tensor(
    x: Tensor, pad: Any, mode: str, value: float, data_format: Optional[str], from_left: bool
) -> Tensor:
    is_tensor = isinstance(pad, Tensor)
    amounts = [int(p) for p in _list(pad, 1)]
    if is_tensor and not amounts:
        return x.clone()
    if mode == "constant" and not is_tensor and len(amounts) != 2 * (x.ndim - 2):
        if len(amounts) == 2 * x.ndim and from_left:
            amounts = flat_pads(list(zip(amounts[0::2], amounts[1::2])))
        return F.pad(x, amounts, "constant", value)
    last = x.ndim - 2 if is_channel_last(data_format) else x.ndim - 1
    pairs = list(zip(amounts[0::2], amounts[1::2]))
    if mode == "constant":
        outer = [(0, 0)] if is_channel_last(data_format) else []
        return F.pad(x, [p for pair in outer + pairs for p in pair], "constant", value)
    for i, (before, after) in enumerate(pairs):
        n = x.shape[last - i]
        if before or after:
            x = x.index_select(last - i, _pad_places(n, before, after, mode, x.device))
    return x


def _linear(x: Tensor, dim: int, size: int, ratio: float, align: bool, half: bool) -> Tensor:
    n = x.shape[dim]
    places = torch.arange(size, dtype=torch.float64, device=x.device)
    if align:
        source = places * ((n - 1) / (size - 1) if size > 1 else 0.0)
    else:
        source = (places + 0.5) * ratio - 0.5 if half else places * ratio
    source = source.clamp(min=0)
    low = source.floor().long().clamp(max=n - 1)
    high = (low + 1).clamp(max=n - 1)
    shape = [1] * x.ndim
    shape[dim] = size
    weight = (source - low).clamp(max=1).to(x.dtype).reshape(shape)
    return x.index_select(dim, low) * (1 - weight) + x.index_select(dim, high) * weight


_INTERPOLATE_DIMS = {"linear": 1, "bilinear": 2, "bicubic": 2, "trilinear": 3}


def interpolate(
    x: Tensor,
    size: Any,
    scale_factor: Any,
    mode: str,
    align_corners: bool,
    align_mode: int,
    data_format: Optional[str],
    recompute: Optional[bool] = None,
    antialias: bool = False,
) -> Tensor:
    dims = x.ndim - 2
    mode = mode.lower()
    if mode in _INTERPOLATE_DIMS and _INTERPOLATE_DIMS[mode] != dims:
        raise ValueError(f"{mode} needs {_INTERPOLATE_DIMS[mode]} spatial dims")
    if align_corners and mode in ("nearest", "area"):
        raise ValueError("align_corners needs a linear or cubic mode")
    if (size is None) == (scale_factor is None):
        raise ValueError("either size or scale_factor must be given")
    x = channels_first(x, data_format)
    sizes = None if size is None else [int(n) for n in _list(size, dims)]
    scales = [] if scale_factor is None else [float(s) for s in _list(scale_factor, dims)]
    if align_mode == 1 and not align_corners and mode in ("linear", "bilinear", "trilinear"):
        spatial = x.shape[2:]
        if sizes is None:
            sizes = [int(n * s) for n, s in zip(spatial, scales)]
            ratios = [1 / s for s in scales]
        else:
            ratios = [n / m for n, m in zip(spatial, sizes)]
        for i, (n, ratio) in enumerate(zip(sizes, ratios)):
            x = _linear(x, i + 2, n, ratio, False, False)
        return channels_back(x, data_format)
    align = None if mode in ("nearest", "area") else align_corners
    out = F.interpolate(x, sizes, scales or None, mode, align, recompute, antialias)
    return channels_back(out, data_format)


def dropout(x: Tensor, p: Any, axis: Any, training: bool, mode: str) -> Tensor:
    p = float(_item(p))
    if not 0 <= p <= 1:
        raise ValueError("p must be in [0, 1]")
    if not training:
        return x * (1 - p) if mode == "downscale_in_infer" else x
    shape = list(x.shape)
    if axis is not None:
        kept = [int(a) % x.ndim for a in _list(axis, 1)]
        shape = [n if i in kept else 1 for i, n in enumerate(shape)]
    keep = (torch.rand(shape, device=x.device) >= p).to(x.dtype)
    return x * keep / (1 - p) if mode == "upscale_in_train" and p < 1 else x * keep


def feature_dropout(x: Tensor, p: float, training: bool, data_format: str) -> Tensor:
    channel = x.ndim - 1 if is_channel_last(data_format) else 1
    return dropout(x, p, [0, channel], training, "upscale_in_train")


def unfold(x: Tensor, kernel: Any, stride: Any, padding: Any, dilation: Any) -> Tensor:
    x = F.pad(x, _sides(padding))
    if x.shape[1] == 0:
        one = F.unfold(x.new_zeros(1, 1, *x.shape[2:]), kernel, dilation, 0, stride)
        return x.sum() + x.new_zeros(x.shape[0], 0, one.shape[2])
    return F.unfold(x, _list(kernel, 2), _list(dilation, 2), 0, _list(stride, 2))


def fold(x: Tensor, size: Any, kernel: Any, stride: Any, padding: Any, dilation: Any) -> Tensor:
    left, right, top, bottom = _sides(padding)
    height, width = _list(size, 2)
    grown = (height + top + bottom, width + left + right)
    out = F.fold(x, grown, _list(kernel, 2), _list(dilation, 2), 0, _list(stride, 2))
    return out[..., top : top + height, left : left + width]


def _sides(padding: Any) -> List[int]:
    """(left, right, top, bottom) of one, two (h, w) or four (top, left, bottom, right) numbers."""
    values = [int(p) for p in _list(padding, 2)]
    if len(values) == 2:
        return [values[1], values[1], values[0], values[0]]
    top, left, bottom, right = values
    return [left, right, top, bottom]


def temporal_shift(x: Tensor, segments: int, ratio: float, data_format: str) -> Tensor:
    x = channels_first(x, data_format)
    channels, height, width = x.shape[1:]
    y = x.reshape(x.shape[0] // segments, segments, channels, height, width)
    first, second = int(channels * ratio), int(channels * 2 * ratio)
    past = F.pad(y[:, :-1, :first], (0, 0, 0, 0, 0, 0, 1, 0))
    future = F.pad(y[:, 1:, first:second], (0, 0, 0, 0, 0, 0, 0, 1))
    out = torch.cat([past, future, y[:, :, second:]], 2).reshape(x.shape)
    return channels_back(out, data_format)


def prelu(x: Tensor, weight: Tensor, data_format: str) -> Tensor:
    out = F.prelu(channels_first(x, data_format), weight.reshape(-1))
    return channels_back(out, data_format)


def pixel_shuffle(x: Tensor, factor: int, data_format: str) -> Tensor:
    x = channels_first(x, data_format)
    batch, channels, height, width = x.shape
    y = x.reshape(batch, channels // factor**2, factor, factor, height, width)
    y = y.permute(0, 1, 4, 2, 5, 3)
    out = y.reshape(batch, channels // factor**2, height * factor, width * factor)
    return channels_back(out, data_format)


def pixel_unshuffle(x: Tensor, factor: int, data_format: str) -> Tensor:
    x = channels_first(x, data_format)
    batch, channels, height, width = x.shape
    y = x.reshape(batch, channels, height // factor, factor, width // factor, factor)
    y = y.permute(0, 1, 3, 5, 2, 4)
    out = y.reshape(batch, channels * factor**2, height // factor, width // factor)
    return channels_back(out, data_format)


def channel_shuffle(x: Tensor, groups: int, data_format: str) -> Tensor:
    x = channels_first(x, data_format)
    batch, channels, height, width = x.shape
    if channels % groups:
        raise ValueError("the channels must be divisible by groups")
    y = x.reshape(batch, groups, channels // groups, height, width).transpose(1, 2)
    return channels_back(y.reshape(x.shape), data_format)
