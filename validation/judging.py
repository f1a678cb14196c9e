"""The tables of `docs/judging-differentiators.md`, from what `hopwright judge` wrote.

    .venv/bin/python validation/judging.py SPARE WELCOME GHALEB [--page FILE]

The folders are those of the page's three commands.
"""

import argparse
import json
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from hopwright.research.diagnosis import BELIEFS, Confusion
from hopwright.research.judging.cases import BOUND, IGNORANT
from hopwright.research.judging.judgement import Difference
from hopwright.research.judging.report import READINGS, percent, share
from hopwright.statistics.intervals import Interval
from hopwright.statistics.means import mean
from marked import fill, table
from pictures import shrink

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "judging-differentiators.md"
FIGURE = ROOT / "docs" / "img" / "judging.png"


class Judged:
    """A folder of `hopwright judge`."""

    def __init__(self, folder: Path) -> None:
        self._numbers: Any = json.loads((folder / "judgement.json").read_text())
        self.rows: list[Any] = self._numbers["rows"]
        self.prices: list[Any] = self._numbers["prices"]
        self.scenarios = list(dict.fromkeys(row["scenario"] for row in self.rows))
        self.who = list(dict.fromkeys(row["differentiator"] for row in self.rows))

    def row(self, scenario: str, who: str) -> Any:  # noqa: ANN401 - JSON
        """A differentiator in a scenario."""
        return next(
            row for row in self.rows if row["scenario"] == scenario and row["differentiator"] == who
        )


def accuracies(judged: Judged) -> str:
    """A row a scenario; in each cell the three readings."""
    rows = []
    for scenario in judged.scenarios:
        cells = [f"**{scenario}**", "<br>".join(_short(r.value) for r in READINGS)]
        for who in judged.who:
            found = judged.row(scenario, who)["accuracy"]
            cells.append("<br>".join(_share(found[reading.value]) for reading in READINGS))
        rows.append(cells)
    cells = ["**mean of all**", "<br>".join(_short(r.value) for r in READINGS)]
    for who in judged.who:
        means = [_mean_share(judged, who, reading.value) for reading in READINGS]
        cells.append("<br>".join(f"**{each:.2f}**" for each in means))
    heads = ["scenario", "reading", *judged.who[:-1], f"bound: {BOUND}"]
    return table(heads, [*rows, cells])


def _mean_share(judged: Judged, who: str, reading: str) -> float:
    """The mean of the scenarios' shares."""
    shares = [judged.row(scenario, who)["accuracy"][reading] for scenario in judged.scenarios]
    return mean([share["mean"] for share in shares if share])


def goodputs(judged: Judged) -> str:
    """A row a scenario: what each has more or less than who blames congestion always."""
    others = [who for who in judged.who if who not in (IGNORANT, BOUND)]
    rows = [
        [
            f"**{scenario}**",
            f"{judged.row(scenario, IGNORANT)['goodput_bps']['mean'] / 1e3:.1f}",
            _percent(judged.row(scenario, BOUND)["against_ignorance"]),
            *(_percent(judged.row(scenario, who)["against_ignorance"]) for who in others),
        ]
        for scenario in judged.scenarios
    ]
    return table(["scenario", f"{IGNORANT}, kb/s", BOUND, *others], rows)


def prices(judged: Judged) -> str:
    """A row an error that changed something in some run."""
    rows = [
        [price["scenario"], price["truth"], price["believed"], str(price["errors"]), cost]
        for price in judged.prices
        if (cost := _percent(price["goodput"])) != "the same"
    ]
    same = len(judged.prices) - len(rows)
    text = table(["scenario", "what was", "was taken for", "errors", "goodput"], rows)
    return f"{text}\n\nThe other {same} kinds of error change nothing in any run."


def matrix(judged: Judged, scenarios: Sequence[str], who: Sequence[str]) -> str:
    """Confusion matrices, of scenarios together; a row a differentiator and true cause."""
    rows = []
    for name in who:
        whole = Confusion()
        for scenario in scenarios:
            whole += Confusion.of_cells(judged.row(scenario, name)["confusion"])
        for truth, cells in whole.matrix().items():
            if any(cells.values()):
                rows.append([name, truth, *(str(cells[belief]) for belief in BELIEFS)])
    return table(["differentiator", "true cause", *(f"as {b}" for b in BELIEFS)], rows)


def ghaleb(judged: Judged) -> str:
    """TCP-WELCOME in its document's four situations: shares, then counts."""
    shares, counts = [], []
    for scenario in judged.scenarios:
        row = judged.row(scenario, "welcome")
        found = [_share(row["accuracy"][reading.value]) for reading in READINGS]
        goodput = _percent(row["against_ignorance"])
        shares.append([scenario, *found, f"{row['needless']['mean']:.2f}", goodput])
        for truth, cells in Confusion.of_cells(row["confusion"]).matrix().items():
            if any(cells.values()):
                known = [str(cells[belief]) for belief in BELIEFS if belief != "contention"]
                counts.append([scenario, truth, *known])
    right = ["situation", *(f"right, {_short(reading.value)}" for reading in READINGS)]
    right += ["needless", f"goodput against {IGNORANT}"]
    heads = ["situation", "true cause", "as congestion", "as channel", "as route"]
    return f"{table(right, shares)}\n\n{table(heads, counts)}"


def lost(judged: Judged) -> str:
    """What loses what, with who blames congestion always."""
    rows = []
    for scenario in judged.scenarios:
        row = judged.row(scenario, IGNORANT)
        total = sum(row["lost"].values())
        shares = sorted(row["lost"].items(), key=lambda pair: -pair[1])
        parts = [f"{cause} {100 * n / total:.0f} %" for cause, n in shares if n / total > 0.005]
        needless = row["needless"]
        rows.append(
            [
                scenario,
                str(row["diagnoses"]),
                ", ".join(parts).replace("_", " ") or "–",
                f"{needless['mean']:.2f}" if needless else "–",
            ]
        )
    return table(["scenario", "diagnoses", "packets lost to", "needless"], rows)


def _short(reading: str) -> str:
    return reading.removeprefix("contention is ").removesuffix(" causes")


def _share(found: Any) -> str:  # noqa: ANN401 - JSON
    return share(_interval(found, "mean") if found else None)


def _percent(found: Any) -> str:  # noqa: ANN401 - JSON
    """The difference; bold where its interval leaves out zero."""
    relative = None
    if found["relative"] is not None:
        relative = _interval(found, "relative", "relative_low", "relative_high")
    gap = Difference(_interval(found, "mean"), relative)
    text = percent(gap)
    return f"**{text}**" if gap.absolute.sign else text


def _interval(found: Any, estimate: str, low: str = "low", high: str = "high") -> Interval:  # noqa: ANN401
    return Interval(found[estimate], found[low], found[high], found["runs"])


def main() -> None:
    """Writes the page's tables and its figure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("spare", type=Path)
    parser.add_argument("welcome", type=Path)
    parser.add_argument("ghaleb", type=Path)
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    spare, welcome = Judged(options.spare), Judged(options.welcome)
    fill(
        options.page,
        {
            "lost": lost(spare),
            "accuracy": accuracies(spare),
            "goodput spare": goodputs(spare),
            "goodput welcome": goodputs(welcome),
            "matrix": matrix(spare, spare.scenarios, spare.who),
            "ghaleb": ghaleb(Judged(options.ghaleb)),
            "prices spare": prices(spare),
            "prices welcome": prices(welcome),
        },
    )
    shutil.copyfile(options.spare / "accuracy.png", FIGURE)
    shrink(FIGURE)


if __name__ == "__main__":
    main()
