# SPDX-License-Identifier: Apache-2.0
"""The calls of a run in a bare loop: one plain process, inputs already made, nothing compared.

    <python of an environment> bare_loop.py FRAMEWORK FRAMES_DIRECTORY [--prelude FILE]… [--sizes]

Prints one JSON object: seconds of the import and of the loop, how many calls there were, and which
took long. A call that raises counts: a run makes it too. This is what bench/overhead/run and
bench/smoke/run hold opalign against.
With --sizes it prints a list instead: how many elements each call returns.
"""

from __future__ import annotations

import json
import mmap
import os
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))
os.environ.setdefault("OMP_NUM_THREADS", "1")

LONG_S = 0.5
begun, begun_wall = time.process_time(), time.perf_counter()
FRAMEWORK, FOLDER = sys.argv[1], Path(sys.argv[2])
PRELUDES = [sys.argv[i + 1] for i, word in enumerate(sys.argv) if word == "--prelude"]

import importlib  # noqa: E402

adapter = importlib.import_module(f"opalign.worker.adapters.{FRAMEWORK}")
import_s, import_wall_s = time.process_time() - begun, time.perf_counter() - begun_wall

from opalign.worker.names import Resolver  # noqa: E402
from opalign.worker.texts import Texts  # noqa: E402
from opalign.worker.values import Decoder  # noqa: E402

Call = tuple[Callable[[], Any], list[Any], bool]


def public_gradients() -> Callable[..., Any]:
    if FRAMEWORK == "torch":
        import torch

        return lambda outs, ins, ups: torch.autograd.grad(outs, ins, ups, allow_unused=True)
    import paddle

    return lambda outs, ins, ups: paddle.grad(outs, ins, ups, allow_unused=True)


def prepare(frame: dict[str, Any], memory: Any, texts: Texts, resolver: Resolver) -> Call:
    decoder = Decoder(adapter, lambda step: resolver.resolve(step["call"]))
    inputs, marked = [], []
    for offset, dtype, shape, wants_grad, *strides in frame["tensors"]:
        tensor = adapter.from_buffer(memory, offset, dtype, shape, strides[0] if strides else None)
        if wants_grad:
            adapter.wants_grad(tensor)
            marked.append(tensor)
        inputs.append(tensor)
    for index in frame["program"]["clone"]:
        inputs[index] = adapter.clone(inputs[index])
    decoder.tensors = inputs
    decoder.variables = {}
    step = frame["program"]["steps"][0]
    if "call" in step:
        function = resolver.resolve(step["call"])
        args = [decoder.decode(value) for value in step["args"]]
        kwargs = {name: decoder.decode(value) for name, value in step["kwargs"].items()}
        return (lambda: function(*args, **kwargs)), marked, bool(frame["program"]["backward"])
    names = {name: decoder.decode(value) for name, value in step["names"].items()}
    return (
        (lambda: texts.run(step["eval"], dict(names))),
        marked,
        bool(frame["program"]["backward"]),
    )


def fails_with(error: Exception) -> Callable[[], Any]:
    def fail() -> Any:
        raise error

    return fail


def differentiable(value: Any, found: list[Any]) -> list[Any]:
    if adapter.is_tensor(value):
        if adapter.is_differentiable(value):
            found.append(value)
    elif isinstance(value, (list, tuple)):
        for item in value:
            differentiable(item, found)
    return found


def output_shapes(calls: list[Call]) -> list[list[tuple[str, list[int]]]]:
    """dtype and shape of what each call returns and differentiates, found out in a child, so that
    this process meets each call for the first time in the loop."""
    reader, writer = os.pipe()
    if os.fork() == 0:
        found = []
        for call, marked, backward in calls:
            try:
                outputs = differentiable(call(), []) if backward and marked else []
            except Exception:
                outputs = []
            found.append([(adapter.dtype_name(o.dtype), list(o.shape)) for o in outputs])
        with os.fdopen(writer, "w") as pipe:
            json.dump(found, pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader) as pipe:
        found = json.load(pipe)
    os.wait()
    return found


def count(value: Any) -> int:
    if adapter.is_tensor(value):
        elements = 1
        for length in value.shape:
            elements *= length
        return elements
    return sum(map(count, value)) if isinstance(value, (list, tuple)) else 0


def size_of(call: Call) -> int:
    try:
        return count(call[0]())
    except Exception:
        return 0


def main() -> None:
    texts = Texts(adapter.namespace(), PRELUDES)
    resolver = Resolver(adapter)
    with open(FOLDER / "inputs.bin", "rb") as file:
        memory = mmap.mmap(
            file.fileno(), 0, flags=mmap.MAP_PRIVATE, prot=mmap.PROT_READ | mmap.PROT_WRITE
        )
    ones = mmap.mmap(-1, 4 << 30)  # upstream gradients: any finite bytes will do
    calls: list[Call] = []
    for line in (FOLDER / f"{FRAMEWORK}.jsonl").read_text().splitlines():
        try:
            calls.append(prepare(json.loads(line), memory, texts, resolver))
        except Exception as error:  # an argument that this framework cannot even hold
            calls.append((fails_with(error), [], False))
    if "--sizes" in sys.argv:
        print(json.dumps([size_of(call) for call in calls]))
        return
    gradients = public_gradients()
    upstream = [
        [adapter.from_buffer(ones, 0, dtype, shape, None) for dtype, shape in wanted]
        for wanted in output_shapes(calls)
    ]
    raised = 0
    ends = [time.perf_counter()]
    begun = time.process_time()
    for (call, marked, _), given in zip(calls, upstream, strict=True):
        result = None
        try:
            result = call()
            if given:
                gradients(differentiable(result, []), marked, given)
        except Exception:
            raised += 1
        ends.append(time.perf_counter())
    loop_s = time.process_time() - begun
    spent = [end - start for start, end in pairwise(ends)]
    print(
        json.dumps(
            {
                "framework": FRAMEWORK,
                "calls": len(calls),
                "raised": raised,
                "import_s": import_s,
                "import_wall_s": import_wall_s,
                "loop_s": loop_s,
                "long": [[i, s] for i, s in enumerate(spent) if s > LONG_S],
            }
        )
    )


main()
