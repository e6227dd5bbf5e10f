# SPDX-License-Identifier: Apache-2.0
"""Programs on PyTorch, beyond what test_frameworks.py asks of every framework."""

from __future__ import annotations

from typing import Any

import pytest
from harness import PLAIN_X, X, call


@pytest.fixture
def worker(prepared: Any) -> Any:
    return prepared("torch")


def test_an_output_without_a_graph_has_no_gradient(worker: Any) -> None:
    assert worker.run("x.detach()", [X], backward=1)["grads"] == [None]


def test_every_dtype_passes_unchanged(worker: Any) -> None:
    data = bytes(range(1, 65))
    worker.put(4096, data)
    for dtype in worker.server.hello["dtypes"]:
        if dtype == "bool":
            continue
        answer = worker.run("x.clone()", [[4096, dtype, [4], 0]])
        got = worker.bytes_of(answer["result"], answer)
        assert answer["result"]["d"] == dtype
        assert got == data[: len(got)]


def test_results_of_every_form(worker: Any) -> None:
    def result(text: str) -> Any:
        return worker.run(text, [PLAIN_X])["result"]

    text = "[1, (2.5, 'a'), {'k': None}, True, 3+4j, float('nan'), -float('inf'), 2**70]"
    assert result(text) == [
        1,
        [2.5, "a"],
        {"$": "dict", "v": [["k", None]]},
        True,
        {"$": "complex", "v": ["3.0", "4.0"]},
        {"$": "float", "v": "nan"},
        {"$": "float", "v": "-inf"},
        {"$": "int", "v": "1180591620717411303424"},
    ]
    assert result("[x.shape, x.dtype, x.device, torch.sort(x)[1].dtype]") == [
        [4],
        {"$": "dtype", "v": "float32"},
        {"$": "other", "v": "torch.device"},
        {"$": "dtype", "v": "int64"},
    ]
    assert result("torch.zeros(3, 0)")["s"] == [3, 0]
    assert result("torch.zeros(2, 3).t()")["s"] == [3, 2]
    assert result("torch.tensor(1.5)")["s"] == []
    scalar = result("np.float32(1)")
    assert (scalar["$"], scalar["d"], scalar["s"]) == ("out", "float32", [])
    assert [leaf["d"] for leaf in result("torch.topk(x, 2)")] == ["float32", "int64"]
    assert result("torch.zeros(2, dtype=torch.complex32)")["$"] == "other"
    loop = worker.run("a = [1]\na.append(a)\nresult = a", [PLAIN_X])["result"]
    assert loop[1][1][0] == 1


def test_views_and_lazy_conjugates_are_stored_as_values(worker: Any) -> None:
    answer = worker.run("torch.complex(x, x).conj().imag, x[::2], x.flip(0)", [PLAIN_X])
    values = [worker.items(leaf, answer) for leaf in answer["result"]]
    assert values == [[-1, -2, -3, -4], [1, 3], [4, 3, 2, 1]]


def test_sparse_results_are_coalesced_coordinates(worker: Any) -> None:
    text = "torch.sparse_coo_tensor([[0, 2, 0]], x[:3], (4,))"
    answer = worker.run(text, [X], backward=1)
    parts = dict(answer["result"]["v"])
    assert worker.items(parts["indices"], answer) == [0, 2]
    assert parts["shape"] == [4]
    assert worker.items(parts["values"], answer) == [4, 2]
    assert worker.items(answer["grads"][0], answer) == [1, 2, 1, 0]
    answer = worker.run("torch.eye(2).to_sparse_csr()", [])
    assert worker.items(dict(answer["result"]["v"])["values"], answer) == [1, 1]


def test_values_of_every_kind(worker: Any) -> None:
    def of(value: Any) -> Any:
        step = {"eval": "repr(v)", "names": {"v": value}, "to": "result"}
        return worker.run([step], [])["result"]

    assert (
        of({"$": "tuple", "v": [1, {"$": "slice", "v": [None, 2, None]}]})
        == "(1, slice(None, 2, None))"
    )
    assert of({"$": "ellipsis"}) == "Ellipsis"
    assert (
        of([{"$": "float", "v": "-inf"}, {"$": "complex", "v": ["0.0", "nan"]}]) == "[-inf, nanj]"
    )
    assert of({"$": "int", "v": "36893488147419103232"}) == "36893488147419103232"
    assert of({"$": "dtype", "v": "bfloat16"}) == "torch.bfloat16"
    assert of({"$": "type", "v": "numpy.float32"}) == "<class 'numpy.float32'>"
    assert of({"$": "type", "v": "int"}) == "<class 'int'>"
    assert of({"$": "place", "v": "cpu"}) == "device(type='cpu')"
    nested = {"$": "call", "call": "torch.full", "args": [[1], 2], "kwargs": {}}
    assert of(nested) == "tensor([2])"
    step = {"eval": "v", "names": {"v": {"$": "dtype", "v": "float7"}}, "to": "result"}
    assert worker.run([step], [])["error"]["class"] == "no_such_dtype"
    step = {"eval": "v", "names": {"v": {"$": "type", "v": "os.system"}}, "to": "result"}
    assert worker.run([step], [])["error"]["class"] == "no_such_name"


def test_methods_attributes_and_item_assignment(worker: Any) -> None:
    x = {"$": "tensor", "i": 0}
    answer = worker.run(call("torch.Tensor.shape", 0), [X])
    assert answer["result"] == [4]
    steps = [
        {"call": "torch.clone", "args": [x], "to": "b"},
        {"call": "torch.Tensor.__setitem__", "args": [{"$": "name", "n": "b"}, 0, 7.0]},
        {"method": "double", "args": [{"$": "name", "n": "b"}], "to": "result"},
    ]
    answer = worker.run(steps, [PLAIN_X])
    assert worker.items(answer["result"], answer) == [7, 2, 3, 4]


def test_many_errors_keep_no_memory(worker: Any) -> None:
    """An exception holds its frames and they the inputs: all of it must go with the case."""

    def resident() -> int:
        with open(f"/proc/{worker.pid}/statm") as file:
            return int(file.read().split()[1]) * 4096

    text = "y = torch.ones(1 << 20)\nresult = y.view(3)"
    for _ in range(20):
        worker.run(text, [])
    before = resident()
    for _ in range(100):
        worker.run(text, [])
    assert resident() - before < 64 << 20
