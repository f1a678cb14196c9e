"""What this machine lets this user do, and what to do where it does not."""

import errno
import os
from collections.abc import Sequence
from pathlib import Path

from hopwright._io.errors import UnfinishedError

TUN = Path("/dev/net/tun")

SWITCHES = (
    ("/proc/sys/user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=10000"),
    (
        "/proc/sys/kernel/unprivileged_userns_clone",
        "0",
        "sysctl kernel.unprivileged_userns_clone=1",
    ),
    (
        "/proc/sys/kernel/apparmor_restrict_unprivileged_userns",
        "1",
        "sysctl kernel.apparmor_restrict_unprivileged_userns=0",
    ),
)
"""Where systems forbid user namespaces: file, what it holds then, and what allows them."""


class LackingError(UnfinishedError):
    """This machine or this user lacks something; the text says all of it. Exit code 1."""


def lacking(reasons: Sequence[str]) -> LackingError:
    """The error for one or several things that are missing."""
    return LackingError("cannot make a network for programs here: " + "; and ".join(reasons))


def tun_lack() -> str | None:
    """Why no TUN device can be opened; None if one can."""
    try:
        os.close(os.open(TUN, os.O_RDWR | os.O_CLOEXEC))
    except PermissionError:
        return f"this user may not read and write {TUN} (as root: chmod 666 {TUN})"
    except FileNotFoundError:
        return f"there is no {TUN} (as root: modprobe tun)"
    except OSError as error:
        if error.errno in (errno.ENODEV, errno.ENXIO):
            return f"{TUN} exists, but the kernel has no driver for it (as root: modprobe tun)"
        return f"{TUN} cannot be opened: {error.strerror}"
    return None


def namespace_lack(user: OSError, plain: OSError | None) -> str:
    """Why there are no namespaces: `user`, with user namespaces; `plain`, as root without."""
    for file, value, remedy in SWITCHES:
        if _content(file) == value:
            why = f"user namespaces are switched off (as root: {remedy})"
            break
    else:
        why = f"user namespaces are not allowed ({user.strerror}; maybe by a container's rules)"
    if plain is None:
        return f"{why}, and this user is not root"
    return (
        f"{why}, and root may not make network namespaces either: {plain.strerror} "
        "(CAP_SYS_ADMIN is missing)"
    )


def _content(file: str) -> str:
    try:
        return Path(file).read_text().strip()
    except OSError:
        return ""
