# SPDX-License-Identifier: Apache-2.0
# Helpers of the vision.ops entries: the detection operators, written from their documentation with
# torch primitives. Boxes take no gradients; features do.
import math
from typing import Any, List, Optional, Sequence, Tuple

import torch
from torch import Tensor

_CHUNK = 64  # regions pooled at once, to bound memory


def _pair(value: Any) -> Tuple[int, int]:
    if isinstance(value, (list, tuple)):
        return int(value[0]), int(value[-1])
    return int(value), int(value)


def _images(boxes_num: Tensor) -> Tensor:
    """The image of each box."""
    count = boxes_num.reshape(-1).long()
    return torch.repeat_interleave(torch.arange(count.numel(), device=count.device), count)


def _sampling(start: Tensor, bin_size: Tensor, bins: int, grid: Tensor, size: int) -> Tensor:
    """[boxes, bins, size]: the share of each row in the mean of a bin's sampling points."""
    most = int(grid.max()) if grid.numel() else 1
    step = torch.arange(most, device=start.device, dtype=start.dtype)
    place = (step + 0.5) / grid[:, None].to(start.dtype)
    bin_start = torch.arange(bins, device=start.device, dtype=start.dtype)
    at = start[:, None, None] + bin_size[:, None, None] * (bin_start[:, None] + place[:, None, :])
    used = (step < grid[:, None])[:, None, :] & (at >= -1) & (at <= size)
    at = at.clamp(min=0)
    low = at.floor().long().clamp(max=size - 1)
    high = (low + 1).clamp(max=size - 1)
    fraction = torch.where(low >= size - 1, torch.zeros_like(at), at - low)
    share = used.to(at.dtype) / grid[:, None, None].to(at.dtype)
    rows = torch.zeros(*at.shape[:2], size, dtype=at.dtype, device=at.device)
    rows = rows.scatter_add(2, low, share * (1 - fraction))
    return rows.scatter_add(2, high, share * fraction)


def roi_align(
    x: Tensor,
    boxes: Tensor,
    boxes_num: Tensor,
    output_size: Any,
    spatial_scale: float,
    sampling_ratio: int,
    aligned: bool,
) -> Tensor:
    """Bilinear weights are products of a row's and a column's: two matrix products a box."""
    bins_y, bins_x = _pair(output_size)
    height, width = x.shape[2:]
    boxes = boxes.detach().to(torch.promote_types(x.dtype, torch.float32))
    corners = boxes * spatial_scale - (0.5 if aligned else 0.0)
    sides = corners[:, 2:] - corners[:, :2]
    if not aligned:
        sides = sides.clamp(min=1.0)
    bin_x, bin_y = sides[:, 0] / bins_x, sides[:, 1] / bins_y
    if sampling_ratio > 0:
        grid_x = torch.full_like(bin_x, sampling_ratio).long()
        grid_y = grid_x
    else:
        grid_x = bin_x.ceil().long().clamp(min=1)
        grid_y = bin_y.ceil().long().clamp(min=1)
    rows = _sampling(corners[:, 1], bin_y, bins_y, grid_y, height).to(x.dtype)
    columns = _sampling(corners[:, 0], bin_x, bins_x, grid_x, width).to(x.dtype)
    parts = [x.new_zeros(0, x.shape[1], bins_y, bins_x) + x.sum() * 0]
    begin = 0
    for image, count in enumerate(boxes_num.reshape(-1).tolist()):
        for first in range(begin, begin + count, _CHUNK):
            last = min(first + _CHUNK, begin + count)
            across = torch.einsum("nph,chw->ncpw", rows[first:last], x[image])
            parts.append(torch.einsum("ncpw,nqw->ncpq", across, columns[first:last]))
        begin += count
    return torch.cat(parts)


def _bounds(start: int, size: float, bins: int, limit: int) -> List[Any]:
    spans = []
    for i in range(bins):
        first = math.floor(i * size) + start
        last = math.ceil((i + 1) * size) + start
        spans.append((int(min(max(first, 0), limit)), int(min(max(last, 0), limit))))
    return spans


def _round(value: float) -> int:
    return int(math.floor(abs(value) + 0.5) * (1 if value >= 0 else -1))


def roi_pool(
    x: Tensor, boxes: Tensor, boxes_num: Tensor, output_size: Any, spatial_scale: float
) -> Tensor:
    """The largest element of each bin; boxes are rounded to whole cells first."""
    bins_y, bins_x = _pair(output_size)
    height, width = x.shape[2:]
    results = [x.new_zeros(0, x.shape[1], bins_y, bins_x)]
    for image, box in zip(_images(boxes_num).tolist(), boxes.tolist()):
        x1, y1, x2, y2 = (_round(side * spatial_scale) for side in box)
        tall, wide = max(y2 - y1 + 1, 1) / bins_y, max(x2 - x1 + 1, 1) / bins_x
        out = []
        for top, bottom in _bounds(y1, tall, bins_y, height):
            for left, right in _bounds(x1, wide, bins_x, width):
                cell = x[image, :, top:bottom, left:right].flatten(1)
                empty = cell.shape[1] == 0
                out.append(x.new_zeros(x.shape[1]) if empty else cell.max(1).values)
        results.append(torch.stack(out, 1).reshape(1, x.shape[1], bins_y, bins_x))
    return torch.cat(results)


def _spans(start: Tensor, size: Tensor, bins: int, limit: int) -> List[Any]:
    step = torch.arange(bins, dtype=size.dtype, device=size.device)
    first = torch.floor(step * size + start).clamp(0, limit).int().tolist()
    last = torch.ceil((step + 1) * size + start).clamp(0, limit).int().tolist()
    return list(zip(first, last))


def psroi_pool(
    x: Tensor, boxes: Tensor, boxes_num: Tensor, output_size: Any, spatial_scale: float
) -> Tensor:
    """Each bin has channels of its own; its mean is the result. Edges are in the boxes' dtype."""
    bins_y, bins_x = _pair(output_size)
    height, width = x.shape[2:]
    channels = x.shape[1] // (bins_y * bins_x)
    starts = torch.floor(boxes[:, :2] + 0.5) * spatial_scale
    ends = (torch.floor(boxes[:, 2:] + 0.5) + 1) * spatial_scale
    sides = (ends - starts).clamp(min=0.1)
    results = [x.new_zeros(0, channels, bins_y, bins_x)]
    for image, start, side in zip(_images(boxes_num).tolist(), starts, sides):
        source = x[image].reshape(channels, bins_y, bins_x, height, width)
        out = []
        for i, (top, bottom) in enumerate(_spans(start[1], side[1] / bins_y, bins_y, height)):
            for j, (left, right) in enumerate(_spans(start[0], side[0] / bins_x, bins_x, width)):
                cell = source[:, i, j, top:bottom, left:right].flatten(1)
                out.append(cell.mean(1) if cell.shape[1] else x.new_zeros(channels))
        results.append(torch.stack(out, 1).reshape(1, channels, bins_y, bins_x))
    return torch.cat(results)


def deform_conv2d(
    x: Tensor,
    offset: Tensor,
    weight: Tensor,
    bias: Optional[Tensor],
    stride: Any,
    padding: Any,
    dilation: Any,
    deformable_groups: int,
    groups: int,
    mask: Optional[Tensor],
) -> Tensor:
    batch, channels, height, width = x.shape
    window_y, window_x = weight.shape[2:]
    taps = window_y * window_x
    out_y, out_x = offset.shape[2:]
    stride_y, stride_x = _pair(stride)
    pad_y, pad_x = _pair(padding)
    step_y, step_x = _pair(dilation)

    def base(size: int, step: int, pad: int) -> Tensor:
        return torch.arange(size, device=x.device, dtype=x.dtype) * step - pad

    moves = offset.reshape(batch, deformable_groups, taps, 2, out_y, out_x)
    tap = torch.arange(taps, device=x.device)
    at_y = base(out_y, stride_y, pad_y)[:, None] + (tap // window_x * step_y)[:, None, None]
    at_x = base(out_x, stride_x, pad_x)[None, :] + (tap % window_x * step_x)[:, None, None]
    at_y = (moves[:, :, :, 0] + at_y).flatten(2)
    at_x = (moves[:, :, :, 1] + at_x).flatten(2)
    inside = (at_y > -1) & (at_y < height) & (at_x > -1) & (at_x < width)
    low_y, low_x = at_y.detach().floor(), at_x.detach().floor()
    source = x.reshape(batch, deformable_groups, channels // deformable_groups, height * width)
    taken = x.new_zeros(())
    for up in (0, 1):
        for right in (0, 1):
            y, z = low_y + up, low_x + right
            share = (1 - (at_y - y).abs()) * (1 - (at_x - z).abs())
            valid = inside & (y >= 0) & (y < height) & (z >= 0) & (z < width)
            place = y.clamp(0, height - 1) * width + z.clamp(0, width - 1)
            place = place.long().unsqueeze(2).expand(-1, -1, source.shape[2], -1)
            share = torch.where(valid, share, torch.zeros_like(share))
            taken = taken + torch.gather(source, 3, place) * share.unsqueeze(2)
    if mask is not None:
        taken = taken * mask.reshape(batch, deformable_groups, 1, -1)
    columns = taken.reshape(batch, groups, channels // groups * taps, out_y * out_x)
    filters = weight.reshape(groups, weight.shape[0] // groups, -1)
    out = torch.matmul(filters, columns).reshape(batch, -1, out_y, out_x)
    return out if bias is None else out + bias.reshape(1, -1, 1, 1)


def _overlaps(box: Tensor, boxes: Tensor, offset: float) -> Tensor:
    low = torch.maximum(box[:2], boxes[:, :2])
    high = torch.minimum(box[2:], boxes[:, 2:])
    common = (high - low + offset).clamp(min=0).prod(1)
    area = (box[2:] - box[:2] + offset).prod()
    return common / (area + (boxes[:, 2:] - boxes[:, :2] + offset).prod(1) - common)


def _suppressed(boxes: Tensor, threshold: float, eta: float, offset: float, most: int) -> Tensor:
    """Positions kept, best first; boxes come in order of score."""
    kept: List[int] = []
    worst = boxes.new_zeros(boxes.shape[0])  # overlap with those kept so far
    begin = 0
    while len(kept) < most:
        free = (worst[begin:] <= threshold).nonzero()
        if free.numel() == 0:
            break
        chosen = begin + int(free[0])
        kept.append(chosen)
        begin = chosen + 1
        overlaps = _overlaps(boxes[chosen], boxes[begin:], offset)
        worst[begin:] = torch.maximum(worst[begin:], overlaps)
        if eta < 1 and threshold > 0.5:
            threshold *= eta
    return torch.tensor(kept, dtype=torch.int64)


def nms(
    boxes: Tensor,
    iou_threshold: float,
    scores: Optional[Tensor],
    category_idxs: Optional[Tensor],
    categories: Optional[Sequence[int]],
    top_k: Optional[int],
) -> Tensor:
    def keep(places: Tensor) -> Tensor:
        if scores is not None:
            places = places[torch.argsort(scores[places], descending=True, stable=True)]
        found = _suppressed(boxes[places], iou_threshold, 1.0, 0.0, len(places))
        return places[found]

    every = torch.arange(boxes.shape[0])
    if category_idxs is None or categories is None or scores is None:
        kept = keep(every)
    else:
        kept = torch.cat([keep(every[category_idxs == category]) for category in categories])
        kept = kept[torch.argsort(scores[kept], descending=True, stable=True)]
    return kept if top_k is None else kept[:top_k]


def _decoded(anchors: Tensor, deltas: Tensor, variances: Tensor, offset: float) -> Tensor:
    size = anchors[:, 2:] - anchors[:, :2] + offset
    center = anchors[:, :2] + 0.5 * size
    moved = variances[:, :2] * deltas[:, :2] * size + center
    grown = torch.exp((variances[:, 2:] * deltas[:, 2:]).clamp(max=math.log(1000 / 16))) * size
    return torch.cat([moved - grown / 2, moved + grown / 2 - offset], 1)


def generate_proposals(
    scores: Tensor,
    bbox_deltas: Tensor,
    img_size: Tensor,
    anchors: Tensor,
    variances: Tensor,
    pre_nms_top_n: float,
    post_nms_top_n: float,
    nms_thresh: float,
    min_size: float,
    eta: float,
    pixel_offset: bool,
    return_rois_num: bool,
) -> Any:
    """Decodes the best anchors of each image, drops small boxes, keeps what nms leaves."""
    if scores.dtype != torch.float32 or bbox_deltas.dtype != torch.float32:
        raise TypeError("scores and bbox_deltas must be float32")
    offset = 1.0 if pixel_offset else 0.0
    anchors, variances = anchors.reshape(-1, 4), variances.reshape(-1, 4)
    rois, chances, counts = [], [], []
    for image in range(scores.shape[0]):
        score = scores[image].permute(1, 2, 0).reshape(-1)
        deltas = bbox_deltas[image].unflatten(0, (-1, 4)).permute(2, 3, 0, 1).reshape(-1, 4)
        most = min(int(pre_nms_top_n), score.numel())
        best = torch.argsort(score, descending=True, stable=True)
        best = best[:most] if most > 0 else best
        boxes = _decoded(anchors[best], deltas[best], variances[best], offset)
        limit = img_size[image].flip(0).repeat(2).to(boxes.dtype) - offset
        boxes = torch.minimum(boxes.clamp(min=0), limit)
        large = (boxes[:, 2:] - boxes[:, :2] + offset >= min_size).all(1)
        boxes, best = boxes[large], best[large]
        kept = _suppressed(boxes, nms_thresh, eta, offset, int(post_nms_top_n))
        rois.append(boxes[kept] if len(kept) else boxes.new_zeros(1, 4))
        chances.append(score[best[kept]] if len(kept) else score.new_zeros(1))
        counts.append(len(rois[-1]))
    if not rois:
        raise ValueError("scores must hold an image")
    found = [torch.cat(rois), torch.cat(chances).reshape(-1, 1)]
    return [*found, torch.tensor(counts, dtype=torch.int32) if return_rois_num else None]


def distribute_fpn_proposals(
    fpn_rois: Tensor,
    min_level: int,
    max_level: int,
    refer_level: int,
    refer_scale: int,
    pixel_offset: bool,
    rois_num: Optional[Tensor],
) -> Any:
    """The boxes of each level in their order, and where each box went."""
    sides = fpn_rois[:, 2:] - fpn_rois[:, :2] + (1.0 if pixel_offset else 0.0)
    scale = torch.sqrt(sides.prod(1))
    level = torch.floor(torch.log2(scale / refer_scale + 1e-8) + refer_level)
    level = level.clamp(min_level, max_level).long()
    order = torch.argsort(level, stable=True)
    restore = torch.empty_like(order)
    restore[order] = torch.arange(order.numel())
    boxes = [fpn_rois[level == n] for n in range(min_level, max_level + 1)]
    if rois_num is None:
        return boxes, restore.int().reshape(-1, 1), None
    image = _images(rois_num)
    counts = [
        torch.bincount(image[level == n], minlength=rois_num.numel()).int()
        for n in range(min_level, max_level + 1)
    ]
    return boxes, restore.int().reshape(-1, 1), counts
