# SPDX-License-Identifier: Apache-2.0
"""Boxes of detectors: the priors of SSD, the predictions of YOLO."""

from __future__ import annotations

from math import sqrt
from typing import Any, List, Sequence, Tuple

import torch


def _numbers(value: Any) -> List[float]:
    if value is None:
        return []
    return list(value) if isinstance(value, (list, tuple)) else [value]


def _prior_sizes(
    min_sizes: Any, max_sizes: Any, aspect_ratios: Any, flip: bool, max_second: bool
) -> List[Tuple[float, float]]:
    """Width and height of the priors of one position."""
    ratios = [1.0]
    for ratio in _numbers(aspect_ratios):
        for new in (ratio, 1.0 / ratio) if flip else (ratio,):
            if all(abs(new - old) > 1e-6 for old in ratios):
                ratios.append(new)
    large = _numbers(max_sizes)
    sizes = []
    for index, small in enumerate(_numbers(min_sizes)):
        of_min = [(small * sqrt(ratio), small / sqrt(ratio)) for ratio in ratios]
        of_max = [(sqrt(small * large[index]),) * 2] if large else []
        sizes += of_min[:1] + of_max + of_min[1:] if max_second else of_min + of_max
    return sizes


def prior_box(
    x: torch.Tensor,
    image: torch.Tensor,
    min_sizes: Any,
    max_sizes: Any,
    aspect_ratios: Any,
    variance: Sequence[float],
    flip: bool,
    clip: bool,
    steps: Any,
    offset: float,
    max_second: bool,
) -> Tuple[torch.Tensor, torch.Tensor]:
    """Boxes in parts of the image, and the variances once for each."""
    height, width = x.shape[2:]
    scale = torch.tensor([image.shape[3], image.shape[2]], dtype=x.dtype)
    step = _numbers(steps)
    if 0 in step:
        step = [image.shape[3] / max(width, 1), image.shape[2] / max(height, 1)]
    across = (torch.arange(width, dtype=x.dtype) + offset) * step[0]
    down = (torch.arange(height, dtype=x.dtype) + offset) * step[1]
    centre = torch.stack([across.expand(height, width), down[:, None].expand(height, width)], -1)
    sizes = _prior_sizes(min_sizes, max_sizes, aspect_ratios, flip, max_second)
    half = torch.tensor(sizes, dtype=x.dtype).reshape(-1, 2) / 2
    boxes = torch.cat(
        [(centre[:, :, None] - half) / scale, (centre[:, :, None] + half) / scale], -1
    )
    if clip:
        boxes = boxes.clamp(0, 1)
    return boxes, torch.tensor(variance, dtype=x.dtype).expand(boxes.shape)


def yolo_box(
    x: torch.Tensor,
    img_size: torch.Tensor,
    anchors: Sequence[int],
    class_num: int,
    conf_thresh: float,
    downsample_ratio: int,
    clip_bbox: bool,
    scale_x_y: float,
    iou_aware: bool,
    iou_aware_factor: float,
) -> Tuple[torch.Tensor, torch.Tensor]:
    """Boxes in pixels of the image and scores; both 0 where the confidence is too low."""
    batch, _, height, width = x.shape
    count = len(anchors) // 2
    iou = torch.sigmoid(x[:, :count]) if iou_aware else None
    x = x[:, count:] if iou_aware else x
    x = x.reshape(batch, count, 5 + class_num, height, width)
    sides = torch.tensor(anchors, dtype=x.dtype).reshape(1, count, 2, 1, 1)
    grid = torch.tensor([width, height], dtype=x.dtype).reshape(1, 1, 2, 1, 1)
    image = img_size.flip(1).to(x.dtype).reshape(batch, 1, 2, 1, 1)
    across = torch.arange(width, dtype=x.dtype).expand(height, width)
    down = torch.arange(height, dtype=x.dtype)[:, None].expand(height, width)
    shift = torch.sigmoid(x[:, :, 0:2]) * scale_x_y - (scale_x_y - 1) / 2
    centre = (torch.stack([across, down]) + shift) * image / grid
    half = torch.exp(x[:, :, 2:4]) * sides * image / (grid * downsample_ratio) / 2
    low, high = centre - half, centre + half
    if clip_bbox:
        low, high = low.clamp(min=0), torch.minimum(high, image - 1)
    confidence = torch.sigmoid(x[:, :, 4])
    if iou is not None:
        confidence = confidence ** (1 - iou_aware_factor) * iou**iou_aware_factor
    kept = (confidence >= conf_thresh)[:, :, None].to(x.dtype)
    boxes = torch.cat([low, high], 2) * kept
    scores = torch.sigmoid(x[:, :, 5:]) * confidence[:, :, None] * kept
    order = (0, 1, 3, 4, 2)
    return (
        boxes.permute(order).reshape(batch, -1, 4),
        scores.permute(order).reshape(batch, -1, class_num),
    )
