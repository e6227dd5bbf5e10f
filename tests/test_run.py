# SPDX-License-Identifier: Apache-2.0
"""A run as a process: signals, what it leaves behind, determinism, exit codes, output."""

import json
import os
import shlex
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from places import ROOT

CATALOG = ROOT / "tests" / "liar" / "catalog"


def environment_of(home: Path) -> dict[str, str]:
    return {"OPALIGN_HOME": str(home), "PATH": "/usr/bin:/bin", "HOME": str(home)}


def command(opalign: Path, *arguments: str | Path) -> list[str | Path]:
    return [
        opalign,
        "run",
        "--target",
        "liar",
        "--reference",
        "truth",
        "--catalog",
        CATALOG,
        *arguments,
    ]


def run(opalign: Path, home: Path, *arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(opalign, *arguments),
        env=environment_of(home),
        capture_output=True,
        text=True,
        check=False,
    )


def records(opalign: Path, run: Path) -> list[dict[str, str]]:
    done = subprocess.run(
        [opalign, "export", run, "--format", "jsonl"], capture_output=True, text=True, check=True
    )
    return [json.loads(line) for line in done.stdout.splitlines()]


def has_records(opalign: Path, run: Path) -> bool:
    """Also while the run is only being created."""
    done = subprocess.run(
        [opalign, "export", run, "--format", "jsonl"], capture_output=True, text=True, check=False
    )
    return done.returncode == 0 and done.stdout != ""


def processes_mentioning(text: str) -> list[str]:
    found = []
    for folder in Path("/proc").iterdir():
        try:
            line = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
        except OSError:
            continue
        if text in line and folder.name != str(os.getpid()):
            found.append(line)
    return found


def wait_until(condition: Callable[[], object], seconds: float = 20) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return bool(condition())


def hanging_run(opalign: Path, home: Path, out: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        command(
            opalign,
            "--out",
            out,
            "--timeout",
            "600",
            "--case",
            'liar.identity(Tensor([2],"float32"), )',
            "--case",
            'liar.hang_native(Tensor([3],"float32"), )',
        ),
        env=environment_of(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    # The head of the identity's record is enough: by then the other case hangs.
    assert wait_until(lambda: has_records(opalign, out))
    time.sleep(0.3)
    return process


def test_kill_leaves_nothing(opalign: Path, home: Path, tmp_path: Path) -> None:
    shared_before = set(os.listdir("/dev/shm"))
    process = hanging_run(opalign, home, tmp_path / "run")
    assert processes_mentioning(str(ROOT / "tests" / "liar" / "liar.py"))
    process.kill()
    process.communicate()
    assert wait_until(lambda: not processes_mentioning(str(ROOT / "tests" / "liar")), 5)
    assert set(os.listdir("/dev/shm")) <= shared_before
    assert [r["verdict"] for r in records(opalign, tmp_path / "run")] == ["pass"]


def test_interrupt_ends_in_order(opalign: Path, home: Path, tmp_path: Path) -> None:
    process = hanging_run(opalign, home, tmp_path / "run")
    process.send_signal(signal.SIGINT)
    output, _ = process.communicate(timeout=20)
    assert process.returncode == 130
    assert "interrupted" in output
    assert output.splitlines()[0] == output.splitlines()[-1] == f"run: {tmp_path / 'run'}"
    assert not processes_mentioning(str(ROOT / "tests" / "liar"))


def test_an_interrupt_is_heard_where_no_case_runs(
    opalign: Path, home: Path, tmp_path: Path
) -> None:
    with subprocess.Popen(["yes", "liar.identity("], stdout=subprocess.PIPE) as cases:
        process = subprocess.Popen(
            command(opalign, "-", "--out", tmp_path / "run"),
            env=environment_of(home),
            stdin=cases.stdout,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        try:
            assert wait_until(lambda: has_records(opalign, tmp_path / "run"))
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=20)
        finally:
            process.kill()
            cases.kill()
    assert process.returncode == 130


@pytest.mark.parametrize("killed", ["forkserver", "worker"])
def test_outside_kill_harms_no_case(
    opalign: Path,
    home: Path,
    tmp_path: Path,
    killed: str,
) -> None:
    """Whoever kills a forkserver or a worker from outside costs time, never a case."""
    suite = tmp_path / "suite.txt"
    suite.write_text("".join(f'liar.slow(Tensor([{n}],"float32"), )\n' for n in range(1, 61)))
    process = subprocess.Popen(
        command(opalign, "--out", tmp_path / "run", suite),
        env=environment_of(home),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert wait_until(lambda: has_records(opalign, tmp_path / "run"))
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    victim = children[0]
    if killed == "worker":
        victim = Path(f"/proc/{victim}/task/{victim}/children").read_text().split()[0]
    os.kill(int(victim), signal.SIGKILL)
    output, errors = process.communicate(timeout=60)
    assert process.returncode == 0, output + errors
    results = records(opalign, tmp_path / "run")
    assert len(results) == 60
    assert {r["verdict"] for r in results} == {"pass"}


def test_same_seed_same_records(opalign: Path, home: Path, tmp_path: Path) -> None:
    suite = tmp_path / "suite.txt"
    names = ["identity", "wrong_value", "nan", "wrong_gradient"]
    suite.write_text(
        "".join(f'liar.{names[n % 4]}(Tensor([{n + 1}],"float32"), )\n' for n in range(40))
    )
    seen = []
    for slots in ("1", "3"):
        out = tmp_path / f"run{slots}"
        run(opalign, home, "--out", out, "--slots", slots, "--seed", "7", suite)
        seen.append([(r["case"], r["verdict"], r["message"]) for r in records(opalign, out)])
    assert len(seen[0]) == 40
    assert seen[0] == seen[1]


@pytest.mark.slow
def test_opalign_stays_small_beside_large_tensors(
    opalign: Path, home: Path, tmp_path: Path
) -> None:
    cases = [
        'liar.identity(Tensor([67108864], "int32"))',
        'liar.slow(Tensor([2], "float32"), 1)',  # so that the last look comes after the other
    ]
    arguments = [word for case in cases for word in ("--case", case)]
    arguments += ["--slots", "1", "--timeout", "100", "--out", str(tmp_path / "run")]
    process = subprocess.Popen(
        command(opalign, *arguments), env=environment_of(home), stderr=subprocess.DEVNULL
    )
    most = 0
    while process.poll() is None:
        status = Path(f"/proc/{process.pid}/status").read_text()
        peaks = [int(line.split()[1]) for line in status.splitlines() if "VmHWM" in line]
        most = max([most, *peaks])  # none once it has ended
        time.sleep(0.05)
    verdicts = [record["verdict"] for record in records(opalign, tmp_path / "run")]
    assert sorted(verdicts) == ["pass", "pass"]
    assert most < 350 << 10  # KiB


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["--case", 'liar.identity(Tensor([2],"float32"), )'], 0, "pass"),
        (["--case", 'liar.nan(Tensor([2],"float32"), )'], 1, "differs"),
        (["--fail-on", "crash", "--case", 'liar.nan(Tensor([2],"float32"), )'], 0, "differs"),
        (
            [
                "--fail-on",
                "crash,vacuous",
                "--case",
                'liar.add(Tensor([0],"float32"), Tensor([0],"float32"), )',
            ],
            1,
            "--verdict crash,vacuous",
        ),
        (
            [
                "--fail-on",
                "pass",
                "--fail-on",
                "failures",
                "--case",
                'liar.nan(Tensor([2],"float32"), )',
            ],
            1,
            "--verdict pass,failures",
        ),
        (["--fail-on", "difers", "--case", "x.y()"], 2, 'did you mean "differs"?'),
        ([], 2, "nothing to run"),
        (["no/such/file.txt"], 2, "no/such/file.txt"),
        (["--policy", "strange", "--case", "x.y()"], 2, "paddleapitest"),
        (["--slots", "0", "--case", "x.y()"], 2, "slots"),
        (["--timeout", "nan", "--case", "x.y()"], 2, "timeout"),
        (["--seed", "-1", "--case", "x.y()"], 2, "seed"),
    ],
)
def test_exit_codes(
    opalign: Path,
    home: Path,
    tmp_path: Path,
    arguments: list[str],
    code: int,
    said: str,
) -> None:
    done = run(opalign, home, "--out", tmp_path / "run", *arguments)
    assert done.returncode == code, done.stdout + done.stderr
    assert said in done.stdout + done.stderr


def test_a_slow_pipe_is_judged_as_it_comes(opalign: Path, home: Path, tmp_path: Path) -> None:
    process = subprocess.Popen(
        command(opalign, "--out", tmp_path / "run", "-"),
        env=environment_of(home),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    process.stdin.write('liar.identity(Tensor([2],"float32"), )\n')
    process.stdin.flush()
    assert wait_until(lambda: has_records(opalign, tmp_path / "run"))
    process.stdin.write('liar.identity(Tensor([3],"float32"), )\n')
    process.communicate(timeout=20)
    assert [r["verdict"] for r in records(opalign, tmp_path / "run")] == ["pass", "pass"]


def test_a_broken_file_costs_itself_only(opalign: Path, home: Path, tmp_path: Path) -> None:
    suites = tmp_path / "suites"
    suites.mkdir()
    (suites / "a.txt").symlink_to("nowhere")
    (suites / "b.txt.gz").write_bytes(b"\x1f\x8b\x08\0garbage")
    (suites / "c.txt").write_text('liar.identity(Tensor([3],"float32"), )\n')
    done = run(opalign, home, "--out", tmp_path / "run", suites)
    assert done.returncode == 2
    assert "a.txt: cannot be read: No such file" in done.stderr
    assert "b.txt.gz: cannot be read further" in done.stderr
    assert [r["verdict"] for r in records(opalign, tmp_path / "run")] == ["pass"]


def test_a_full_disk_behind_standard_output_is_told(opalign: Path) -> None:
    with open("/dev/full", "w") as full:
        done = subprocess.run(
            [opalign, "verdicts"], stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 2
    assert "No space left" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("room_comes", [True, False])
def test_a_full_disk_loses_nothing(
    opalign: Path, home: Path, tmp_path: Path, room_comes: bool
) -> None:
    """A disk of 256 KiB in a mount namespace of its own, of which 170 are free."""
    inside = ["unshare", "--map-root-user", "--mount", "sh", "-c"]
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = f"mount -t tmpfs -o size=256k none {disk}"
    if subprocess.run([*inside, mount], capture_output=True, check=False).returncode != 0:
        pytest.skip("mounting is not allowed here")
    suite = tmp_path / "suite.txt"
    lines = [f'liar.wrong_value(Tensor([{n}],"float32"), )\n' for n in range(1, 401)]
    suite.write_text("".join(lines))
    run = shlex.join(str(word) for word in command(opalign, "--out", disk / "run", suite))
    more = f"mount -o remount,size=64m {disk}"
    script = f"{mount}; head -c 88000 /dev/zero > {disk}/other; "
    if room_comes:
        script += f"(sleep 4; {more}) & (cat {suite}; sleep 6) | {run[: -len(str(suite))]} -"
    else:
        script += f"{run}; echo first $?; {more}; {run} --resume"
    script += f"; echo last $?; cp {disk}/run/run.db {tmp_path}"
    done = subprocess.run(
        [*inside, script], env=environment_of(home), capture_output=True, text=True, check=False
    )
    assert "free some space" in done.stderr, done.stdout + done.stderr
    assert "last 1" in done.stdout, done.stdout + done.stderr
    assert ("first 2" in done.stdout) != room_comes
    assert sorted(r["case"] + "\n" for r in records(opalign, tmp_path)) == sorted(lines)


def test_a_folder_that_cannot_be_written(opalign: Path, home: Path) -> None:
    done = run(
        opalign, home, "--out", "/proc/run", "--case", 'liar.identity(Tensor([2],"float32"), )'
    )
    assert done.returncode == 2
    assert "/proc/run" in done.stderr
    assert "hint" in done.stderr


def test_a_second_interrupt_kills(opalign: Path, home: Path, tmp_path: Path) -> None:
    process = hanging_run(opalign, home, tmp_path / "run")
    process.send_signal(signal.SIGINT)
    time.sleep(0.2)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=1.5)  # the grace of the first is two seconds
    assert process.returncode == -signal.SIGINT
    assert wait_until(lambda: not processes_mentioning(str(ROOT / "tests" / "liar")), 5)
    assert [r["verdict"] for r in records(opalign, tmp_path / "run")] == ["pass"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["ruun"], 'did you mean "run"?'),
        (["run", "--targt", "x"], 'did you mean "--target"?'),
        (["env", "ad"], 'did you mean "add"?'),
        (["cases"], "opalign cases --help"),
    ],
)
def test_a_wrong_command_line_is_explained(opalign: Path, arguments: list[str], said: str) -> None:
    done = subprocess.run([opalign, *arguments], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert done.stderr.startswith("opalign: error: ")
    assert said in done.stderr


def test_summary(opalign: Path, home: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        command(
            opalign,
            "--summary",
            tmp_path / "summary.json",
            "--case",
            'liar.identity(Tensor([2],"float32"), )',
            "--case",
            'liar.nan(Tensor([2],"float32"), )',
        ),
        env=environment_of(home),
        capture_output=True,
        text=True,
        check=False,
        cwd=tmp_path,
    )
    summary = json.loads((tmp_path / "summary.json").read_text())
    assert summary["cases"] == 2
    assert summary["verdicts"] == {"pass": 1, "differs": 1}
    assert set(summary) == {"cases", "verdicts", "known", "wall_s", "cases_per_s", "busy"}
    # Without --out a new directory here, named first and last.
    lines = done.stdout.splitlines()
    assert lines[0] == lines[-1]
    assert (tmp_path / lines[0].removeprefix("run: ") / "run.db").is_file()
