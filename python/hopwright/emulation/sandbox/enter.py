"""What becomes a command: goes into the network namespace, gives up privileges, executes it.

Called by `command.spawn` as `enter UID:GID COMMAND...` or `enter privileged COMMAND...`, with the
namespace as descriptor 3.

Spec      user_namespaces(7): whoever makes a user namespace may map himself to any number in it
Deviates  nothing
Holds     the command has no capability and cannot get one: not over the network it is in either,
          which belongs to the user namespace outside its own
"""

import os
import signal
import sys
from pathlib import Path

from hopwright import _core
from hopwright.emulation.sandbox.command import NAMESPACE

NOT_FOUND, NOT_EXECUTABLE = 127, 126
"""As shells have it."""


def main() -> int:
    """Returns if the command cannot be executed."""
    identity, *argv = sys.argv[1:]
    _core.enter_network(f"/proc/self/fd/{NAMESPACE}")
    os.close(NAMESPACE)
    if identity == "privileged":
        _core.keep_network_privileges()
    else:
        _become(*map(int, identity.split(":")))
        _core.execute_unprivileged()
    for number in (
        signal.SIGPIPE,
        signal.SIGXFSZ,
    ):  # which Python ignores, and programs do not expect
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(argv[0], argv)  # noqa: S606 - that is what the user wants
    except FileNotFoundError:
        code = NOT_FOUND
        print(f"hopwright: {argv[0]}: no such command", file=sys.stderr)
    except OSError as error:
        code = NOT_EXECUTABLE
        print(f"hopwright: {argv[0]}: {error.strerror}", file=sys.stderr)
    return code


def _become(uid: int, gid: int) -> None:
    """Shows the user's own numbers again, where he is root inside."""
    if (os.getuid(), os.getgid()) == (uid, gid):
        return
    inside_uid, inside_gid = os.getuid(), os.getgid()
    _core.unshare(["user"])
    Path("/proc/self/uid_map").write_text(f"{uid} {inside_uid} 1")
    Path("/proc/self/gid_map").write_text(f"{gid} {inside_gid} 1")


if __name__ == "__main__":
    sys.exit(main())
