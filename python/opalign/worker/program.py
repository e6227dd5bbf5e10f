# SPDX-License-Identifier: Apache-2.0
"""Executes the program of one run frame and writes down what came of it.

Where the time of a light case goes (forward and backward of an add on [16,16] float32) is measured
by tests/worker/profile_worker.py. What it taught: the public autograd entries cost 15 to 40 us more
than the engine below them; a NumPy array reaches Paddle in 9 us through DLPack and in 30 through
to_tensor; the page table says in 1 us whether inputs were written, memcmp grows with the inputs;
json.loads and dumps pay for their options on each call."""

from __future__ import annotations

from time import perf_counter
from typing import Any, Dict, List, Tuple

from opalign.worker.dtypes import POOL_SECTIONS, SIZES
from opalign.worker.errors import ProtocolError, classify, report
from opalign.worker.frames import Frame
from opalign.worker.memory import Pool, PrivateMap
from opalign.worker.names import Resolver
from opalign.worker.outputs import BACKWARD, FETCH, FORWARD, OutputFile
from opalign.worker.process import Collector
from opalign.worker.texts import Texts
from opalign.worker.values import Decoder, Encoder, Json, Leaf

_STAGES = {FORWARD: "forward", BACKWARD: "backward", FETCH: "fetch"}


class Executor:
    def __init__(
        self,
        adapter: Any,
        texts: Texts,
        resolver: Resolver,
        arena: PrivateMap,
        pool: Pool,
        outputs: OutputFile,
    ) -> None:
        self._adapter = adapter
        self._texts = texts
        self._arena = arena
        self._pool = pool
        self._outputs = outputs
        self._resolver = resolver
        self._decoder = Decoder(adapter, self._call)
        self._encoder = Encoder(adapter, outputs)
        self._collector = Collector()
        self._stage = FORWARD
        self._modified: List[int] = []
        # What this case reads of the arena, first byte and last + 1; the second is 0 for nothing.
        self._arena_span = (0, 0)

    def run(self, frame: Frame) -> Frame:
        """Answers a run frame. The mark of the case stays set: the caller ends it after sending."""
        ident = frame["id"]
        answer: Frame = {"id": ident, "modified": [], "t": []}
        self._stage = FORWARD
        self._outputs.begin(frame["slot"], ident)
        self._encoder.leaves = []
        self._modified = []
        self._arena_span = (0, 0)
        try:
            self._execute(frame, answer)
        except ProtocolError:
            raise
        except BaseException as error:  # a framework may raise SystemExit, too
            kind = classify(error, self._texts.files, self._adapter.classify)
            answer["error"] = report(error, kind, _STAGES[self._stage])
        self._decoder.tensors = []
        self._decoder.variables = {}
        self._encoder.leaves = []
        self._restore(frame)
        answer["modified"] = self._modified
        first, last = self._arena_span
        self._collector.after_case(last - first + self._outputs.stored)
        return answer

    def _execute(self, frame: Frame, answer: Frame) -> None:
        program = frame["program"]
        decoder = self._decoder
        inputs, marked = self._inputs(frame["tensors"])
        decoder.tensors = inputs
        decoder.variables = {}
        for index in program.get("clone", ()):
            inputs[index] = self._adapter.clone(inputs[index])
        started = perf_counter()
        try:
            self._steps(program["steps"])
            values = [self._fetched(item) for item in program["fetch"]]
        finally:
            answer["t"].append(perf_counter() - started)
        # The outputs are stored before the backward call, which may write to them.
        self._enter(FETCH)
        result = self._encoder.encode(values[0] if len(values) == 1 else values)
        answer["result"] = result
        if marked and program.get("backward"):
            self._differentiate(frame, answer, marked)

    def _inputs(self, tensors: List[Json]) -> Tuple[List[Any], List[Any]]:
        adapter, arena = self._adapter, self._arena
        if tensors:
            end = max([_end(tensor) for tensor in tensors])
            arena.check(end)
            self._arena_span = (min([tensor[0] for tensor in tensors]), end)
        inputs = []
        marked = []
        for offset, dtype, shape, wants_grad, *strides in tensors:
            tensor = adapter.from_buffer(
                arena.buffer, offset, dtype, shape, strides[0] if strides else None
            )
            if wants_grad:
                adapter.wants_grad(tensor)
                marked.append(tensor)
            inputs.append(tensor)
        return inputs, marked

    def _steps(self, steps: List[Json]) -> None:
        variables = self._decoder.variables
        for step in steps:
            if "call" in step:
                value = self._call(step)
            elif "eval" in step:
                value = self._eval(step["eval"], step)
            elif "method" in step:
                value = self._method(step)
            elif "value" in step:
                value = self._decoder.decode(step["value"])
            elif "check" in step:
                variables["result"] = self._eval(step["check"], step)
                continue
            else:
                raise ProtocolError(f"a step of no known kind: {step}")
            to = step.get("to")
            if to is not None:
                variables[to] = value

    def _call(self, step: Json) -> Any:
        thing = self._resolver.resolve(step["call"])
        args, kwargs = self._arguments(step)
        return _apply(thing, args, kwargs)

    def _method(self, step: Json) -> Any:
        args, kwargs = self._arguments(step)
        if not args:
            raise ProtocolError("a method step without an argument")
        return _apply(self._resolver.method(args[0], step["method"]), args, kwargs)

    def _arguments(self, step: Json) -> Tuple[List[Any], Dict[str, Any]]:
        decode = self._decoder.decode
        args = [decode(value) for value in step.get("args", ())]
        kwargs = step.get("kwargs")
        return args, {name: decode(v) for name, v in kwargs.items()} if kwargs else {}

    def _eval(self, text: str, step: Json) -> Any:
        decode = self._decoder.decode
        names = dict(self._decoder.variables)
        for name, value in step.get("names", {}).items():
            names[name] = decode(value)
        return self._texts.run(text, names)

    def _fetched(self, item: Json) -> Any:
        if type(item) is dict:
            return self._decoder.tensors[item["tensor"]]
        return self._decoder.decode({"$": "name", "n": item})

    def _differentiate(self, frame: Frame, answer: Frame, marked: List[Any]) -> None:
        self._enter(BACKWARD)
        adapter, encoder = self._adapter, self._encoder
        leaves = [leaf for leaf in encoder.leaves if leaf[0] in POOL_SECTIONS]
        chosen = [adapter.is_tensor(t) and adapter.is_differentiable(t) for _, _, t in leaves]
        gradients: List[Any] = [None] * len(marked)
        if any(chosen):
            upstream = self._upstream(frame["pool"], leaves)
            outputs = [leaf[2] for leaf, yes in zip(leaves, chosen) if yes]
            given = [gradient for gradient, yes in zip(upstream, chosen) if yes]
            started = perf_counter()
            try:
                gradients = adapter.gradients(outputs, marked, given)
            finally:
                answer["t"].append(perf_counter() - started)
        self._enter(FETCH)
        answer["grads"] = [
            None if gradient is None else self._dense(gradient) for gradient in gradients
        ]

    def _dense(self, gradient: Any) -> Json:
        leaf = self._encoder.tensor(gradient, self._adapter)
        if leaf is not None and leaf["$"] != "out":
            raise TypeError(f"a gradient has no form in the protocol: {leaf}")
        return leaf

    def _upstream(self, start: int, leaves: List[Leaf]) -> List[Any]:
        """Upstream gradients of all outputs of a differentiable dtype, also of those that this
        framework does not differentiate: where another one does, both read the same elements."""
        counts = [_count(shape) for _, shape, _ in leaves]
        places: Dict[str, int] = {}  # elements of each dtype, then where its next slice starts
        for (dtype, _, _), count in zip(leaves, counts):
            places[dtype] = places.get(dtype, 0) + count
        for dtype, total in places.items():
            places[dtype] = self._pool.reserve(dtype, start, total)
        upstream = []
        for (dtype, shape, _), count in zip(leaves, counts):
            memory, offset = self._pool.buffer(dtype), places[dtype]
            places[dtype] = offset + count * SIZES[dtype]
            upstream.append(self._adapter.from_buffer(memory, offset, dtype, shape, None))
        return upstream

    def _enter(self, stage: int) -> None:
        self._stage = stage
        self._outputs.stage(stage)

    def _restore(self, frame: Frame) -> None:
        """Undoes what the call wrote to its inputs and to its upstream gradients."""
        first, end = self._arena_span
        arena = self._arena
        if end and arena.was_written(first, end):
            cloned = frame["program"].get("clone", ())
            for index, tensor in enumerate(frame["tensors"]):
                if index in cloned or index in self._modified:
                    continue
                if arena.differs(tensor[0], _end(tensor)):
                    self._modified.append(index)
            arena.restore(first, end)
        self._pool.restore()


def _apply(thing: Any, args: List[Any], kwargs: Dict[str, Any]) -> Any:
    if callable(thing):
        return thing(*args, **kwargs)
    if len(args) == 1 and not kwargs and hasattr(type(thing), "__get__"):
        return thing.__get__(args[0], type(args[0]))
    if args or kwargs:
        raise TypeError(f"{thing!r} is not callable")
    return thing


def _count(shape: Any) -> int:
    count = 1
    for length in shape:
        count *= length
    return count


def _end(tensor: Json) -> int:
    """The byte behind a tensor's last."""
    offset, dtype, shape, _, *strides = tensor
    count = _count(shape)
    if strides and count:
        count = 1 + sum([(n - 1) * stride for n, stride in zip(shape, strides[0])])
    return offset + count * SIZES[dtype]
