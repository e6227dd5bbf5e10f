# SPDX-License-Identifier: Apache-2.0
"""Programs on PyTorch: dtypes, layouts, gradients, results of every form, errors, names."""

from __future__ import annotations

import struct
from typing import Any

import pytest

X = [4096, "float32", [4], 1]
Y = [8192, "float32", [4], 1]
PLAIN_X = [4096, "float32", [4], 0]


@pytest.fixture
def worker(fork: Any) -> Any:
    worker = fork("torch")
    worker.put(4096, struct.pack("16f", *range(1, 17)))
    worker.put(8192, struct.pack("4f", 10, 20, 30, 40))
    worker.server.pool.map[1 << 20 : (1 << 20) + 64] = struct.pack("16f", *range(1, 17))
    return worker


def call(name: str, *args: Any, **kwargs: Any) -> Any:
    values = [{"$": "tensor", "i": a} if type(a) is int else a for a in args]
    return [{"call": name, "args": values, "kwargs": kwargs, "to": "result"}]


def test_forward_and_backward(worker: Any) -> None:
    answer = worker.run(call("torch.mul", 0, 1), [X, Y], backward=1)
    assert worker.items(answer["result"], answer) == [10, 40, 90, 160]
    assert worker.items(answer["grads"][0], answer) == [10, 40, 90, 160]
    assert worker.items(answer["grads"][1], answer) == [1, 4, 9, 16]
    assert answer["modified"] == []


def test_the_gradient_of_an_unused_input_is_null(worker: Any) -> None:
    answer = worker.run("x * 2", [X, Y], backward=1)
    assert worker.items(answer["grads"][0], answer) == [2, 4, 6, 8]
    assert answer["grads"][1] is None
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
    assert result("np.float32(1)") == {"$": "out", "o": 64, "d": "float32", "s": []}
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


def test_writing_calls_need_a_clone(worker: Any) -> None:
    step = call("torch.Tensor.add_", 0, 1)
    assert worker.run(step, [X, Y], backward=1)["error"]["class"] == "invalid_argument"
    answer = worker.run(step, [X, Y], clone=[0], fetch=["result", {"tensor": 0}], backward=1)
    assert worker.items(answer["result"][1], answer) == [11, 22, 33, 44]
    assert answer["modified"] == []
    assert worker.items(answer["grads"][0], answer) == [1 + 5, 2 + 6, 3 + 7, 4 + 8]
    assert worker.run("x.zero_()", [PLAIN_X])["modified"] == [0]
    answer = worker.run("x + 0", [PLAIN_X])
    assert worker.items(answer["result"], answer) == [1, 2, 3, 4]


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


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("torch.linalg.svd(x.view(2, 2).half())", "not_registered"),
        ("torch.concat([x, x.view(2, 2)])", "invalid_argument"),
        ("x.view(3)", "invalid_argument"),
        ("torch.sum(x, dim=7)", "invalid_argument"),
        ("torch.add(x, 'a')", "invalid_argument"),
        ("x[10]", "invalid_argument"),
        ("torch.empty(1 << 50)", "out_of_memory"),
        ("torch.concatt([x])", "translation"),
        ("torch.add(x, z)", "translation"),
        ("torch.add(x, ", "translation"),
        ("x + None", "translation"),
    ],
)
def test_errors(worker: Any, text: str, kind: str) -> None:
    error = worker.run(text, [PLAIN_X])["error"]
    assert error["class"] == kind, error


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


FORBIDDEN = """
os.system eval torch torch.os.system torch.sys.exit torch.save torch.load torch.hub.load
torch.ops.load_library torch.ops.aten.add torch.utils.cpp_extension.load torch.serialization.save
torch.jit.load torch.PyTorchFileReader torch._C._jit_set_profiling_mode torch._C
torch.Tensor.__reduce_ex__ torch.Tensor.__class__ torch.Tensor.__dict__
torch.Tensor.__init_subclass__ torch.Tensor.mro torch.Tensor.__module__ torch.Tensor.backward
torch.from_file torch.UntypedStorage.from_file torch.set_num_threads torch.set_default_dtype
torch.nn.functional.torch.save torch.functional.torch.save torch.nn.modules.module.torch.save
torch.compile torch.multiprocessing.spawn torch.cuda.init torch.Tensor.add.__globals__
torch.add.__self__ torch.nn.Linear.__init__ torch.distributed.init_process_group torch..add
torch.add. torch.builtins.exec torch.Tensor.data_ptr torch.nn.Module.get_extra_state
""".split()
ALLOWED = """
torch.add torch.concat torch.Tensor.add torch.Tensor.__add__ torch.Tensor.__getitem__
torch.Tensor.T torch.Tensor.shape torch.nn.functional.conv2d torch.linalg.svd torch.fft.fft
torch.special.erf torch.pi torch.float32 torch.nn.Linear torch.where torch.sparse.mm
torch.nn.functional.cross_entropy torch.autograd.grad torch.manual_seed torch.Tensor.__setitem__
""".split()


def test_names(worker: Any) -> None:
    answers = {name: worker.ask(op="resolve", id=1, name=name) for name in FORBIDDEN + ALLOWED}
    assert [name for name in FORBIDDEN if "result" in answers[name]] == []
    assert [name for name in ALLOWED if "result" not in answers[name]] == []


def test_nothing_of_a_forbidden_call_runs(worker: Any, tmp_path: Any) -> None:
    target = str(tmp_path / "written")
    for name in ("torch.save", "torch.serialization.save", "torch.Tensor.save"):
        answer = worker.run(call(name, 0, target), [X])
        assert answer["error"]["class"] in ("not_allowed", "no_such_name")
    for method in (
        "__reduce_ex__",
        "__setstate__",
        "share_memory_",
        "storage",
        "register_hook",
        "_typed_storage",
    ):
        step = {"method": method, "args": [{"$": "tensor", "i": 0}, 2], "to": "result"}
        assert worker.run([step], [X])["error"]["class"] == "not_allowed", method
    assert list(tmp_path.iterdir()) == []
