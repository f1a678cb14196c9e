"""Names of hosts that are known inside: an /etc/hosts of this mount namespace.

Spec      hosts(5); mount(2), MS_BIND
Deviates  nothing
Holds     the file is in memory and has no path; it goes with the mount namespace
"""

import os
from collections.abc import Mapping
from pathlib import Path

from hopwright import _core

HOSTS = Path("/etc/hosts")

PLACE = Path("/etc")
"""Where the memory is mounted for a moment: a folder that is sure to be there."""


def lay(names: Mapping[str, str]) -> None:
    """Lays a file over /etc/hosts that has these names, and their addresses, before its own lines.

    Raises `OSError`.
    """
    ours = "".join(f"{address} {name}\n" for name, address in names.items())
    text = ours + HOSTS.read_text(errors="surrogateescape")
    hosts = os.open(HOSTS, os.O_PATH | os.O_CLOEXEC)
    try:
        _core.mount_new("tmpfs", PLACE)
        try:
            file = PLACE / "hosts"
            file.write_text(text, errors="surrogateescape")
            file.chmod(0o644)
            _core.mount_over(file, f"/proc/self/fd/{hosts}")
        finally:
            _core.unmount(PLACE)
    finally:
        os.close(hosts)
