"""Real-time scheduling of the loop beside the clock: asked for, refused, and never passed on.

What an outsider sees of the thread is compared with what the program says.
"""

import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

import worlds
from hopwright.emulation.pacing import LIMITS, PRIORITY, Asking, Loop, asking

live = pytest.mark.skipif(bool(worlds.missing()), reason=str(worlds.missing()))

PATIENCE_S = 30

WITHOUT = ("setpriv", "--bounding-set", "-sys_nice,-sys_resource,-ipc_lock", "--")
"""Runs a program that may not be real-time, though root calls it."""

lesser = pytest.mark.skipif(
    os.geteuid() != 0 or shutil.which("setpriv") is None,
    reason="not root, or setpriv is not installed (Debian: util-linux)",
)


def _may_be_realtime() -> bool:
    """Whether this process can have it at all: an outsider's word."""
    if shutil.which("chrt") is None:
        pytest.skip("chrt is not installed (Debian: util-linux)")
    words = ["chrt", "--fifo", str(PRIORITY), "true"]
    return subprocess.run(words, capture_output=True, check=False).returncode == 0


@pytest.fixture
def link(tmp_path: Path) -> Path:
    file = tmp_path / "link.toml"
    file.write_text("delay_ms = 5\n")
    return file


def _sedlane(*words: str | Path) -> list[str]:
    return [sys.executable, "-m", "hopwright", "sedlane", *map(str, words)]


def _relay(link: Path, *words: str, before: Sequence[str] = ()) -> subprocess.Popen[str]:
    relay = _sedlane("relay", link, "--listen", "127.0.0.1:0", "--to", "127.0.0.1:9", "--json")
    process = subprocess.Popen(
        [*before, *relay, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stderr is not None
    assert "datagrams to" in process.stderr.readline()
    return process


def _scheduled(thread: int) -> set[tuple[int, int]]:
    """Policy and priority of a thread; nothing of one that changes just now, or is gone."""
    with suppress(ProcessLookupError):
        before = os.sched_getscheduler(thread)
        priority = os.sched_getparam(thread).sched_priority
        if before == os.sched_getscheduler(thread):
            return {(before & ~os.SCHED_RESET_ON_FORK, priority)}
    return set()


def test_what_the_system_says_is_what_the_summary_says(link: Path) -> None:
    possible = _may_be_realtime()
    with _relay(link, "--realtime") as process:
        try:
            found: set[tuple[int, int]] = set()
            while len(found) < 2 and possible:
                for thread in Path(f"/proc/{process.pid}/task").iterdir():
                    found |= _scheduled(int(thread.name))
        finally:
            process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    scheduling = json.loads(out)["scheduling"]
    if possible:
        assert found == {(os.SCHED_OTHER, 0), (os.SCHED_FIFO, PRIORITY)}, "one thread alone"
        assert scheduling["policy"] == "fifo"
        assert f"scheduling: real-time, priority {PRIORITY}, memory " in said
    else:
        assert scheduling == {"policy": "other", "priority": 0, "memory_locked": False}
        assert "real-time scheduling is refused" in said


@lesser
def test_what_is_refused_is_said_once_and_costs_nothing(link: Path) -> None:
    with _relay(link, "--realtime", "--for", "1", before=WITHOUT) as process:
        out, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, said
    refused = (
        "hopwright: real-time scheduling is refused (Operation not permitted; RLIMIT_RTPRIO or "
        "CAP_SYS_NICE allows it): the program continues without it\n"
    )
    assert said.count(refused) == 1
    assert said.endswith("hopwright: scheduling: as any other program\n")
    none = {"policy": "other", "priority": 0, "memory_locked": False}
    assert json.loads(out)["scheduling"] == none


def test_nothing_is_said_where_nothing_is_asked(link: Path) -> None:
    with _relay(link, "--for", "1") as process:
        out, said = process.communicate(timeout=PATIENCE_S)
    assert json.loads(out)["scheduling"]["policy"] == "other"
    assert "scheduling" not in said


SHOWN = (
    "import os, resource; "
    "print('got', os.sched_getscheduler(0), resource.getrlimit(resource.RLIMIT_RTPRIO), "
    "resource.getrlimit(resource.RLIMIT_MEMLOCK)); "
    "print('open', sorted(os.listdir('/proc/self/fd')))"
)


@live
@pytest.mark.parametrize("without", [(), pytest.param(WITHOUT, marks=lesser)])
def test_programs_behind_a_link_get_none_of_it(without: Sequence[str], link: Path) -> None:
    program = ("--", sys.executable, "-c", SHOWN)
    control = ("--control", f"test-{random.SystemRandom().random()}")
    words = _sedlane("run", link, "--realtime", "--json", *control, *program)
    done = subprocess.run(
        [*without, *words], capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )
    assert done.returncode == 0, done.stderr
    own = [resource.getrlimit(which) for which in LIMITS]
    assert f"got {os.SCHED_OTHER} {own[0]} {own[1]}\n" in done.stdout
    assert "open ['0', '1', '2', '3']\n" in done.stdout, "the last one is the list itself"
    scheduling = json.loads(done.stdout[done.stdout.index("{\n") :])["scheduling"]
    possible = not without and _may_be_realtime()
    assert scheduling["policy"] == ("fifo" if possible else "other"), done.stderr
    assert done.stderr.count("real-time scheduling is refused") == (not possible)


@live
def test_an_emulation_says_it_in_its_summary(tmp_path: Path) -> None:
    (tmp_path / "live.toml").write_text(
        'duration_s = 30\ntopology = { kind = "chain", hops = 1, spacing_m = 200 }\n'
    )
    out = tmp_path / "out"
    words = ["emulate", tmp_path / "live.toml", "--realtime", "--out", out, "--with", "1:sleep 30"]
    ping = ["--at", "0", "--", "ping", "-c", "2", "-i", "0.2", "node-1"]
    done = subprocess.run(
        [sys.executable, "-m", "hopwright", *map(str, [*words, *ping])],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    pace = json.loads((out / "summary.json").read_text())["emulation"]["pace"]
    assert pace["scheduling"]["policy"] == ("fifo" if _may_be_realtime() else "other")
    assert len(re.findall("hopwright: scheduling: ", done.stderr)) == 1


def test_limits_are_given_back() -> None:
    before = [resource.getrlimit(which) for which in LIMITS]
    with asking() as by:
        assert by.limits == before
        assert by.helper is not None
        assert Asking.of_json(by.json(), "/proc") == by
        assert not os.get_inheritable(by.helper)
    assert [resource.getrlimit(which) for which in LIMITS] == before
    assert Asking.of_json(None, "/proc") is None


def test_a_loop_raises_what_its_work_raises() -> None:
    def work(_realtime: bool) -> None:
        raise ValueError("as it is")

    said: list[str] = []
    loop = Loop(work, None, said.append).start()
    assert loop.wait(PATIENCE_S)
    assert loop.is_over
    with pytest.raises(ValueError, match="as it is"):
        loop.result()
    assert (said, loop.said()) == ([], [])
