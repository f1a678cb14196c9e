"""The map as a person reads it: Markdown, about a screen."""

from collections.abc import Sequence

from hopwright._io.console import WIDTH, wrapped
from hopwright._io.plural import many
from hopwright.adapt.bounds import Bound, Source
from hopwright.adapt.gain import Gain
from hopwright.adapt.outcome import Made, Outcome
from hopwright.adapt.policy_file import said
from hopwright.adapt.request import network_text
from hopwright.comparisons.numbers import decimals_for, signed
from hopwright.results.table import ABSENT

MOST_NETWORKS = 12
"""Held-out networks that the report shows; the others are in the table."""


def text(outcome: Outcome, *, in_full: bool = True) -> str:
    """The report; without `in_full`, without tables that a terminal has no room for."""
    parts = [*_head(outcome), *_compositions(outcome), *_policy(outcome), *_worth(outcome)]
    if in_full:
        for source in outcome.gains:
            parts += _by_network(outcome, source)
    return "\n".join(parts)


def percent(gain: Gain) -> str:
    """`+12.3 (+10.1 to +14.5)`, per cent; `=` where it is the same."""
    if gain.relative is None:
        return ABSENT
    if gain.verdict == "the same":
        return "the same"
    if gain.relative.ends is None:
        return f"{signed(100 * gain.relative.estimate, 1)}"
    low, high = gain.relative.ends
    digits = min(decimals_for(100 * (high - low), 0), 1)
    ends = f"{signed(100 * low, digits)} to {signed(100 * high, digits)}"
    return f"{signed(100 * gain.relative.estimate, digits)} ({ends})"


def _head(outcome: Outcome) -> list[str]:
    request = outcome.request
    axes = ", ".join(f"{key} ({len(values)})" for key, values in request.grid.items())
    confidence = f"{100 * request.confidence:g} %"
    return [
        f"# Map of {request.scenario.name}: {request.measure.title}",
        "",
        *_wrapped(
            f"{many(len(outcome.verdicts), 'network')}: {axes} of link {request.link}; "
            f"{len(request.candidates)} compositions of flow {request.flow}; "
            f"{len(outcome.runs):,} runs, seeds from {request.seed}. In "
            f"{many(outcome.sure, 'network')} "
            'one composition is surely the best; in the others some may be as good. "Surely": '
            f"all statements about one network hold together with {confidence} confidence."
        ),
        "",
    ]


def _compositions(outcome: Outcome) -> list[str]:
    verdicts = outcome.verdicts.values()
    rows = [
        [
            name,
            str(sum(v.is_sure and v.best == name for v in verdicts)),
            str(sum(not v.is_sure and name in (v.best, *v.tied) for v in verdicts)),
            f"{100 * outcome.policy.fixed[name]:.1f} %",
        ]
        for name in outcome.request.candidates
    ]
    rows.append(["the policy", "", "", f"{100 * outcome.policy.regret:.1f} %"])
    heads = ["composition", "best in", "may be in", "loses against the best, on average"]
    return [*_table(heads, rows), ""]


def _policy(outcome: Outcome) -> list[str]:
    policy = outcome.policy
    begins = f"Begins with {policy.base}. Then:"
    if not policy.rows:
        begins = (
            f"{policy.base}, always: in no network is a change that triggers can make surely "
            "better."
        )
    lines = ["## Policy", "", *_wrapped(begins), ""]
    for place, row in enumerate(policy.rows):
        bounds = "; ".join(f"{each.source}: {_bounds(each, place)}" for each in outcome.made)
        item = f"{said(outcome, row)}: saves {100 * row.saved:.0f} % there. Triggers, {bounds}."
        first, *rest = wrapped(item, WIDTH - 2)
        lines += [f"- {first}", *(f"  {line}" for line in rest)]
    obstacles = {
        other: switch.obstacle
        for (base, other), switch in outcome.switches.items()
        if base == policy.base and switch.obstacle
    }
    for name, obstacle in obstacles.items():
        lines += ["", *_wrapped(f"No trigger can change {policy.base} to {name}: {obstacle}.")]
    return [*lines, ""] if lines[-1] else lines


def _bounds(made: Made, place: int) -> str:
    if not made.works(place):
        return "none, because a monitor does not distinguish these networks"
    known = [each for each in made.bounds[place] if isinstance(each, Bound)]
    told = " and ".join(
        f"{each.monitor} {each.split.side} {each.bound:g} (back at {each.until:g})"
        for each in known
    )
    return (
        f"{told}, from which the flow may not change back"
        if any(each.is_trap for each in known)
        else told
    )


def _worth(outcome: Outcome) -> list[str]:
    request = outcome.request
    if not request.held_out:
        return ["## Gain", "", "No network was held out, so the gain is not known.", ""]
    lines = [
        "## Gain",
        "",
        *_wrapped(
            f"Networks that are not in the map: {len(request.held_out)}, with "
            f"{many(request.held_out_runs, 'pair')} of runs each. The policy against each "
            f"composition that never changes, {request.measure.title} in per cent, with the "
            f"{100 * request.confidence:g} % interval. A gain in square brackets may be chance. "
            "Measured: by what the sender measures of its path; told: by what the links tell it."
        ),
        "",
    ]
    names = list(request.candidates)
    overall = {
        source: {gain.fixed: gain for gain in gains if gain.network is None}
        for source, gains in outcome.gains.items()
    }
    rows = [[name, *(percent(of[name]) for of in overall.values())] for name in names]
    return [*lines, *_table(["all networks, against", *overall], rows), ""]


def _by_network(outcome: Outcome, source: Source) -> list[str]:
    request = outcome.request
    names = list(request.candidates)
    gains = {(gain.network, gain.fixed): gain for gain in outcome.gains[source]}
    shown = range(min(len(request.held_out), MOST_NETWORKS))
    rows = [
        [network_text(request.held_out[n]), *(_marked(gains[n, name]) for name in names)]
        for n in shown
    ]
    more = len(request.held_out) - len(rows)
    lines = [*_table([f"{source}, against", *names], rows), ""]
    return [*lines, f"And {more} more in held-out.csv.", ""] if more else lines


def _marked(gain: Gain) -> str:
    """In brackets, what shows no difference once all comparisons are counted."""
    return f"[{percent(gain)}]" if gain.verdict == "no difference shown" else percent(gain)


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """A table of Markdown that is one without being rendered, too."""
    widths = [max(len(row[c]) for row in [heads, *rows]) for c in range(len(heads))]

    def line(cells: Sequence[str]) -> str:
        return f"| {' | '.join(c.ljust(w) for c, w in zip(cells, widths, strict=True))} |"

    return [line(heads), f"|{'|'.join('-' * (width + 2) for width in widths)}|", *map(line, rows)]


def _wrapped(words: str) -> Sequence[str]:
    return wrapped(words, WIDTH)
