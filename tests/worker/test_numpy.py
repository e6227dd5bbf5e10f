# SPDX-License-Identifier: Apache-2.0
"""Programs on NumPy, a reference without gradients."""

from __future__ import annotations

import struct
from typing import Any

from harness import X


def test_values_and_no_gradients(fork: Any) -> None:
    worker = fork("numpy")
    worker.put(4096, struct.pack("4f", 1, 2, 3, 4))
    answer = worker.run("numpy.add(x, x)[::2], np.sum(x), x.reshape(2, 2).T", [X], backward=1)
    values = [worker.items(leaf, answer) for leaf in answer["result"]]
    assert values == [[2, 6], [10], [1, 3, 2, 4]]
    assert [leaf["d"] for leaf in answer["result"]] == ["float32"] * 3
    assert answer["grads"] == [None]


def test_errors(fork: Any) -> None:
    worker = fork("numpy")
    for text, kind in [
        ("numpy.concatenate([x, x.reshape(2, 2)])", "invalid_argument"),
        ("numpy.linalg.inv(x.reshape(2, 2) * 0)", "invalid_argument"),
        ("numpy.bitwise_and(x, x)", "not_registered"),
        ("numpy.empty(1 << 50)", "out_of_memory"),
        ("numpy.concatt([x])", "translation"),
    ]:
        assert worker.run(text, [X])["error"]["class"] == kind, text
    assert worker.run("x", [[4096, "bfloat16", [4], 0]])["error"]["class"] == "no_such_dtype"
