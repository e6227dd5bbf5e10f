# SPDX-License-Identifier: Apache-2.0
"""Programs on Paddle, beyond what test_frameworks.py asks of every framework."""

from __future__ import annotations

import struct
from typing import Any

import pytest
from harness import PLAIN_X, X, Y


@pytest.fixture
def worker(prepared: Any) -> Any:
    return prepared("paddle")


def test_gradients_of_returned_inputs(worker: Any) -> None:
    answer = worker.run("x", [X], backward=1)
    assert worker.items(answer["grads"][0], answer) == [1, 2, 3, 4]
    answer = worker.run("x, x + y", [X, Y], backward=1)
    assert worker.items(answer["grads"][0], answer) == [1 + 5, 2 + 6, 3 + 7, 4 + 8]


def test_upstream_gradients_survive_the_backward_call(worker: Any) -> None:
    for text in ("paddle.nn.functional.relu(x)", "x.reshape([2, 2])", "paddle.tanh(x)", "x.exp()"):
        worker.run(text, [X], backward=1)
    answer = worker.run("x + 0", [X], backward=1)
    assert worker.items(answer["grads"][0], answer) == [1, 2, 3, 4]


def test_every_dtype_passes_unchanged(worker: Any) -> None:
    data = bytes(range(1, 65))
    worker.put(4096, data)
    for dtype in worker.server.hello["dtypes"]:
        if dtype == "bool":
            continue
        answer = worker.run("x", [[4096, dtype, [4], 0]])
        got = worker.bytes_of(answer["result"], answer)
        assert answer["result"]["d"] == dtype
        assert got == data[: len(got)]
        name = worker.run("str(paddle.add(x, x).dtype)", [[4096, dtype, [4], 0]])
        assert dtype in str(name) or "error" in name


def test_results_of_every_form(worker: Any) -> None:
    def result(text: str) -> Any:
        return worker.run(text, [PLAIN_X])["result"]

    assert result("[x.shape, x.dtype, x.place, None]") == [
        [4],
        {"$": "dtype", "v": "float32"},
        {"$": "other", "v": "paddle.base.libpaddle.Place"},
        None,
    ]
    assert result("paddle.zeros([3, 0])")["s"] == [3, 0]
    assert result("paddle.to_tensor(1.5)")["s"] == []
    array = result("x.numpy()")
    assert (array["$"], array["d"], array["s"]) == ("out", "float32", [4])
    assert [leaf["d"] for leaf in result("paddle.topk(x, 2)")] == ["float32", "int64"]
    answer = worker.run("x.reshape([2, 2]).t(), x[::2], x.cast('bfloat16')", [PLAIN_X])
    assert [worker.items(leaf, answer) for leaf in answer["result"][:2]] == [[1, 3, 2, 4], [1, 3]]
    assert worker.bytes_of(answer["result"][2], answer)[:2] == b"\x80\x3f"


def test_sparse_results_are_coalesced_coordinates(worker: Any) -> None:
    text = "paddle.sparse.sparse_coo_tensor([[0, 2, 0]], x[:3], [4])"
    answer = worker.run(text, [PLAIN_X])
    parts = dict(answer["result"]["v"])
    assert worker.items(parts["indices"], answer) == [0, 2]
    assert parts["shape"] == [4]
    assert worker.items(parts["values"], answer) == [4, 2]
    text = "paddle.sparse.sparse_csr_tensor([0, 1, 2], [1, 0], [3.0, 4.0], [2, 2])"
    answer = worker.run(text, [])
    parts = dict(answer["result"]["v"])
    assert worker.items(parts["indices"], answer) == [0, 1, 1, 0]
    assert worker.items(parts["values"], answer) == [3, 4]


def test_the_gradient_of_a_sparse_embedding_is_dense(worker: Any) -> None:
    worker.put(8192, struct.pack("3q", 1, 1, 2))
    text = "paddle.nn.functional.embedding(y, x, sparse=True)"
    answer = worker.run(text, [[4096, "float32", [4, 2], 1], [8192, "int64", [3], 0]], backward=1)
    assert worker.items(answer["grads"][0], answer) == [0, 0, 1 + 3, 2 + 4, 5, 6, 0, 0]


def test_describe(worker: Any) -> None:
    names = worker.ask(op="describe", id=1, names=["paddle.concat", "paddle.nothing"])["names"]
    assert names[0]["signature"].startswith("(x, axis=0, name=None")
    assert names[0]["doc"]
    assert names[1] == {
        "name": "paddle.nothing",
        "found": False,
        "allowed": False,
        "signature": None,
        "doc": "",
    }
