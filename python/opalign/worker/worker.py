# SPDX-License-Identifier: Apache-2.0
"""A worker: executes the frames of its work socket, one after the other, until opalign hangs up."""

from __future__ import annotations

import socket
from typing import Any

from opalign.worker import process, queries
from opalign.worker.errors import ConnectionClosed, ProtocolError, report
from opalign.worker.frames import Channel, Frame, FrameTooLarge
from opalign.worker.memory import Pool, PrivateMap
from opalign.worker.names import Resolver
from opalign.worker.outputs import OutputFile
from opalign.worker.program import Executor
from opalign.worker.texts import Texts

# As many cases may be answered and not yet judged, so that opalign wakes once for several.
_SLOTS = 8


class Worker:
    def __init__(
        self, adapter: Any, texts: Texts, resolver: Resolver, work: int, arena: int, pool: int
    ) -> None:
        self._adapter = adapter
        self._texts = texts
        self._resolver = resolver
        self._channel = Channel(socket.socket(fileno=work))
        self._outputs = OutputFile(_SLOTS)
        self._executor = Executor(
            adapter,
            texts,
            resolver,
            PrivateMap(arena),
            Pool(pool),
            self._outputs,
        )

    def serve(self, threads: int, memory: int, warm: bool = False) -> None:
        self._adapter.setup(threads)
        if not warm:
            self._adapter.warm_up()
        process.limit_memory(memory)
        try:
            self._channel.send({"op": "ready", "slots": _SLOTS}, [self._outputs.fd])
            while True:
                frame = self._channel.receive()
                if frame is None:
                    return
                self._answer(frame)
        except ConnectionClosed:
            return

    def _answer(self, frame: Frame) -> None:
        if frame.get("op") == "run":
            self._send(self._executor.run(frame))
            self._outputs.end()
            return
        answer = queries.answer(frame, self._resolver, self._texts)
        if answer is None:
            raise ProtocolError(f"a frame of no known kind: {frame.get('op')}")
        self._send(answer)

    def _send(self, answer: Frame) -> None:
        try:
            self._channel.send(answer)
        except FrameTooLarge as error:
            failure = report(error, "output_limit", "fetch")
            self._channel.send({"id": answer["id"], "error": failure, "t": [], "modified": []})
