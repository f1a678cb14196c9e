"""The middle process: makes the namespaces, starts process 1 in them, and waits for it.

Spec      user_namespaces(7), pid_namespaces(7), mount_namespaces(7)
Deviates  nothing
Holds     it has one thread, as unshare(2) wants it for user namespaces; it ends with its parent
"""

import json
import os
import signal
import sys
from pathlib import Path

from hopwright import _core
from hopwright._io.outcome import outcome
from hopwright.emulation.sandbox import needs, waiting
from hopwright.emulation.sandbox.job import Order, do

KINDS = ["mount", "pid", "network", "ipc"]
"""Network: so that nothing here speaks to the machine's, whatever goes wrong."""


def main() -> int:
    """Returns the exit code of process 1."""
    waiting.block()  # as whoever starts us did
    parent = os.getppid()
    _core.die_with_parent()
    try:
        with os.fdopen(int(sys.argv[1])) as pipe:
            text = pipe.readline()
            # The parent may have been killed before getppid() above, which then names another
            # process. Its end of the pipe is closed then.
            if not text.endswith("\n") or _is_closed(pipe.fileno()):
                return 1
        order = Order(**json.loads(text), uid=os.getuid(), gid=os.getgid())
        _separate()
        _core.die_with_parent()  # new credentials make the kernel forget
        _core.make_mounts_private()
    except Exception as error:  # noqa: BLE001 - one message, as on the command line
        return _report(error)
    if os.getppid() != parent:
        return 1
    lifeline, held = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(held)
        _be_first(order, lifeline)
    os.close(lifeline)
    return waiting.wait_for(child, parent=parent)


def _be_first(order: Order, lifeline: int) -> None:
    """Never returns."""
    code = 1
    try:
        _core.die_with_parent()
        # Was the parent killed before the line above? A pipe tells; getppid() is 0 either way.
        if not _is_closed(lifeline):
            code = do(order)
        sys.stdout.flush()
    except BaseException as error:  # noqa: BLE001 - one message, as on the command line
        code = _report(error)
    finally:
        os._exit(code)


def _is_closed(lifeline: int) -> bool:
    """Whether whoever holds the other end of an empty pipe is gone."""
    os.set_blocking(lifeline, False)
    try:
        return os.read(lifeline, 1) == b""
    except BlockingIOError:
        return False


def _report(error: BaseException) -> int:
    if isinstance(error, SystemExit):
        return error.code if isinstance(error.code, int) else int(error.code is not None)
    code, message = outcome(error)
    if message:
        print(message, file=sys.stderr, flush=True)
    return code


def _separate() -> None:
    """Goes into namespaces; raises `LackingError` with all that is lacking."""
    reasons = [lack for lack in [needs.tun_lack()] if lack]
    is_root = os.geteuid() == 0
    maps = _maps_of_root() if is_root else {}
    uid, gid, writer = os.geteuid(), os.getegid(), _Writer(maps) if maps else None
    try:
        _core.unshare(["user", *KINDS])
    except OSError as error:
        if writer:
            writer.dismiss()
        plain: OSError | None = None
        if is_root:
            try:
                _core.unshare(KINDS)
            except OSError as refused:
                plain = refused
        if not is_root or plain:
            reasons.append(needs.namespace_lack(error, plain))
    else:
        if writer is None or not writer.write():
            Path("/proc/self/setgroups").write_text("deny")
            Path("/proc/self/uid_map").write_text(f"0 {uid} 1")
            Path("/proc/self/gid_map").write_text(f"0 {gid} 1")
    if reasons:
        raise needs.lacking(reasons)


def _maps_of_root() -> dict[str, str]:
    """Everybody stays who he is, so that files of others keep their owners."""
    lines = {kind: Path(f"/proc/self/{kind}").read_text().splitlines() for kind in MAPS}
    return {
        kind: "\n".join(
            f"{first} {first} {count}" for first, _, count in map(str.split, lines[kind])
        )
        for kind in MAPS
    }


MAPS = ("uid_map", "gid_map")


class _Writer:
    """A process outside that writes the maps: more than its own user only a process there may."""

    def __init__(self, maps: dict[str, str]) -> None:
        """Starts it, while this process is still outside itself."""
        go, self._go = os.pipe()
        target = os.getpid()
        self._pid = os.fork()
        if self._pid:
            os.close(go)
            return
        code = 1
        try:
            _core.die_with_parent()
            os.close(self._go)
            if os.read(go, 1):
                for kind, text in maps.items():
                    Path(f"/proc/{target}/{kind}").write_text(text)
                code = 0
        finally:
            os._exit(code)

    def write(self) -> bool:
        """Whether the maps are written."""
        os.write(self._go, b"!")
        return self._end()

    def dismiss(self) -> None:
        """There is nothing to write."""
        self._end()

    def _end(self) -> bool:
        os.close(self._go)
        return os.waitpid(self._pid, 0)[1] == 0


if __name__ == "__main__":
    code = main()
    signal.pthread_sigmask(signal.SIG_SETMASK, [])
    sys.stdout.flush()
    os._exit(code)
