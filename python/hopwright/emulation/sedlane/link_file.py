"""The file of a link with a profile: read, and checked as far as exports need it."""

import math
import re
import textwrap
import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hopwright._io.data import toml_of
from hopwright._io.errors import InputError, near
from hopwright._io.files import read_text

DEVICE = re.compile(r"[A-Za-z0-9_.:@-]{1,15}")
"""Names that Linux and FreeBSD give to interfaces; nothing a shell would take for more."""
SUM_OFF = 1e-6
"""How far probabilities may be from 1 together."""

PIPE_KEYS = ("rtt_ms", "lifetime_s", "probability", "loss_percent", "rate_kbps")
PROFILE_KEYS = ("mode", "repeat", "pipes")
EXPORTED = ("rate_kbps", "queue_packets")
"""Of the link's own keys, what some target can say."""


@dataclass(frozen=True)
class Pipe:
    """One kind of path."""

    rtt_ms: float
    lifetime_s: float
    probability: float
    loss_percent: float
    rate_kbps: float | None


@dataclass(frozen=True)
class Link:
    """A link that follows a profile."""

    name: str
    mode: str
    repeats: bool
    pipes: tuple[Pipe, ...]
    queue_packets: int | None

    @classmethod
    def read(cls, path: Path) -> "Link":
        """The link in a file. Raises `InputError`: which key, and what would be right."""
        try:
            table = toml_of(read_text(path))
        except tomllib.TOMLDecodeError as error:
            raise InputError(f"{path}: is not TOML: {error}") from error
        return _Reader(path).link(table)


class _Reader:
    def __init__(self, path: Path) -> None:
        self.path = path

    def wrong(self, key: str, what: str) -> InputError:
        return InputError(f"{self.path}: {key}: {what}")

    def link(self, table: dict[str, Any]) -> Link:
        profile = table.pop("profile", None)
        if not isinstance(profile, dict):
            raise InputError(
                f"{self.path}: has no [profile]; `hopwright sedlane profile -o` writes one"
            )
        for key in table:
            if key not in EXPORTED:
                raise self.wrong(key, f"cannot be exported beside a profile{near(key, EXPORTED)}")
        self.known(profile, PROFILE_KEYS, "profile")
        mode, repeats = profile.get("mode"), profile.get("repeat", False)
        if mode not in {"sequential", "simultaneous"}:
            raise self.wrong("profile.mode", f"is {mode!r}: must be 'sequential' or 'simultaneous'")
        if not isinstance(repeats, bool):
            raise self.wrong("profile.repeat", "must be true or false")
        given = profile.get("pipes")
        if not isinstance(given, list) or not given:
            raise self.wrong("profile.pipes", "must be at least one [[profile.pipes]]")
        rate = (
            self.number(table, "rate_kbps", "", least_excluded=True)
            if "rate_kbps" in table
            else None
        )
        pipes = tuple(
            self.pipe(each, f"profile.pipes.{n}", mode, rate) for n, each in enumerate(given)
        )
        total = sum(pipe.probability for pipe in pipes)
        if mode == "simultaneous" and abs(total - 1) > SUM_OFF:
            raise self.wrong("profile.pipes", f"probabilities add up to {total:g}, not to 1")
        queue = table.get("queue_packets")
        if queue is not None and (
            not isinstance(queue, int) or isinstance(queue, bool) or queue < 1
        ):
            raise self.wrong("queue_packets", "must be a whole number, 1 or more")
        return Link(self.path.name, mode, repeats, pipes, queue)

    def pipe(self, table: object, name: str, mode: str, rate_kbps: float | None) -> Pipe:
        if not isinstance(table, dict):
            raise self.wrong(name, "must be a table")
        self.known(table, PIPE_KEYS, name)
        is_sequential = mode == "sequential"
        if "rate_kbps" in table:
            rate_kbps = self.number(table, "rate_kbps", name, least_excluded=True)
        return Pipe(
            rtt_ms=self.number(table, "rtt_ms", name),
            lifetime_s=self.number(table, "lifetime_s", name, usual=None if is_sequential else 0.0),
            probability=self.number(
                table, "probability", name, 1, usual=1.0 if is_sequential else None
            ),
            loss_percent=self.number(table, "loss_percent", name, 100, usual=0.0),
            rate_kbps=rate_kbps,
        )

    def known(self, table: dict[str, Any], keys: tuple[str, ...], name: str) -> None:
        for key in table:
            if key not in keys:
                raise self.wrong(f"{name}.{key}", f"is not one of its keys{near(key, keys)}")

    def number(
        self,
        table: dict[str, Any],
        key: str,
        name: str,
        most: float = 1e9,
        *,
        usual: float | None = None,
        least_excluded: bool = False,
    ) -> float:
        where = f"{name}.{key}" if name else key
        value = table.get(key, usual)
        if value is None:
            raise self.wrong(where, "is missing")
        if (
            isinstance(value, bool)
            or not isinstance(value, (int, float))
            or not math.isfinite(value)
        ):
            raise self.wrong(where, "must be a number")
        if value < 0 or value > most or (least_excluded and value == 0):
            least = "above 0" if least_excluded else "0"
            raise self.wrong(where, f"is {value:g}: must be from {least} to {most:g}")
        return float(value)


def check_device(name: str | None) -> None:
    """Raises `InputError` for what is no interface's name."""
    if name is not None and not DEVICE.fullmatch(name):
        raise InputError(f"--device {name}: is not the name of an interface")


def comment(text: str) -> list[str]:
    """A text as comments of a shell script."""
    return textwrap.wrap(text, 96, initial_indent="# ", subsequent_indent="# ")


def plain(value: float, digits: int = 6) -> str:
    """A number without an exponent and without zeros at its end."""
    text = f"{value:.{digits}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
