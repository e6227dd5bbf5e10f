# SPDX-License-Identifier: Apache-2.0
"""Kills a run, its forkservers or its workers at random moments, resumes it, and looks at what is
left. The tests use it on the lying framework; on real ones it is a command:

    python tests/kills.py build/release/bin/opalign SUITE --target paddle --reference torch
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

VICTIMS = ("opalign", "forkserver", "worker")
_LONGEST_WAIT_S = 0.6


def children(pid: int) -> list[int]:
    try:
        return [int(p) for p in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def candidates(run: int, victim: str) -> list[int]:
    if victim == "opalign":
        return [run]
    workers = {server: children(server) for server in children(run)}
    if victim == "forkserver":  # one that is up: importing again and again brings nothing to light
        return [server for server in workers if workers[server]]
    return [worker for below in workers.values() for worker in below]


def kill_and_resume(
    command: Sequence[str | Path],
    resume: Sequence[str | Path],
    victim: str,
    kills: int,
    environment: dict[str, str] | None = None,
) -> int:
    """Starts `command` (a run), kills `kills` times, goes on with `resume` whenever the run is
    gone, and lets it end. Returns how often it killed: a run may end before."""
    chance = random.Random(victim)
    done = 0
    command = list(command)
    while True:
        process = subprocess.Popen(
            command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True
        )
        # A run that has no run.db yet cannot be resumed.
        started = time.monotonic()
        while done < kills and process.poll() is None:
            time.sleep(chance.uniform(0, _LONGEST_WAIT_S))
            alive = candidates(process.pid, victim)
            if not alive or time.monotonic() - started < 0.3:
                continue
            try:
                os.kill(chance.choice(alive), signal.SIGKILL)
            except ProcessLookupError:
                continue
            done += 1
        errors = process.communicate()[1]
        if process.returncode in (0, 1):
            return done
        if process.returncode != -signal.SIGKILL:
            raise AssertionError(f"ended with {process.returncode}: {errors}")
        command = list(resume)


def main() -> None:
    opalign, *arguments = sys.argv[1:]
    for victim in VICTIMS:
        with tempfile.TemporaryDirectory() as folder:
            out = f"{folder}/run"
            command = [opalign, "run", *arguments, "--out", out]
            started = time.monotonic()
            done = kill_and_resume(command, [*command, "--resume"], victim, 20)
            text = subprocess.check_output([opalign, "export", out, "--format", "jsonl"], text=True)
            print(
                f"{victim}: {done} kills, {len(text.splitlines())} records, "
                f"{time.monotonic() - started:.0f} s, left in the run: {sorted(os.listdir(out))}"
            )


if __name__ == "__main__":
    main()
