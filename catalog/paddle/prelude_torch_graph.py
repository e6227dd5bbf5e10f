# SPDX-License-Identifier: Apache-2.0
"""Helpers for writing Paddle's calls on graphs in Torch."""

from typing import Tuple

import torch
from torch import Tensor


def sampled(colptr: Tensor, nodes: Tensor, size: int) -> Tuple[Tensor, Tensor]:
    """Up to size edges (below 0: all) of each node, as places in row, and how many of each."""
    first = colptr.tolist()
    picked = []
    for node in nodes.tolist():
        edges = torch.arange(first[node], first[node + 1])
        if 0 <= size < edges.numel():
            edges = edges[torch.randperm(edges.numel())[:size]]
        picked.append(edges)
    counts = torch.tensor([edges.numel() for edges in picked], dtype=torch.int32)
    return (torch.cat(picked) if picked else counts.long()), counts
