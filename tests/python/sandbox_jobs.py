"""Jobs that the sandbox's tests have done: two networks, and a wire between them."""

import os
import select
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

from hopwright import _core
from hopwright._io.data import Json, Object
from hopwright._io.errors import InputError
from hopwright.emulation.sandbox import Job
from hopwright.emulation.sandbox.command import Io

NAMES = {"near": "10.0.0.1", "far": "10.0.0.2"}


KEPT: list[_core.Namespace] = []


def carry(one: int, other: int) -> None:
    """Carries packets between two devices, for ever."""
    poll = select.poll()
    to = {one: other, other: one}
    for device in to:
        poll.register(device, select.POLLIN)
    while True:
        for device, _ in poll.poll():
            with suppress(BlockingIOError):
                while True:
                    packet = os.read(device, 65536)
                    with suppress(OSError):  # no room: it is lost
                        os.write(to[device], packet)


def networks(job: Job) -> list[_core.Namespace]:
    """Near and far, linked."""
    made = [_core.Namespace("hw0", f"{address}/24", proc=job.proc) for address in NAMES.values()]
    KEPT.extend(made)  # the wire has their devices until all ends
    devices = [namespace.device_descriptor() for namespace in made]
    threading.Thread(target=carry, args=devices, daemon=True).start()
    return made


def one_command(job: Job, data: Json) -> int:
    """Runs `command` near; `beside` runs far meanwhile."""
    assert isinstance(data, dict)
    near, far = networks(job)
    beside = words(data, "beside")
    if beside:
        job.start(beside, far.descriptor())
    privileged = data.get("privileged") is True
    return job.run(words(data, "command"), near.descriptor(), privileged=privileged)


def served(job: Job, data: Json) -> int:
    """Serves a folder far and fetches from it near."""
    assert isinstance(data, dict)
    near, far = networks(job)
    server = job.start(
        [sys.executable, "-m", "http.server", "8000", "--directory", str(data["folder"])],
        far.descriptor(),
        io=Io(stderr=os.open(os.devnull, os.O_WRONLY)),
    )
    code = 1
    for _ in range(100):
        code = job.run(words(data, "command"), near.descriptor())
        if code == 0:
            break
        time.sleep(0.05)
    server.send(15)
    return code if server.wait(5) == 143 else 99


POUR = [
    sys.executable,
    "-c",
    """
import shutil, socket, sys, threading
if sys.argv[1:]:
    listening = socket.create_server((sys.argv[1], 9000))
    end, _ = listening.accept()
else:
    end = socket.create_connection(("far", 9000))
def send():
    end.sendall(sys.stdin.buffer.read())
    end.shutdown(socket.SHUT_WR)
threading.Thread(target=send).start()
shutil.copyfileobj(end.makefile("rb"), sys.stdout.buffer)
""",
]
"""Both directions at once: nc may end before it has read all (openbsd-netcat 1.219, with -N)."""


def poured(job: Job, data: Json) -> int:
    """Sends a file each way at once with `nc`, into two others."""
    assert isinstance(data, dict)
    near, far = networks(job)
    folder = Path(str(data["folder"]))

    def files(sent: str, received: str) -> Io:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        return Io(
            stdin=os.open(folder / sent, os.O_RDONLY), stdout=os.open(folder / received, flags)
        )

    listener = job.start([*POUR, "far"], far.descriptor(), io=files("two", "one-there"))
    table = Path(f"{job.proc}/{far.thread_id()}/net/tcp")
    for _ in range(200):
        if ":2328 " in table.read_text():  # port 9000
            break
        time.sleep(0.01)
    caller = job.start([*POUR], near.descriptor(), io=files("one", "two-here"))
    job.wait(listener, caller)
    return max(listener.end(), caller.end())


def wrong(_job: Job, _data: Json) -> int:
    """Finds its input wrong."""
    raise InputError("this is wrong")


def seen(job: Job, _data: Json) -> int:
    """Says which thread others may enter, and waits until it is stopped."""
    near, _far = networks(job)
    print(near.thread_id(), flush=True)
    job.stopping.wait()
    return 0


def stubborn(job: Job, data: Json) -> int:
    """Has a command that wants neither to be interrupted nor to end, with less patience."""
    assert isinstance(data, dict)
    near, _far = networks(job)
    command = job.start(words(data, "command"), near.descriptor())
    job.wait(command)
    return command.end(grace_s=0.2)


def words(data: Object, key: str) -> list[str]:
    """A list of words."""
    found = data.get(key) or []
    assert isinstance(found, list)
    return [str(word) for word in found]
