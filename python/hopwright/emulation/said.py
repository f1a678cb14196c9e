"""What an emulation says: how things stand, that it cannot keep up, what came of it."""

import json
import sys
import time
import tomllib
from collections.abc import Sequence

from hopwright import _core
from hopwright._io.data import Json, amount, at, items
from hopwright._io.plural import many

EACH_S = 1.0
"""Wall time between two lines about how things stand."""

BEHIND_S = 0.05
"""A network that is so far behind the clock cannot keep up."""

LATE_MS = 1.0
"""Of 100 packets 99 should be less late than this, if programs are to notice nothing."""


class Teller:
    """Says now and then how things stand, and at once that the network cannot keep up."""

    def __init__(self, watch: _core.EmulationWatch, *, is_shown: bool) -> None:
        self._watch = watch
        self._is_shown = is_shown
        self._rewrites = is_shown and sys.stderr.isatty()
        self._next_s = time.monotonic() + EACH_S
        self._last: Json = None
        self._is_late = False
        self._has_refused = False

    def look(self) -> None:
        """To be called often."""
        status: Json = json.loads(self._watch.status_json())
        behind_s = amount(status, "wall_s") - amount(status, "simulated_s")
        late_s = max(behind_s, amount(status, "latest_s"))
        if late_s > BEHIND_S and not self._is_late:
            self._is_late = True
            self._line(
                f"the simulation is slower than the clock: {late_s:.2f} s late at "
                f"{amount(status, 'simulated_s'):.1f} s; programs see delays that are not those "
                "of the network",
                ends=True,
            )
        if amount(status, "refused_multicast") and not self._has_refused:
            self._has_refused = True
            self._line(
                "a program uses multicast or broadcast, and these packets do not enter the "
                'network: routing.multicast = "flood" lets them enter',
                ends=True,
            )
        now_s = time.monotonic()
        if self._is_shown and now_s >= self._next_s:
            self._line(self._status(status), ends=not self._rewrites)
            self._last, self._next_s = status, now_s + EACH_S

    def end(self) -> None:
        """The line of the status is left as it is."""
        if self._rewrites and self._last is not None:
            print(file=sys.stderr)

    def _line(self, text: str, *, ends: bool) -> None:
        begin = "\r\033[K" if self._rewrites else ""
        print(f"{begin}hopwright: {text}", end="\n" if ends else "", file=sys.stderr, flush=True)

    def _status(self, status: Json) -> str:
        """One line."""
        simulated_s = amount(status, "simulated_s")
        span_s = simulated_s - (amount(self._last, "simulated_s") if self._last else 0.0)
        parts = [f"{simulated_s:.1f} s, at most {amount(status, 'latest_s') * 1e3:.2f} ms late"]
        before = {int(amount(row, 0)): row for row in items(self._last or {}, "attached")}
        for row in items(status, "attached"):
            node = int(amount(row, 0))
            was = before.get(node)
            sent, come = (amount(row, n) - (amount(was, n) if was else 0.0) for n in (1, 2))
            rates = (8e-3 * of / span_s if span_s > 0 else 0.0 for of in (sent, come))
            parts.append("node {}: {:.0f} kb/s out, {:.0f} in".format(node, *rates))
        if drops := items(status, "drops"):
            parts.append(
                "lost: " + ", ".join(f"{at(row, 0)} {amount(row, 1):.0f}" for row in drops)
            )
        return "; ".join(parts)


def of_namespaces(rooms: list[tuple[int, int]]) -> None:
    """How another terminal gets in, of nodes and the threads that keep their namespaces."""
    for node, thread in rooms:
        enter = f"nsenter --preserve-credentials -U -n -t {thread}"
        print(f"hopwright: node {node}: {enter} PROGRAM enters it", file=sys.stderr, flush=True)


def of_warm_up(scenario: _core.Scenario, about: Json) -> list[str]:
    """That results are empty, of an emulation that ended before its measurements began."""
    begin_s = amount(tomllib.loads(scenario.to_toml()), "warm_up_s")
    end_s = amount(about, "duration_s")
    if end_s >= begin_s:
        return []
    ended = f"the emulation ended at {end_s:.1f} s, before warm_up_s ({begin_s:g} s)"
    return [f"{ended}: nothing was measured of the simulated flows and of the network"]


def of_emulation(about: Json, folder: str | None, more: Sequence[str]) -> None:
    """What is said in the end; `more` are lines of whoever ran it."""
    late = at(about, "pace", "lateness")
    lines = []
    for each in items(about, "attached"):
        refused = at(each, "refused_packets")
        kept = (
            ", ".join(f"{why} {count}" for why, count in refused.items())
            if isinstance(refused, dict)
            else ""
        )
        lines.append(
            f"node {amount(each, 'node'):.0f}: "
            f"{many(amount(each, 'sent_packets'), 'packet')} sent, "
            f"{amount(each, 'received_packets'):.0f} received"
            + (f", kept out of the network: {kept}" if kept else "")
        )
    if at(late, "p99_us") is not None:
        lines.append(
            f"lateness of packets: median {amount(late, 'median_us'):.0f} us, 99 of 100 up to "
            f"{amount(late, 'p99_us'):.0f} us, largest {amount(late, 'max_us'):.0f} us"
        )
        if amount(late, "p99_us") > LATE_MS * 1e3:
            lines.append(
                f"delays are not reliable: more than 1 of 100 packets was over {LATE_MS:g} ms late"
            )
    lines += more
    if folder is not None:
        lines.append(f"results in {folder}")
    for line in lines:
        print(f"hopwright: {line}", file=sys.stderr)
