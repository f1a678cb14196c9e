"""A world of its own for a test: networks, mounts and processes in which nobody else acts.

What a program leaves behind in it is seen exactly, whatever runs beside the test.
"""

import contextlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import hopwright

TESTS = Path(__file__).parent
SANDBOXED = TESTS / "sandboxed.py"

INIT = (
    "import signal, sys; signal.signal(signal.SIGCHLD, signal.SIG_IGN);"
    "print('ready', flush=True); sys.stdin.read()"
)
"""Process 1 of a world reaps, and ends with the test."""

OWN_RUN = 'umount -lR /run/netns 2>&-; mount -t tmpfs none /run && exec "$@"'
"""Names of network namespaces are files and mounts there, which others remove beside a test."""

LOOK = r"""
import json, os, subprocess
def out(*words): return subprocess.run(words, capture_output=True, text=True, check=True).stdout
own = {"self", "thread-self", str(os.getpid())}
pids = [p for p in os.listdir("/proc") if p.isdigit() and p not in own]
spaces, commands = set(), []
for pid in pids:
    try:
        commands.append(open(f"/proc/{pid}/cmdline").read())
        for task in os.listdir(f"/proc/{pid}/task"):
            for kind in os.listdir(f"/proc/{pid}/task/{task}/ns"):
                spaces.add(os.readlink(f"/proc/{pid}/task/{task}/ns/{kind}"))
    except OSError:
        commands.append("ended")
print(json.dumps({
    "commands": sorted(commands), "namespaces": sorted(spaces), "rules": out("ip", "rule"),
    "netns": out("ip", "netns", "list"), "links": out("ip", "-o", "link"),
    "addresses": out("ip", "-o", "addr"), "routes": out("ip", "route", "show", "table", "all"),
    "mounts": open("/proc/self/mountinfo").read(),
}))
"""


def missing() -> str | None:
    """Why there can be no world here; None if there can."""
    if os.geteuid() != 0:
        return "not root: no worlds of their own for tests"
    if not os.access("/dev/net/tun", os.R_OK | os.W_OK):
        return "there is no readable /dev/net/tun"
    for word in ("ip", "unshare", "nsenter", "setpriv"):
        if shutil.which(word) is None:
            return f"{word} is not installed (Debian: iproute2, util-linux)"
    if subprocess.run(["unshare", "-n", "-m", "true"], capture_output=True, check=False).returncode:
        return "namespaces are not allowed here"
    return None


@dataclass
class World:
    """See the file's head."""

    init: int
    folder: Path
    python: str = sys.executable
    """The interpreter of sandboxes."""

    def enter(self, *words: str | Path) -> list[str]:
        """A command that runs in this world."""
        return ["nsenter", "-t", str(self.init), "-n", "-m", "-p", *map(str, words)]

    def environment(self) -> dict[str, str]:
        """Files that a program leaves are in the world's folder, and jobs are found."""
        path = os.pathsep.join([str(TESTS), str(Path(hopwright.__file__).parents[1])])
        return {**os.environ, "TMPDIR": str(self.folder), "PYTHONPATH": path}

    def start(
        self, job: str, through: Sequence[str] = (), **data: object
    ) -> "subprocess.Popen[str]":
        """Starts a sandbox with a job, by another command if told."""
        return subprocess.Popen(
            self.enter(*through, self.python, SANDBOXED, job, json.dumps(data)),
            cwd=self.folder,
            env=self.environment(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def run(self, job: str, through: Sequence[str] = (), **data: object) -> tuple[int, str, str]:
        """Runs it to its end: exit code, standard output, standard error."""
        with self.start(job, through, **data) as process:
            out, err = process.communicate(timeout=60)
        return process.returncode, out, err

    def look(self) -> dict[str, object]:
        """All there is."""
        words = self.enter(sys.executable, "-I", "-c", LOOK)
        shown = subprocess.run(words, check=True, stdout=subprocess.PIPE, text=True).stdout
        seen: dict[str, object] = json.loads(shown)
        return {**seen, "files": sorted(map(str, self.folder.rglob("*")))}

    @contextlib.contextmanager
    def unchanged(self) -> Iterator[None]:
        """What is done within leaves nothing; the kernel may take a moment."""
        before = self.look()
        yield
        patience_s = time.monotonic() + 20
        while (after := self.look()) != before and time.monotonic() < patience_s:
            time.sleep(0.05)
        left = {key: (before[key], after[key]) for key in before if before[key] != after[key]}
        assert not left, f"before and after: {left}"


def child_of(process: "subprocess.Popen[str]") -> int:
    """The process that `nsenter` started in the world."""
    file = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    for _ in range(200):
        children = file.read_text().split()
        if children:
            return int(children[0])
        time.sleep(0.01)
    raise AssertionError("nothing was started")


@contextlib.contextmanager
def world(folder: Path) -> Iterator[World]:
    """Makes one and takes it down."""
    flags = ("-n", "-m", "-p", "--fork", "--mount-proc", "--kill-child")
    with subprocess.Popen(
        ["unshare", *flags, "sh", "-c", OWN_RUN, "-", sys.executable, "-I", "-c", INIT],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdin is not None
        assert holder.stdout.readline() == "ready\n"
        try:
            yield World(child_of(holder), folder)
        finally:
            holder.stdin.close()
