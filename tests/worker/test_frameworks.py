# SPDX-License-Identifier: Apache-2.0
"""What every framework that differentiates must do alike: gradients, layouts, writing calls, error
classes."""

from __future__ import annotations

from typing import Any

import pytest
from harness import PLAIN_X, X, Y, call

FRAMEWORKS = ["paddle", "torch"]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_forward_and_backward(prepared: Any, framework: str) -> None:
    worker = prepared(framework)
    answer = worker.run(call(f"{framework}.multiply", 0, 1), [X, Y], backward=1)
    assert worker.items(answer["result"], answer) == [10, 40, 90, 160]
    assert worker.items(answer["grads"][0], answer) == [10, 40, 90, 160]
    assert worker.items(answer["grads"][1], answer) == [1, 4, 9, 16]
    assert answer["modified"] == []


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_the_gradient_of_an_unused_input_is_null(prepared: Any, framework: str) -> None:
    worker = prepared(framework)
    answer = worker.run("x * 2", [X, Y], backward=1)
    assert worker.items(answer["grads"][0], answer) == [2, 4, 6, 8]
    assert answer["grads"][1] is None


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_layouts(prepared: Any, framework: str) -> None:
    worker = prepared(framework)
    transposed = [4096, "float32", [4, 3], 1, [1, 4]]
    answer = worker.run("x", [transposed], backward=1)
    assert worker.items(answer["result"], answer) == [1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12]
    assert worker.items(answer["grads"][0], answer) == list(range(1, 13))
    answer = worker.run("x.is_contiguous(), x", [[4100, "float32", [2, 2], 0, [0, 2]]])
    assert answer["result"][0] is False
    assert worker.items(answer["result"][1], answer) == [2, 4, 2, 4]


@pytest.mark.parametrize("framework", FRAMEWORKS)
def test_writing_calls_need_a_clone(prepared: Any, framework: str) -> None:
    worker = prepared(framework)
    step = call(f"{framework}.Tensor.add_", 0, 1)
    assert worker.run(step, [X, Y], backward=1)["error"]["class"] == "invalid_argument"
    answer = worker.run(step, [X, Y], clone=[0], fetch=["result", {"tensor": 0}], backward=1)
    assert worker.items(answer["result"][1], answer) == [11, 22, 33, 44]
    assert answer["modified"] == []
    assert worker.items(answer["grads"][0], answer) == [1 + 5, 2 + 6, 3 + 7, 4 + 8]
    assert worker.run("x.zero_()", [PLAIN_X])["modified"] == [0]
    answer = worker.run("x + 0", [PLAIN_X])
    assert worker.items(answer["result"], answer) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("paddle.matmul(x.cast('float16'), x.cast('float16'))", "not_registered"),
        ("paddle.concat([x, x.reshape([2, 2])])", "invalid_argument"),
        ("paddle.reshape(x, [3])", "invalid_argument"),
        ("paddle.sum(x, axis=7)", "invalid_argument"),
        ("paddle.empty([1 << 50])", "out_of_memory"),
        ("paddle.concatt([x])", "translation"),
        ("paddle.add(x, z)", "translation"),
        ("torch.linalg.svd(x.reshape(2, 2).half())", "not_registered"),
        ("torch.concat([x, x.view(2, 2)])", "invalid_argument"),
        ("torch.Tensor.view(x, 3)", "invalid_argument"),
        ("torch.sum(x, dim=7)", "invalid_argument"),
        ("torch.add(x, 'a')", "invalid_argument"),
        ("torch.Tensor.__getitem__(x, 10)", "invalid_argument"),
        ("torch.empty(1 << 50)", "out_of_memory"),
        ("torch.concatt([x])", "translation"),
        ("torch.add(x, z)", "translation"),
        ("torch.add(x, ", "translation"),
        ("torch.neg(x) + None", "translation"),
    ],
)
def test_errors(prepared: Any, text: str, kind: str) -> None:
    error = prepared(text.partition(".")[0]).run(text, [PLAIN_X])["error"]
    assert error["class"] == kind, error
