"""Compares TCP-WELCOME's table 5.1 with the best points of a sweep, for `docs/welcome-tuning.md`.

    .venv/bin/python validation/welcome_tuning.py [--points N] [--runs N] [--jobs N] [--page FILE]

The following rule was fixed before any held-out run. The points of a Latin hypercube run with the
training scenarios and the training seeds. Two points are chosen:

- `goodput` is the point with the highest relative gain in goodput over table 5.1, as a mean over
  the scenarios.
- `accuracy` is the point with the highest share of right diagnoses, as a mean over the scenarios.
  Only a full queue counts as congestion. The document takes the same view: it counts interference
  as an error of the channel.

Both points are then compared with table 5.1 in pairs of runs. The seeds had no part in the choice.
The scenarios are the training scenarios and eleven others. The table also shows NewReno, and table
5.1 with the responses to duplicate acknowledgements of the document's figure 5.8; the other columns
have the responses of its text. A last table separates the gain of `goodput` by the parameters of
the diagnosis and of the response. This table was added after all other results were known.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from hopwright._run.execute import core_count, execute, result_of
from hopwright._schema.settings import Settings
from hopwright.research.diagnosis import Reading
from hopwright.research.judging.cases import Case, read_case
from hopwright.research.judging.judgement import Difference, Runs, difference_of
from hopwright.research.judging.report import percent
from hopwright.statistics.intervals import t_interval
from hopwright.statistics.means import mean
from hopwright.sweeps.axes import Range, axes_of
from hopwright.sweeps.design import settings_of
from marked import fill, table

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "welcome-tuning.md"
SCENARIOS = ROOT / "scenarios"

POINTS, RUNS = 48, 16
TRAINING_SEED, HELD_OUT_SEED, DESIGN_SEED = 1, 1001, 1

TABLE_5_1: Settings = {
    "welcome_window_samples": 10,
    "welcome_excess_percent": 5.0,
    "welcome_growing_samples": 5,
    "welcome_new_rtt_samples": 4,
}
RANGES = {
    "welcome_window_samples": Range(4, 32),
    "welcome_excess_percent": Range(1.0, 100.0, log=True),
    "growing share": Range(0.0, 1.0),
    "welcome_new_rtt_samples": Range(1, 16),
}
"""Far to both sides of table 5.1. `welcome_growing_samples` is drawn as a share of the window. If
it is the whole window, the diagnosis never blames congestion; the sweep includes this choice."""

TRAINING = (
    "losses/congestion.toml",
    "losses/interference.toml",
    "losses/link-failure.toml",
    "losses/signal-loss.toml",
    "chain.toml,name=string-4,topology.hops=4,flows.to=4,duration_s=100",
)
LONGER = "events.1.at_s=44,events.2.at_s=45,events.3.at_s=104,events.4.at_s=105,events.5.at_s=124"
SHORTER = "events.1.at_s=32,events.2.at_s=72,events.3.at_s=77"
HELD_OUT = (
    "chain.toml,name=string-8,duration_s=100",
    "chain.toml,name=string-6-aodv,topology.hops=6,flows.to=6,routing.protocol=aodv,duration_s=100",
    "grid.toml,duration_s=100",
    "random-waypoint.toml,duration_s=200",
    "losses/channel.toml",
    "losses/bursts.toml",
    "losses/queue.toml",
    "losses/queue-and-channel.toml",
    f"losses/link-failure.toml,name=link-failure-other,{LONGER}",
    f"losses/signal-loss.toml,name=signal-loss-short,{SHORTER}",
)
CROSS = """\
name = "cross"
duration_s = 100
topology = { kind = "cross", arm_hops = 2 }
routing = { protocol = "aodv" }
flows = [{ from = 0, to = 4, start_s = 1 }, { from = 5, to = 8, start_s = 2 }]
"""

OWN_READING = Reading.CONTENTION_IS_WIRELESS

FIGURE_5_8: Settings = {
    **TABLE_5_1,
    "welcome_on_channel": "minimum",
    "welcome_on_congestion": "minimum",
}
CHOSEN = ("goodput", "accuracy")
"""The choices of the training. Their shares of right diagnoses are compared, too."""
DIAGNOSIS, RESPONSE = "diagnosis alone", "response alone"
"""Table 5.1 with the best of goodput in the parameters of the diagnosis, or of the response."""
OF_RESPONSE = "welcome_new_rtt_samples"


@dataclass(frozen=True)
class Lab:
    """Makes the runs."""

    jobs: int

    def runs(self, case: Case, settings: Mapping[str, object], seeds: range) -> Runs:
        """TCP-WELCOME with these parameters, or the protocol in `protocol`."""
        transport: dict[str, object] = {"protocol": "welcome", **settings}
        overrides = [
            (f"flows.{flow}.transport.{key}", str(value))
            for flow in case.flows
            for key, value in transport.items()
        ]
        scenario = case.source.load([*case.overrides, *overrides])
        results = [result_of(run) for run in execute(scenario, seeds, jobs=self.jobs)]
        return Runs.of(results, case.flows)


class Score(NamedTuple):
    """A point on the training scenarios."""

    settings: Settings
    goodput: float
    """The mean over scenarios of the relative difference to table 5.1."""
    accuracy: float
    """The mean over scenarios of the share of right diagnoses."""


def cases(names: Sequence[str]) -> list[Case]:
    """Scenarios of this project, by their names in the folder of scenarios."""
    return [read_case(f"{SCENARIOS}/{name}") for name in names]


def held_out_cases(folder: Path) -> list[Case]:
    """The held-out scenarios of the folder, and two strings that cross."""
    file = folder / "cross.toml"
    file.write_text(CROSS, encoding="utf-8")
    return [*cases(HELD_OUT), read_case(str(file))]


def points_of(count: int) -> list[Settings]:
    """The points of the Latin hypercube."""
    drawn = settings_of(axes_of(RANGES, listed=False), "lhs", count, DESIGN_SEED)
    points: list[Settings] = []
    for each in drawn:
        window = int(str(each["welcome_window_samples"]))
        growing = round(float(str(each["growing share"])) * window)
        points.append({key: {**each, "welcome_growing_samples": growing}[key] for key in TABLE_5_1})
    return points


def share_of(runs: Runs) -> float | None:
    """The mean share of right diagnoses; None if there was nothing to diagnose."""
    shares = [share for share in runs.shares(OWN_READING) if share is not None]
    return mean(shares) if shares else None


def train(lab: Lab, points: int, runs: int) -> tuple[Score, list[Score]]:
    """Table 5.1's score, and those of the points of the hypercube."""
    drawn = points_of(points)
    seeds = range(TRAINING_SEED, TRAINING_SEED + runs)
    gains: list[list[float]] = [[] for _ in [TABLE_5_1, *drawn]]
    shares: list[list[float]] = [[] for _ in gains]
    for case in cases(TRAINING):
        found = [lab.runs(case, point, seeds) for point in [TABLE_5_1, *drawn]]
        base = mean(found[0].goodput_bps)
        for place, each in enumerate(found):
            gains[place].append(mean(each.goodput_bps) / base - 1)
            share = share_of(each)
            if share is not None:
                shares[place].append(share)
        print(f"{case.name}: {len(found)} settings", file=sys.stderr)
    scores = [
        Score(settings, mean(gain), mean(share))
        for settings, gain, share in zip([TABLE_5_1, *drawn], gains, shares, strict=True)
    ]
    return scores[0], scores[1:]


class Held(NamedTuple):
    """A choice in a held-out scenario, against table 5.1."""

    scenario: str
    goodput: Difference
    relative: list[float]
    """Of each pair: the difference of goodput, divided by the mean goodput of table 5.1."""
    accuracy: Difference | None
    base_bps: float
    base_accuracy: float | None


def compare(lab: Lab, case: Case, choices: Mapping[str, Settings], runs: int) -> dict[str, Held]:
    """Each choice against table 5.1, in pairs."""
    seeds = range(HELD_OUT_SEED, HELD_OUT_SEED + runs)
    base = lab.runs(case, TABLE_5_1, seeds)
    centre = mean(base.goodput_bps)
    found = {}
    for name, settings in choices.items():
        ours = lab.runs(case, settings, seeds)
        gap = difference_of(ours.goodput_bps, base.goodput_bps)
        assert gap is not None
        pairs = zip(ours.goodput_bps, base.goodput_bps, strict=True)
        found[name] = Held(
            case.name,
            gap,
            [(a - b) / centre for a, b in pairs],
            difference_of(ours.shares(OWN_READING), base.shares(OWN_READING)),
            centre,
            share_of(base),
        )
    print(f"{case.name}: held out", file=sys.stderr)
    return found


def overall(rows: Sequence[Held]) -> str:
    """The mean of the relative differences: over all scenarios for each seed, then over seeds."""
    return _mean_text([mean(each) for each in zip(*(row.relative for row in rows), strict=True)])


def _mean_text(values: Sequence[float]) -> str:
    """A mean in percent, and its interval."""
    found = t_interval(values)
    assert found.ends is not None
    low, high = found.ends
    return f"{100 * found.estimate:+.2f} % ({100 * low:+.2f} to {100 * high:+.2f})"


def points_text(gap: Difference | None) -> str:
    """A difference of shares, in percentage points."""
    if gap is None or gap.absolute.ends is None:
        return "–"
    low, high = gap.absolute.ends
    return f"{100 * gap.absolute.estimate:+.0f} ({100 * low:+.0f} to {100 * high:+.0f})"


def settings_row(name: str, settings: Settings, score: Score | None) -> list[str]:
    """A setting and its score in training."""
    values = [f"{value:.3g}" for value in map(float, map(str, settings.values()))]
    if score is None:
        return [name, *values, "", ""]
    return [name, *values, f"{100 * score.goodput:+.2f} %", f"{score.accuracy:.3f}"]


def thirds(scores: Sequence[Score]) -> list[list[str]]:
    """The effect of each parameter: means over its lowest, middle and highest third of the points.

    An interval shows the spread over the points of a third. All points share the training seeds
    and the runs of table 5.1. So chance in these runs shifts all rows in the same way, and no
    interval includes this shift. No interval is a test against table 5.1.
    """
    rows = []
    for key in TABLE_5_1:
        ordered = sorted(scores, key=lambda score: float(str(score.settings[key])))
        size = len(ordered) // 3
        parts = [ordered[:size], ordered[size:-size], ordered[-size:]]
        for part in parts:
            values = [float(str(score.settings[key])) for score in part]
            rows.append(
                [
                    f"`{key}`",
                    f"{min(values):.3g} to {max(values):.3g}",
                    _mean_text([s.goodput for s in part]),
                    f"{mean([s.accuracy for s in part]):.3f}",
                ]
            )
    return rows


def parts(
    base: Score,
    scores: Sequence[Score],
    held: Sequence[Mapping[str, Held]],
    choices: Mapping[str, Settings],
) -> dict[str, str]:
    """The page's tables."""
    best = {
        "goodput": max(scores, key=lambda score: score.goodput),
        "accuracy": max(scores, key=lambda score: score.accuracy),
    }
    gains = sorted(score.goodput for score in scores)
    above = sum(gain > 0 for gain in gains)
    heads = ["", *(f"`{key}`" for key in TABLE_5_1), "goodput", "right"]
    chosen = table(
        heads,
        [
            settings_row("table 5.1", TABLE_5_1, base),
            settings_row("best of goodput", best["goodput"].settings, best["goodput"]),
            settings_row("best of accuracy", best["accuracy"].settings, best["accuracy"]),
        ],
    )
    spread = (
        f"Of {len(gains)} points {above} have more goodput in training than table 5.1; the worst "
        f"has {100 * gains[0]:+.2f} %, the median {100 * gains[len(gains) // 2]:+.2f} %, the best "
        f"{100 * gains[-1]:+.2f} %."
    )
    shown = [name for name in choices if name not in (DIAGNOSIS, RESPONSE)]
    rows = []
    for row in held:
        first = next(iter(row.values()))
        share = "–" if first.base_accuracy is None else f"{first.base_accuracy:.2f}"
        cells = [first.scenario, f"{first.base_bps / 1e3:.1f}", share]
        for name in shown:
            cells.append(percent(row[name].goodput))
            if name in CHOSEN:
                cells.append(points_text(row[name].accuracy))
        rows.append(cells)
    summary = ["**mean of all**", "", ""]
    for name in shown:
        summary.append(f"**{overall([row[name] for row in held])}**")
        if name in CHOSEN:
            summary.append("")
    names = ["scenario", "table 5.1, kb/s", "right"]
    names += ["best of goodput: goodput", "right, points", "best of accuracy: goodput"]
    names += ["right, points", "NewReno: goodput", "figure 5.8: goodput"]
    effects = table(["parameter", "values", "goodput", "right"], thirds(scores))
    split = [
        [name, overall([row[name] for row in held])] for name in ("goodput", DIAGNOSIS, RESPONSE)
    ]
    split[0][0] = "best of goodput"
    return {
        "choice": f"{chosen}\n\n{spread}",
        "effects": effects,
        "held out": table(names, [*rows, summary]),
        "split": table(["against table 5.1", "goodput, mean of all"], split),
    }


def choices_of(scores: Sequence[Score]) -> dict[str, Settings]:
    """The choices that are compared with table 5.1."""
    goodput = max(scores, key=lambda score: score.goodput).settings
    return {
        "goodput": goodput,
        "accuracy": max(scores, key=lambda score: score.accuracy).settings,
        "newreno": {"protocol": "newreno"},
        "figure 5.8": FIGURE_5_8,
        DIAGNOSIS: {**goodput, OF_RESPONSE: TABLE_5_1[OF_RESPONSE]},
        RESPONSE: {**TABLE_5_1, OF_RESPONSE: goodput[OF_RESPONSE]},
    }


def main() -> None:
    """Runs everything and writes the page's tables."""
    import tempfile

    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--points", type=int, default=POINTS)
    parser.add_argument("--runs", type=int, default=RUNS, help="training runs; held-out: twice")
    parser.add_argument("--jobs", type=int, default=core_count())
    parser.add_argument("--page", type=Path, default=PAGE)
    options = parser.parse_args()
    lab = Lab(options.jobs)
    base, scores = train(lab, options.points, options.runs)
    choices = choices_of(scores)
    with tempfile.TemporaryDirectory() as folder:
        tested = [*cases(TRAINING), *held_out_cases(Path(folder))]
        held = [compare(lab, case, choices, 2 * options.runs) for case in tested]
    fill(options.page, parts(base, scores, held, choices))


if __name__ == "__main__":
    main()
