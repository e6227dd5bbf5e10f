# SPDX-License-Identifier: Apache-2.0
"""The lying framework, without opalign: deaths, hangs, garbage, limits, memory, marks. Needs no
framework: Python alone runs it."""

from __future__ import annotations

import json
import os
import signal
import struct
import subprocess
import sys
import time
from typing import Any

import pytest
from harness import (
    FLOAT32_GRADIENTS,
    LIAR,
    POOL_ELEMENTS,
    Gone,
    Memory,
    Server,
    alive,
    wait_until,
)

X = [4096, "float32", [4], 1]
Y = [8192, "float32", [4], 1]


@pytest.fixture
def worker(fork: Any) -> Any:
    worker = fork("liar")
    worker.put(4096, struct.pack("4f", 1, 2, 3, 4))
    worker.put(8192, struct.pack("4f", 10, 20, 30, 40))
    return worker


def died(worker: Any, function: str, **more: Any) -> tuple[int, int]:
    worker.send(f"liar.{function}(x)", [X], **more)
    with pytest.raises(Gone):
        worker.wire.receive(10)
    worker.reaped = True
    return worker.server.exited(worker)


def test_hello(servers: Any) -> None:
    hello = servers("liar").hello
    assert hello["op"] == "hello"
    assert hello["protocol"] == 1
    assert hello["framework"] == "liar"
    assert "float32" in hello["dtypes"]


def test_forward_and_backward(worker: Any) -> None:
    gradients = struct.pack("8f", 1, 2, 3, 4, 5, 6, 7, 8)
    worker.server.pool.map[FLOAT32_GRADIENTS : FLOAT32_GRADIENTS + 32] = gradients
    answer = worker.run("liar.add(x, y)", [X, Y], backward=1, pool=1 + POOL_ELEMENTS * 77)
    assert worker.items(answer["result"], answer) == [11, 22, 33, 44]
    assert [worker.items(g, answer) for g in answer["grads"]] == [[2, 3, 4, 5]] * 2
    assert answer["modified"] == []
    assert len(answer["t"]) == 2


def test_outputs_of_one_dtype_take_neighbouring_slices(worker: Any) -> None:
    gradients = struct.pack("8f", 1, 2, 3, 4, 5, 6, 7, 8)
    worker.server.pool.map[FLOAT32_GRADIENTS : FLOAT32_GRADIENTS + 32] = gradients
    answer = worker.run("(liar.identity(x), liar.identity(y))", [X, Y], backward=1)
    assert [worker.items(g, answer) for g in answer["grads"]] == [[1, 2, 3, 4], [5, 6, 7, 8]]


@pytest.mark.parametrize(
    ("function", "signal_number", "code"),
    [
        ("segfault", signal.SIGSEGV, 0),
        ("abort", signal.SIGABRT, 0),
        ("killed", signal.SIGKILL, 0),
        ("exit0", 0, 0),
        ("exit3", 0, 3),
    ],
)
def test_deaths_are_reported_and_marked(
    worker: Any, function: str, signal_number: int, code: int
) -> None:
    assert died(worker, function) == (signal_number, code)
    assert worker.mark() == (worker.ids, 3)


def test_a_death_in_the_backward_stage(worker: Any) -> None:
    assert died(worker, "gradient_crash", backward=1) == (signal.SIGSEGV, 0)
    assert worker.mark() == (worker.ids, 4)


def test_the_mark_is_gone_after_the_answer(worker: Any) -> None:
    worker.run("liar.identity(x)", [X])
    assert wait_until(lambda: worker.mark()[0] == 0)


def test_garbage_reaches_the_socket(worker: Any) -> None:
    worker.send("liar.garbage(x)", [X])
    with pytest.raises((UnicodeDecodeError, json.JSONDecodeError)):
        worker.wire.receive()
    os.kill(worker.pid, signal.SIGKILL)


def test_half_a_frame(worker: Any) -> None:
    assert died(worker, "half_frame") == (0, 0)


def test_errors_are_classified(worker: Any) -> None:
    def error(text: str) -> Any:
        return worker.run(text, [X])["error"]

    for function, kind in [
        ("unregistered", "not_registered"),
        ("invalid_argument", "invalid_argument"),
        ("out_of_memory", "out_of_memory"),
        ("raises", "other"),
        ("nothing", "translation"),
    ]:
        assert error(f"liar.{function}(x)")["class"] == kind
    for text in ["nobody(x)", "x +", "x + 1", "len(x)", "liar.add(x)", "y = x\nz = y"]:
        assert error(text)["class"] == "translation", text
    answer = error("liar.raises(x)")
    assert answer["type"] == "RuntimeError"
    assert answer["stage"] == "forward"
    assert answer["message"].startswith("a message with a ? surrogate")
    assert "in raises" in answer["trace"]
    assert "program.py" not in answer["trace"]


def test_a_failing_gradient_leaves_the_result(worker: Any) -> None:
    answer = worker.run("liar.gradient_raises(x)", [X], backward=1)
    assert answer["error"]["stage"] == "backward"
    assert "grads" not in answer
    assert worker.items(answer["result"], answer) == [1, 2, 3, 4]


def test_outputs_beyond_the_limit(worker: Any) -> None:
    error = worker.run("liar.huge_output(x)", [X])["error"]
    assert error["class"] == "output_limit"
    assert error["stage"] == "fetch"
    assert "error" not in worker.run("liar.identity(x)", [X])


def test_outputs_larger_than_the_file_grow_it(worker: Any) -> None:
    size = 4 << 20
    memory = Memory(size + 8192)
    other = worker.server.fork(arena=memory)
    other.put(4096, bytes([7]) * size)
    answer = other.run("liar.identity(x)", [[4096, "uint8", [size], 0]], timeout=60)
    assert other.bytes_of(answer["result"], answer) == bytes([7]) * size
    other.end()


def test_the_output_file_cannot_shrink(worker: Any) -> None:
    with pytest.raises(PermissionError):
        os.ftruncate(worker.output, 0)


def test_the_memory_limit(fork: Any) -> None:
    worker = fork("liar", memory=256 << 20)
    assert worker.run("liar.eats_memory(x)", [X])["error"]["class"] == "out_of_memory"


def test_modified_inputs_are_reported_and_restored(worker: Any) -> None:
    answer = worker.run("(liar.identity(x), liar.modifies_input(y))", [X, Y])
    assert answer["modified"] == [1]
    answer = worker.run("liar.identity(y)", [X, Y])
    assert answer["modified"] == []
    assert worker.items(answer["result"], answer) == [10, 20, 30, 40]
    answer = worker.run("liar.modifies_input(x)", [X], clone=[0], fetch=["result", {"tensor": 0}])
    assert answer["modified"] == []
    assert worker.items(answer["result"][1], answer) == [42, 2, 3, 4]


def test_what_opalign_writes_after_a_modification_is_seen(worker: Any) -> None:
    assert worker.run("liar.modifies_input(x)", [X])["modified"] == [0]
    worker.put(4096, struct.pack("4f", 5, 6, 7, 8))
    answer = worker.run("liar.identity(x)", [X])
    assert worker.items(answer["result"], answer) == [5, 6, 7, 8]


def test_large_gradients_go_round_the_pool(worker: Any) -> None:
    count = 2 * POOL_ELEMENTS + 7
    memory = Memory(16 << 20)
    other = worker.server.fork(arena=memory)
    section = struct.pack(f"{POOL_ELEMENTS}f", *range(POOL_ELEMENTS))
    worker.server.pool.map[FLOAT32_GRADIENTS : FLOAT32_GRADIENTS + len(section)] = section
    big = [4096, "float32", [count], 1]
    answer = other.run("liar.identity(x)", [big], backward=1, pool=3 * POOL_ELEMENTS - 1)
    gradient = other.items(answer["grads"][0], answer)
    assert gradient == [(i - 1) % POOL_ELEMENTS for i in range(count)]
    answer = other.run("liar.identity(x)", [X], backward=1, pool=POOL_ELEMENTS - 2)
    assert other.items(answer["grads"][0], answer) == [POOL_ELEMENTS - 2, POOL_ELEMENTS - 1, 0, 1]
    other.end()


def test_floods_do_not_disturb_the_answer(worker: Any) -> None:
    for function in ("flood_stdout", "flood_stderr"):
        answer = worker.run(f"liar.{function}(x)", [X])
        assert worker.items(answer["result"], answer) == [1, 2, 3, 4]


def test_a_broken_frame_ends_the_worker(worker: Any) -> None:
    worker.wire.sock.sendall(struct.pack("<I", 3) + b"{}x")
    with pytest.raises(Gone):
        worker.wire.receive(10)
    worker.reaped = True
    assert worker.server.exited(worker) == (0, 70)


def test_hanging_up_ends_the_worker(worker: Any) -> None:
    worker.wire.sock.close()
    worker.reaped = True
    assert worker.server.exited(worker) == (0, 0)


def test_names_in_calls_and_methods(worker: Any) -> None:
    def call(name: str) -> Any:
        step = {"call": name, "args": [{"$": "tensor", "i": 0}], "kwargs": {}, "to": "result"}
        return worker.run([step], [X])

    assert "result" in call("liar.identity")
    for name in [
        "liar.forbidden",
        "liar._public",
        "os.system",
        "liar.os.system",
        "liar",
        "identity",
    ]:
        assert call(name)["error"]["class"] in ("not_allowed", "no_such_name"), name
    assert call("liar.forbidden")["error"]["class"] == "not_allowed"
    assert call("liar.nothing")["error"]["class"] == "no_such_name"
    step = {"method": "__reduce_ex__", "args": [{"$": "tensor", "i": 0}, 2], "to": "result"}
    assert worker.run([step], [X])["error"]["class"] == "not_allowed"


def test_several_statements_and_a_check(worker: Any) -> None:
    x = {"$": "tensor", "i": 0}
    steps: list[Any] = [
        {"call": "liar.identity", "args": [x], "to": "a"},
        {"call": "liar.add", "args": [{"$": "name", "n": "a"}, x], "to": "result"},
        {"check": "[result, scale]", "names": {"scale": 2}},
    ]
    answer = worker.run(steps, [X])
    assert worker.items(answer["result"][0], answer) == [2, 4, 6, 8]
    assert answer["result"][1] == 2
    steps[1]["args"][0]["n"] = "b"
    assert worker.run(steps, [X])["error"]["class"] == "no_such_name"


def test_describe_and_compile(worker: Any) -> None:
    names = worker.ask(op="describe", id=1, names=["liar.add", "liar.nothing", "liar.forbidden"])
    assert names["names"][0]["signature"] == "(x, y)"
    assert [(n["found"], n["allowed"]) for n in names["names"]] == [
        (True, True),
        (False, False),
        (True, False),
    ]
    texts = ["liar.add(x, y)", "x + z", "x +", "result = [x for x in y]", "liar.nothing(x)"]
    answer = worker.ask(op="compile", id=2, texts=texts, params=[["x", "y"]] * len(texts))
    oks = [text["ok"] for text in answer["texts"]]
    assert oks == [True, False, False, False, False]
    assert answer["texts"][1]["unbound"] == ["z"]
    block = "t = [x for v in y if v]\nresult = lambda u: u + t"
    assert worker.ask(op="compile", id=3, texts=[block], params=[["x", "y"]])["texts"] == [
        {"ok": True}
    ]


def test_preludes(tmp_path: Any) -> None:
    prelude = tmp_path / "prelude_liar.py"
    prelude.write_text(
        "def twice(x):\n    return liar.add(x, x)\n\n"
        "def never(x):\n    raise Unsupported('not this')\n\n"
        "def slip(x):\n    return x.nothing\n"
    )
    server = Server("liar", adapter=LIAR / "liar.py", preludes=[prelude])
    worker = server.fork()
    worker.put(4096, struct.pack("4f", 1, 2, 3, 4))
    answer = worker.run("twice(x)", [X])
    assert worker.items(answer["result"], answer) == [2, 4, 6, 8]
    for text in ("never(x)", "slip(x)"):
        assert worker.run(text, [X])["error"]["class"] == "translation"
    server.close()


def test_a_failing_import_is_told(tmp_path: Any) -> None:
    adapter = tmp_path / "broken.py"
    adapter.write_text("raise ImportError('no such library')\n")
    server = Server("broken", adapter=adapter)
    assert server.hello == {"op": "failed", "message": "ImportError: no such library"}
    assert server.process.wait(10) == 1
    server.close()


def test_closing_the_control_socket_ends_all(fork: Any) -> None:
    server = Server("liar", adapter=LIAR / "liar.py")
    workers = [server.fork() for _ in range(2)]
    workers[0].send("liar.hang_native(x)", [X])
    server.close()
    assert not any(alive(worker.pid) for worker in workers)


_PARENT = """
import subprocess, sys, time
sys.path.insert(0, {tests!r})
from harness import *
server = Server("liar", adapter=LIAR / "liar.py")
workers = [server.fork() for _ in range(2)]
workers[0].send("liar.hang_native(x)", [[4096, "float32", [4], 0]])
keeper = subprocess.Popen(["sleep", "60"], pass_fds=[server.control.sock.fileno()])
print(keeper.pid, server.process.pid, *[worker.pid for worker in workers], flush=True)
time.sleep(60)
"""


def test_killing_opalign_leaves_nothing() -> None:
    """Workers in native code included, and with the control socket still open elsewhere: it is the
    kernel that kills them with their parent."""
    script = _PARENT.format(tests=os.path.dirname(__file__))
    parent = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    keeper, *pids = [int(pid) for pid in parent.stdout.readline().split()]
    try:
        assert len(pids) == 3
        assert all(alive(pid) for pid in pids)
        time.sleep(0.2)  # until the first is in its call
        parent.kill()
        parent.wait()
        parent.stdout.close()
        assert wait_until(lambda: not any(alive(pid) for pid in pids))
    finally:
        os.kill(keeper, signal.SIGKILL)


def test_killing_the_forkserver_kills_its_workers() -> None:
    server = Server("liar", adapter=LIAR / "liar.py")
    worker = server.fork()
    worker.send("liar.hang_native(x)", [X])
    assert wait_until(lambda: worker.mark()[0] == worker.ids)
    server.process.kill()
    assert wait_until(lambda: not alive(worker.pid))
    server.close()


def test_truth_has_every_name_of_liar() -> None:
    script = (
        "import sys; sys.path[:0] = [{python!r}, {liar!r}]; import liar, truth\n"
        "names = lambda m: sorted(n for n in dir(m) if not n.startswith('_'))\n"
        "assert names(liar._module) == names(truth._module)"
    ).format(python=str(LIAR.parents[1] / "python"), liar=str(LIAR))
    subprocess.run([sys.executable, "-c", script], check=True)
