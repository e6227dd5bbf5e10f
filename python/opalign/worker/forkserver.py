# SPDX-License-Identifier: Apache-2.0
"""The forkserver: a process that imported the framework once and forks workers from itself. It
starts no thread, so that each fork is a clean copy."""

from __future__ import annotations

import gc
import os
import select
import signal
import socket
import sys
import traceback
from typing import Any

from opalign.worker import process
from opalign.worker.errors import ConnectionClosed
from opalign.worker.frames import ControlChannel, Frame, take
from opalign.worker.names import Resolver
from opalign.worker.texts import Texts
from opalign.worker.worker import Worker

_FAILED = 70  # exit code of a worker whose loop broke


class Forkserver:
    def __init__(
        self, control: ControlChannel, control_fd: int, adapter: Any, texts: Texts
    ) -> None:
        self._control = control
        self._control_fd = control_fd
        self._adapter = adapter
        self._texts = texts
        self._resolver = Resolver(adapter)
        self._workers: dict[int, int] = {}  # pid -> opalign's number
        self._wake, self._wake_write = _wakeup_pair()
        # Where it starts no thread, the first call is made here once and not by each worker: a
        # Paddle worker is ready after 13 ms then and not after 29.
        self._warm = getattr(adapter, "WARM_BEFORE_FORK", False) and process.is_single_threaded()
        if self._warm:
            adapter.warm_up()
            if not process.is_single_threaded():
                raise RuntimeError(f"{adapter.NAME} starts threads in its first call")
        # What the import left behind is shared with all workers and never looked at again.
        gc.freeze()

    def serve(self) -> None:
        """Until opalign hangs up; its workers go with it."""
        try:
            self._loop()
        except ConnectionClosed:
            pass
        self._kill_all()

    def _loop(self) -> None:
        signal.signal(signal.SIGCHLD, lambda _number, _frame: None)
        signal.set_wakeup_fd(self._wake_write.fileno(), warn_on_full_buffer=False)
        poll = select.poll()
        poll.register(self._control_fd, select.POLLIN)
        poll.register(self._wake, select.POLLIN)
        while True:
            ready = {fd for fd, _ in poll.poll()}
            if self._wake.fileno() in ready:
                _drain(self._wake)
            self._reap()
            if self._control_fd in ready and not self._take_frames():
                return

    def _take_frames(self) -> bool:
        while True:
            frame = self._control.receive()
            if frame is None:
                return False
            if frame.get("op") == "fork":
                self._fork(frame)
            if not self._control.has_buffered():
                return True

    def _fork(self, frame: Frame) -> None:
        fds = take(self._control.fds, 3)
        sys.stdout.flush()
        sys.stderr.flush()
        parent = os.getpid()
        try:
            pid = os.fork()
        except OSError:  # too many processes, or no memory for one more: opalign decides
            traceback.print_exc()
            self._report_exit(frame["worker"], _FAILED << 8)
            return
        finally:
            if os.getpid() == parent:
                for fd in fds:
                    os.close(fd)
        if pid == 0:
            self._become_worker(frame, fds, parent)
        self._workers[pid] = frame["worker"]
        self._control.send({"op": "forked", "worker": frame["worker"], "pid": pid})

    def _become_worker(self, frame: Frame, fds: list[int], parent: int) -> None:
        """Never returns: a worker must not run what lies above it on the stack, nor exit
        handlers."""
        code = _FAILED
        try:
            process.die_with_parent()
            if os.getppid() != parent:
                os._exit(code)
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            for fd in (self._control_fd, self._wake.fileno(), self._wake_write.fileno()):
                os.close(fd)
            worker = Worker(self._adapter, self._texts, self._resolver, *fds)
            worker.serve(frame.get("threads", 0), frame.get("memory", 0), self._warm)
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            try:
                sys.stdout.flush()
                sys.stderr.flush()
            finally:
                os._exit(code)

    def _reap(self) -> None:
        for pid in list(self._workers):
            done, status = os.waitpid(pid, os.WNOHANG)
            if done:
                self._report_exit(self._workers.pop(pid), status)

    def _report_exit(self, worker: int, status: int) -> None:
        by_signal = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else 0
        self._control.send({"op": "exited", "worker": worker, "signal": by_signal, "code": code})

    def _kill_all(self) -> None:
        for pid in self._workers:
            os.kill(pid, signal.SIGKILL)
        for pid in self._workers:
            os.waitpid(pid, 0)


def _wakeup_pair() -> tuple[socket.socket, socket.socket]:
    pair = socket.socketpair()
    for end in pair:
        end.setblocking(False)
    return pair


def _drain(sock: socket.socket) -> None:
    try:
        while sock.recv(4096):
            pass
    except BlockingIOError:
        pass


def hello(adapter: Any) -> Frame:
    return {
        "op": "hello",
        "protocol": 1,
        "framework": adapter.NAME,
        "version": adapter.version(),
        "python": "{}.{}.{}".format(*sys.version_info[:3]),
        "device": "cpu",
        "dtypes": adapter.dtypes(),
    }


def failed(error: BaseException) -> Frame:
    text = "".join(traceback.format_exception_only(type(error), error)).strip()
    return {"op": "failed", "message": text.encode("utf-8", "replace").decode("utf-8")}
