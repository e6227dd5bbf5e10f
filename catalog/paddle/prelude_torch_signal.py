# SPDX-License-Identifier: Apache-2.0
"""Helpers for writing Paddle's signal, quantisation and transducer calls in Torch."""

from typing import Any, Dict, Optional, Tuple

import torch
from torch import Tensor

_WINDOWS = (
    "bartlett",
    "blackman",
    "cosine",
    "exponential",
    "gaussian",
    "hamming",
    "hann",
    "kaiser",
    "nuttall",
)
_NEED_PARAMETERS = ("exponential", "gaussian", "kaiser")


def _triangle(length: int, symmetric: bool, kind: torch.dtype) -> Tensor:
    points = length if symmetric else length + 1
    places = torch.arange(points, dtype=kind)
    distance = (places - (points - 1) / 2).abs()
    return (1 - distance / ((points + 1) // 2 if points % 2 else points / 2))[:length]


def signal_window(spec: Any, length: int, symmetric: bool, kind: torch.dtype) -> Tensor:
    """paddle.audio.functional.get_window; parameters follow the name in a tuple."""
    name, *parameters = spec if isinstance(spec, tuple) else (spec,)
    if name in _NEED_PARAMETERS and not isinstance(spec, tuple):
        raise ValueError(f"the {name} window needs parameters")
    if length <= 1:
        return torch.ones(length, dtype=kind)
    if name == "triang":
        return _triangle(length, symmetric, kind)
    if name not in _WINDOWS:
        raise Unsupported(f"no window {name}")  # type: ignore[name-defined]  # noqa: F821
    named = {"exponential": ("center", "tau"), "gaussian": ("std",), "kaiser": ("beta",)}
    options = dict(zip(named.get(name, ()), parameters))
    function = getattr(torch.signal.windows, name)
    return function(length, sym=symmetric, dtype=kind, **options)


def quantized(x: Tensor, algo: str, group: int) -> Tuple[Tensor, Tensor]:
    """The shape of the quantised weight, and the scale of each channel, in float32."""
    if group != -1 or algo not in ("weight_only_int8", "weight_only_int4", "llm.int8"):
        raise Unsupported(f"{algo} in groups of {group}")  # type: ignore[name-defined]  # noqa: F821
    largest = 7 if algo == "weight_only_int4" else 127
    scale = x.float().abs().amax(0) / largest
    return torch.round(x.float() / scale).to(torch.int8).T.contiguous(), scale


def quantized_linear(
    x: Tensor, weight: Tensor, bias: Optional[Tensor], scale: Tensor, kind: Any, group: int
) -> Tensor:
    """x times the transposed weight, whose rows the scale multiplies."""
    if str(kind) != "int8" or group != -1:
        raise Unsupported("packed weights")  # type: ignore[name-defined]  # noqa: F821
    y = x @ (weight.to(x.dtype) * scale.to(x.dtype).unsqueeze(1)).T
    return y if bias is None else y + bias


def transducer_loss(
    logs: Tensor, label: Tensor, times: Tensor, lengths: Tensor, blank: int
) -> Tensor:
    """Minus the logarithm of the sum over all alignments of exp(their scores), for each row."""
    losses = []
    for row, (duration, count) in enumerate(zip(times.tolist(), lengths.tolist())):
        scores: Dict[Tuple[int, int], Tensor] = {}
        for t in range(duration):
            for u in range(count + 1):
                ways = []
                if t:
                    ways.append(scores[t - 1, u] + logs[row, t - 1, u, blank])
                if u:
                    step = logs[row, t, u - 1, int(label[row, u - 1])]
                    ways.append(scores[t, u - 1] + step)
                start = torch.zeros((), dtype=logs.dtype)
                scores[t, u] = torch.logsumexp(torch.stack(ways), 0) if ways else start
        losses.append(-scores[duration - 1, count] - logs[row, duration - 1, count, blank])
    return torch.stack(losses)
