# SPDX-License-Identifier: Apache-2.0
# Helpers of the loss entries: the documented formulas where no torch call has them.
from typing import Any, Optional

import torch
import torch.nn.functional as F
from torch import Tensor


def reduced(loss: Tensor, reduction: Optional[str]) -> Tensor:
    if reduction in (None, "none"):
        return loss
    if reduction not in ("mean", "sum"):
        raise ValueError(f"unknown reduction {reduction}")
    return loss.mean() if reduction == "mean" else loss.sum()


def _soft(
    logs: Tensor, label: Tensor, weight: Optional[Tensor], reduction: str, axis: int
) -> Tensor:
    loss = -(label * logs).sum(axis, keepdim=True)
    if weight is None:
        return reduced(loss, reduction)
    shares = (label.movedim(axis, -1) @ weight.to(label.dtype)).unsqueeze(axis)
    loss = loss * shares
    return loss.sum() / shares.sum() if reduction == "mean" else reduced(loss, reduction)


def cross_entropy(
    input: Tensor,
    label: Tensor,
    weight: Optional[Tensor],
    ignore_index: int,
    reduction: str,
    soft_label: bool,
    axis: int,
    use_softmax: bool,
    smoothing: float,
) -> Tensor:
    axis = axis % input.ndim
    logs = torch.log_softmax(input, axis) if use_softmax else input.log()
    if soft_label or smoothing > 0:
        squeezed = label.ndim == input.ndim - 1
        if squeezed or not soft_label:
            flat = label if squeezed else label.squeeze(axis)
            label = F.one_hot(flat.long(), input.shape[axis]).movedim(-1, axis).to(input.dtype)
        if smoothing > 0:
            label = label * (1 - smoothing) + smoothing / input.shape[axis]
        return _soft(logs, label.to(input.dtype), weight, reduction, axis)
    squeezed = label.ndim == input.ndim - 1
    label = label.unsqueeze(axis).long() if squeezed else label.long()
    valid = label != ignore_index
    places = torch.where(valid, label, torch.zeros_like(label))
    loss = -torch.gather(logs, axis, places)
    share = valid.to(input.dtype)
    if weight is not None:
        share = share * weight.to(input.dtype)[places]
    loss = torch.where(valid, loss * share, torch.zeros_like(loss))
    if reduction == "mean":
        count = share.sum()
        return loss.sum() / torch.where(count == 0, torch.ones_like(count), count)
    return reduced(loss.squeeze(axis) if squeezed and reduction == "none" else loss, reduction)


def softmax_with_cross_entropy(
    logits: Tensor,
    label: Tensor,
    soft_label: bool,
    ignore_index: int,
    return_softmax: bool,
    axis: int,
) -> Any:
    loss = cross_entropy(logits, label, None, ignore_index, "none", soft_label, axis, True, 0.0)
    return (loss, torch.softmax(logits, axis)) if return_softmax else loss


def binary_cross_entropy(
    input: Tensor, label: Tensor, weight: Optional[Tensor], reduction: str
) -> Tensor:
    loss = F.binary_cross_entropy(input, label, reduction="none")
    return reduced(loss if weight is None else loss * weight, reduction)


def binary_cross_entropy_with_logits(
    logit: Tensor,
    label: Tensor,
    weight: Optional[Tensor],
    reduction: str,
    pos_weight: Optional[Tensor],
) -> Tensor:
    if len({t.dtype for t in (logit, label, weight, pos_weight) if t is not None}) > 1:
        raise TypeError("no type promotion: the documented kind covers operators and binary calls")
    share = label if pos_weight is None else label * pos_weight
    loss = -share * F.logsigmoid(logit) - (1 - label) * F.logsigmoid(-logit)
    return reduced(loss if weight is None else loss * weight, reduction)


def smooth_l1_loss(
    input: Tensor, label: Tensor, reduction: str, delta: float, is_huber: bool
) -> Tensor:
    gap = (input - label).abs()
    loss = torch.where(gap < delta, 0.5 * gap * gap, delta * gap - 0.5 * delta * delta)
    return reduced(loss if is_huber else loss / delta, reduction)


def sigmoid_focal_loss(
    logit: Tensor,
    label: Tensor,
    normalizer: Optional[Tensor],
    alpha: float,
    gamma: float,
    reduction: str,
) -> Tensor:
    positive = F.logsigmoid(logit)
    negative = F.logsigmoid(-logit)
    chance = torch.sigmoid(logit)
    loss = -label * alpha * (1 - chance) ** gamma * positive
    loss = loss - (1 - label) * (1 - alpha) * chance**gamma * negative
    return reduced(loss if normalizer is None else loss / normalizer, reduction)


def npair_loss(anchor: Tensor, positive: Tensor, labels: Tensor, l2_reg: float) -> Tensor:
    same = (labels.reshape(-1, 1) == labels.reshape(1, -1)).to(anchor.dtype)
    same = same / same.sum(1, keepdim=True)
    norm = (anchor.square().sum(1).mean() + positive.square().sum(1).mean()) * 0.25 * l2_reg
    logs = torch.log_softmax(anchor @ positive.T, 1)
    return norm - (same * logs).sum(1).mean()


def dice_loss(input: Tensor, label: Tensor, epsilon: float) -> Tensor:
    target = F.one_hot(label.squeeze(-1).long(), input.shape[-1]).to(input.dtype)
    dims = tuple(range(1, input.ndim))
    common = (input * target).sum(dims)
    total = input.sum(dims) + target.sum(dims)
    return (1 - 2 * common / (total + epsilon)).mean()


def ctc_loss(
    log_probs: Tensor,
    labels: Tensor,
    input_lengths: Tensor,
    label_lengths: Tensor,
    blank: int,
    reduction: str,
    norm_by_times: bool,
    zero_infinity: bool,
) -> Tensor:
    """The inputs are unscaled; `norm_by_times` divides the gradients alone by the length."""
    logs = torch.log_softmax(log_probs, 2)
    loss = F.ctc_loss(logs, labels, input_lengths, label_lengths, blank, "none", zero_infinity)
    if norm_by_times:
        scaled = loss / input_lengths
        loss = scaled + (loss - scaled).detach()
    if reduction == "mean":
        return (loss / label_lengths).mean()
    return reduced(loss, reduction)


def multi_margin_loss(
    input: Tensor, label: Tensor, p: int, margin: float, weight: Optional[Tensor], reduction: str
) -> Tensor:
    rows = label.reshape(-1, 1).long()
    gap = margin - torch.gather(input, 1, rows) + input
    if weight is not None:
        gap = gap * weight[rows]
    loss = gap.clamp(min=0) ** p
    other = torch.arange(input.shape[1], device=input.device) != rows
    return reduced((loss * other).sum(1) / input.shape[1], reduction)


def hsigmoid_loss(
    input: Tensor,
    label: Tensor,
    num_classes: int,
    weight: Tensor,
    bias: Optional[Tensor],
    path_table: Optional[Tensor],
    path_code: Optional[Tensor],
) -> Tensor:
    """Sum over the path from the root of softplus(w x + b) less the code bit times it."""
    if path_table is None or path_code is None:
        code = label.reshape(-1, 1).long() + num_classes
        bits = torch.arange(int(num_classes * 2 - 1).bit_length() - 1, device=input.device)
        path_table = (code >> (bits + 1)) - 1
        path_code = (code >> bits) & 1
    inside = path_table >= 0
    nodes = path_table.clamp(min=0).long()
    score = (weight[nodes] * input.unsqueeze(1)).sum(-1)
    if bias is not None:
        score = score + bias.reshape(-1)[nodes]
    loss = F.softplus(score) - path_code * score
    return torch.where(inside, loss, torch.zeros_like(loss)).sum(1, keepdim=True)


def margin_cross_entropy(
    logits: Tensor,
    label: Tensor,
    margin1: float,
    margin2: float,
    margin3: float,
    scale: float,
    return_softmax: bool,
    reduction: Optional[str],
) -> Any:
    rows = label.reshape(-1, 1).long()
    angle = torch.gather(logits, 1, rows).clamp(-1, 1).acos()
    target = torch.cos(margin1 * angle + margin2) - margin3
    scaled = logits.scatter(1, rows, target) * scale
    loss = -torch.gather(torch.log_softmax(scaled, 1), 1, rows)
    loss = reduced(loss, reduction)
    return (loss, torch.softmax(scaled, 1)) if return_softmax else loss


def triplet_loss(
    input: Tensor, positive: Tensor, negative: Tensor, margin: float, swap: bool, reduction: str
) -> Tensor:
    near = F.pairwise_distance(input, positive)
    far = F.pairwise_distance(input, negative)
    if swap:
        far = torch.minimum(far, F.pairwise_distance(positive, negative))
    return reduced((near - far + margin).clamp(min=0), reduction)


def margin_ranking_loss(
    input: Tensor, other: Tensor, label: Tensor, margin: float, reduction: str
) -> Tensor:
    return reduced((margin - label * (input - other)).clamp(min=0), reduction)


def kl_div(input: Tensor, label: Tensor, reduction: str, log_target: bool) -> Tensor:
    loss = F.kl_div(input, label, reduction="none", log_target=log_target)
    if reduction == "batchmean":
        return loss.sum() / input.shape[0]
    return reduced(loss, reduction)


def cosine_embedding_loss(
    input1: Tensor, input2: Tensor, label: Tensor, margin: float, reduction: str
) -> Tensor:
    return F.cosine_embedding_loss(input1, input2, label, margin, reduction=reduction)


def adaptive_log_softmax(
    input: Tensor, label: Tensor, head: Tensor, tails: Any, cutoffs: Any, bias: Optional[Tensor]
) -> Any:
    """The logarithm of the label's probability; a cluster's is the head's times its own."""
    first = int(cutoffs[0])
    rows = input if label.ndim else input.unsqueeze(0)
    scores = rows @ head if bias is None else rows @ head + bias
    logs = torch.log_softmax(scores, 1)
    parts = [logs[:, :first]]
    for i, (left, right) in enumerate(tails):
        cluster = torch.log_softmax(rows @ left @ right, 1)
        parts.append(cluster + logs[:, first + i : first + i + 1])
    found = torch.cat(parts, 1).gather(1, label.reshape(-1, 1).long()).squeeze(1)
    return (found if label.ndim else found.squeeze(0)), -found.mean()
