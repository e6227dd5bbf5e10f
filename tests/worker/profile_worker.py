# SPDX-License-Identifier: Apache-2.0
"""What a light case costs a worker, measured from its socket:

python tests/worker/profile_worker.py [torch] [paddle] [numpy] [--cases 5000]

The numbers are those of the best batch. `cpu` is time on a core (schedstat); forward and
backward are the worker's own clock around the framework's calls; the rest is ours and the
system calls."""

from __future__ import annotations

import argparse
import time
from typing import Any

from harness import Server, Wire, Worker, find_python

_BATCH = 250


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("frameworks", nargs="*", default=["torch", "paddle"])
    parser.add_argument("--cases", type=int, default=5000)
    options = parser.parse_args()
    print("framework  depth  backward   us/case   cpu us   forward  backward   the rest")
    for framework in options.frameworks:
        python = find_python("torch" if framework == "numpy" else framework)
        if python is None:
            print(f"{framework}: no environment")
            continue
        server = Server(framework, python=python)
        worker = server.fork()
        for depth, backward in ((1, 0), (1, 1), (4, 1)):
            measure(framework, worker, depth, backward, options.cases)
        worker.wire.sock.close()
        server.close()


def measure(framework: str, worker: Worker, depth: int, backward: int, cases: int) -> None:
    tensors = [[4096, "float32", [16, 16], 1], [5120, "float32", [16, 16], 1]]
    args = [{"$": "tensor", "i": 0}, {"$": "tensor", "i": 1}]
    step = {"call": f"{framework}.add", "args": args, "kwargs": {}, "to": "result"}
    run(worker, depth, backward, _BATCH, tensors, step)
    best = min(
        _batch(worker, depth, backward, tensors, step) for _ in range(max(cases // _BATCH, 1))
    )
    busy, wall, forward, back = [seconds / _BATCH * 1e6 for seconds in best]
    rest = busy - forward - back
    print(
        f"{framework:9} {depth:6} {backward:9} {wall:9.1f} {busy:8.1f} {forward:9.1f} {back:9.1f}"
        f" {rest:10.1f}"
    )


def _batch(worker: Worker, depth: int, backward: int, tensors: Any, step: Any) -> Any:
    clock, cpu = time.perf_counter(), cpu_seconds(worker.pid)
    answers = run(worker, depth, backward, _BATCH, tensors, step)
    return (
        cpu_seconds(worker.pid) - cpu,
        time.perf_counter() - clock,
        sum(a["t"][0] for a in answers),
        sum(a["t"][1] for a in answers if len(a["t"]) > 1),
    )


def run(
    worker: Worker, depth: int, backward: int, cases: int, tensors: Any, step: Any
) -> list[Any]:
    answers = []
    wire: Wire = worker.wire
    for number in range(cases + depth):
        if number < cases:
            worker.send([step], tensors, backward=backward)
        if number >= depth:
            answers.append(wire.receive())
    assert all("error" not in answer for answer in answers), answers[0]
    return answers


def cpu_seconds(pid: int) -> float:
    with open(f"/proc/{pid}/schedstat") as file:
        return int(file.read().split()[0]) / 1e9


if __name__ == "__main__":
    main()
