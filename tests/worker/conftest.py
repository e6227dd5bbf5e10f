# SPDX-License-Identifier: Apache-2.0
"""Runners that the tests share: one forkserver a framework, a fresh worker a test."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from typing import Any

import pytest
from harness import FLOAT32_GRADIENTS, LIAR, Server, X, Y, find_python


@pytest.fixture(scope="session")
def servers() -> Iterator[Any]:
    started: dict[str, Server] = {}

    def get(framework: str) -> Server:
        if framework not in started:
            if framework in ("liar", "truth"):
                limit = {"OPALIGN_OUTPUT_LIMIT": str(8 << 20)}
                started[framework] = Server(framework, adapter=LIAR / f"{framework}.py", env=limit)
            else:
                env = "torch" if framework == "numpy" else framework
                python = find_python(env)
                if python is None:
                    pytest.skip(f"no environment {env}@* is installed")
                started[framework] = Server(framework, python=python)
        return started[framework]

    yield get
    for server in started.values():
        server.close()


@pytest.fixture
def fork(servers: Any) -> Iterator[Any]:
    """fork("torch") gives a new worker; it ends with the test."""
    workers = []

    def get(framework: str, **options: Any) -> Any:
        worker = servers(framework).fork(**options)
        workers.append(worker)
        return worker

    yield get
    for worker in workers:
        worker.close()
        if not getattr(worker, "reaped", False):
            worker.server.exited(worker)


@pytest.fixture
def prepared(fork: Any) -> Any:
    """fork, and numbers in X, in Y and where the pool gives float32 gradients from."""

    def get(framework: str) -> Any:
        worker = fork(framework)
        worker.put(X[0], struct.pack("16f", *range(1, 17)))
        worker.put(Y[0], struct.pack("4f", 10, 20, 30, 40))
        gradients = struct.pack("16f", *range(1, 17))
        worker.server.pool.map[FLOAT32_GRADIENTS : FLOAT32_GRADIENTS + 64] = gradients
        return worker

    return get
