# SPDX-License-Identifier: Apache-2.0
"""Programs on Paddle: dtypes, layouts, gradients, results of every form, errors, names."""

from __future__ import annotations

import struct
from typing import Any

import pytest

X = [4096, "float32", [4], 1]
Y = [8192, "float32", [4], 1]
PLAIN_X = [4096, "float32", [4], 0]


@pytest.fixture
def worker(fork: Any) -> Any:
    worker = fork("paddle")
    worker.put(4096, struct.pack("16f", *range(1, 17)))
    worker.put(8192, struct.pack("4f", 10, 20, 30, 40))
    worker.server.pool.map[1 << 20 : (1 << 20) + 64] = struct.pack("16f", *range(1, 17))
    return worker


def call(name: str, *args: Any, **kwargs: Any) -> Any:
    values = [{"$": "tensor", "i": a} if type(a) is int else a for a in args]
    return [{"call": name, "args": values, "kwargs": kwargs, "to": "result"}]


def test_forward_and_backward(worker: Any) -> None:
    answer = worker.run(call("paddle.multiply", 0, 1), [X, Y], backward=1)
    assert worker.items(answer["result"], answer) == [10, 40, 90, 160]
    assert worker.items(answer["grads"][0], answer) == [10, 40, 90, 160]
    assert worker.items(answer["grads"][1], answer) == [1, 4, 9, 16]
    assert answer["modified"] == []


def test_gradients_of_unused_inputs_and_of_returned_inputs(worker: Any) -> None:
    answer = worker.run("x * 2", [X, Y], backward=1)
    assert worker.items(answer["grads"][0], answer) == [2, 4, 6, 8]
    assert answer["grads"][1] is None
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


def test_layouts(worker: Any) -> None:
    transposed = [4096, "float32", [4, 3], 1, [1, 4]]
    answer = worker.run("x", [transposed], backward=1)
    assert worker.items(answer["result"], answer) == [1, 5, 9, 2, 6, 10, 3, 7, 11, 4, 8, 12]
    assert worker.items(answer["grads"][0], answer) == list(range(1, 13))
    answer = worker.run("x.is_contiguous(), x", [[4100, "float32", [2, 2], 0, [0, 2]]])
    assert answer["result"][0] is False
    assert worker.items(answer["result"][1], answer) == [2, 4, 2, 4]


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
    assert result("x.numpy()") == {"$": "out", "o": 64, "d": "float32", "s": [4]}
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


def test_writing_calls_need_a_clone(worker: Any) -> None:
    step = call("paddle.Tensor.add_", 0, 1)
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
    ],
)
def test_errors(worker: Any, text: str, kind: str) -> None:
    error = worker.run(text, [PLAIN_X])["error"]
    assert error["class"] == kind, error


FORBIDDEN = """
os.system paddle paddle.os.system paddle.save paddle.load paddle.framework.save
paddle.framework.io.save paddle.utils.cpp_extension.load paddle.hub.load paddle.jit.save
paddle.static.save paddle.static.save_inference_model paddle.distributed.spawn
paddle.utils.run_check paddle.set_device paddle.set_flags paddle.set_default_dtype
paddle.base.core.eager.Tensor paddle.base.framework.os.system paddle.Tensor.tofile
paddle.Tensor.__reduce__ paddle.Tensor.__class__ paddle.Tensor.__dict__
paddle.Tensor.__init_subclass__ paddle.Tensor.mro paddle.Tensor._share_memory
paddle.Tensor.__dlpack__ paddle._C_ops._run_custom_op paddle._C_ops.read_file
paddle._C_ops.__loader__ paddle._typing.os paddle.vision.ops.read_file
paddle.nn.layer.layers.Executor paddle.amp.core.run_shell_command paddle.dataset.common.download
paddle.enable_static paddle.utils.try_import paddle.io.DataLoader paddle.nn.Layer.__init__
paddle.Tensor.data_ptr paddle.async_save paddle.nn.Layer.set_state_dict
""".split()
ALLOWED = """
paddle.add paddle.concat paddle.Tensor.add paddle.Tensor.__add__ paddle.Tensor.__getitem__
paddle.Tensor.T paddle.Tensor.shape paddle.Tensor.__nonzero__ paddle.Tensor.__setitem__
paddle._C_ops.add paddle.float32 paddle.nn.functional.conv2d paddle.linalg.svd paddle.fft.fft
paddle.pi paddle.nn.Linear paddle.geometric.segment_sum paddle.incubate.nn.functional.swiglu
paddle.sparse.nn.functional.relu paddle.vision.ops.nms
""".split()


def test_names(worker: Any) -> None:
    answers = {name: worker.ask(op="resolve", id=1, name=name) for name in FORBIDDEN + ALLOWED}
    assert [name for name in FORBIDDEN if "result" in answers[name]] == []
    assert [name for name in ALLOWED if "result" not in answers[name]] == []


def test_nothing_of_a_forbidden_call_runs(worker: Any, tmp_path: Any) -> None:
    target = str(tmp_path / "written")
    for name in (
        "paddle.save",
        "paddle.framework.io.save",
        "paddle.jit.save",
        "paddle.Tensor.tofile",
    ):
        answer = worker.run(call(name, 0, target), [X])
        assert answer["error"]["class"] in ("not_allowed", "no_such_name")
    for method in ("__reduce__", "_share_memory", "register_hook", "tofile", "value", "get_tensor"):
        step = {"method": method, "args": [{"$": "tensor", "i": 0}], "to": "result"}
        assert worker.run([step], [X])["error"]["class"] in ("not_allowed", "no_such_name"), method
    assert list(tmp_path.iterdir()) == []


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
