"""The picture of where the time of flows went: a stacked bar for each account of each side."""

from typing import TYPE_CHECKING, Any, NamedTuple

from hopwright._io.errors import InputError
from hopwright.explain.why import FlowWhy, Line, Why
from hopwright.figures.figure import Figure, columns
from hopwright.figures.layout import CLOSE, LINE_IN
from hopwright.figures.style import FILLS, PAGE_IN, check_count
from hopwright.figures.words import literal, tallest, wrap

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing
    from matplotlib.figure import SubFigure

BAR_IN, MARGIN_IN = 0.26, 0.85
COLUMNS = 3
"""Of a legend."""
LABEL = 40
"""Characters of a line of a name beside its bar."""
LEAST = 0.0005
"""A part that is smaller on every bar is not drawn."""
MOST_BARS = 24


class _Account(NamedTuple):
    """One of the two accounts of the flows that have it."""

    title: str
    flows: list[tuple[FlowWhy, list[Line]]]

    @property
    def parts(self) -> dict[str, str]:
        """What is drawn, by column: its title."""
        found: dict[str, str] = {}
        for _, lines in self.flows:
            for line in lines:
                if any((value.mean or 0.0) >= LEAST for value in line.values):
                    found.setdefault(line.metric.key, line.metric.title)
        return found


def why_figure(of: Why) -> Figure:
    """Draws both accounts, a panel each: a bar for each side of each flow, in parts of its time.

    The data's columns: `account`, `flow`, `side`, `part` as results name it, `percent`.
    """
    bars = len(of.flows) * len(of.sides)
    if not 0 < bars <= MOST_BARS:
        raise InputError(f"--figure: {bars} bars do not fit on a page; choose flows with --flow")
    both = (
        _Account("what the sender waited for", [(f, f.sender) for f in of.flows if f.sender]),
        _Account("where its packets were", [(f, f.network) for f in of.flows if f.network]),
    )
    accounts = [each for each in both if each.flows]
    for each in accounts:
        check_count(len(each.parts))

    def draw(drawing: "Drawing") -> None:
        # Each account is a figure of its own, so that its legend stands below its bars.
        places = drawing.subfigures(len(accounts), 1, squeeze=False)[:, 0]
        for place, account in zip(places, accounts, strict=True):
            _draw_account(place, account, of)

    rows = (
        (account.title, flow.flow, side, line.metric.key, 100 * (value.mean or 0.0))
        for account in accounts
        for flow, lines in account.flows
        for line in lines
        for side, value in zip(of.sides, line.values, strict=True)
    )
    data = columns(("account", "flow", "side", "part", "percent"), rows)
    legends_in = sum(LINE_IN * -(-len(each.parts) // COLUMNS) for each in accounts)
    lines = tallest(_name(of, flow, side) for flow in of.flows for side in of.sides)
    bar_in = max(BAR_IN, LINE_IN * lines)
    height_in = len(accounts) * (MARGIN_IN + bar_in * bars) + legends_in
    return Figure(draw, data, height_in=height_in, width_in=PAGE_IN)


def _name(of: Why, flow: FlowWhy, side: str) -> str:
    """What stands beside a bar."""
    return wrap(side if len(of.flows) == 1 else f"flow {flow.flow}, {side}", LABEL)


def _draw_account(place: "SubFigure", account: _Account, of: Why) -> None:
    from matplotlib.patches import Patch

    axes = place.subplots()
    looks: dict[str, dict[str, Any]] = {
        part: {
            "facecolor": fill.grey,
            "hatch": fill.hatch,
            "hatchcolor": fill.ink,
            "edgecolor": "black",
            "linewidth": 0.5,
        }
        for part, fill in zip(account.parts, FILLS, strict=False)
    }
    names: list[str] = []
    for flow, lines in account.flows:
        for number, side in enumerate(of.sides):
            start = 0.0
            for line in lines:
                share = 100 * (line.values[number].mean or 0.0)
                if line.metric.key in looks and share:
                    axes.barh(len(names), share, 0.7, start, zorder=2, **looks[line.metric.key])
                    start += share
            names.append(literal(_name(of, flow, side)))
    axes.set_yticks(range(len(names)), names, linespacing=CLOSE)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_xlim(0, 100)
    axes.tick_params(axis="y", length=0)
    axes.grid(visible=False, axis="y")
    axes.set_title(account.title, loc="left")
    axes.set_xlabel("% of the flow's time")
    place.legend(
        [Patch(**look) for look in looks.values()],
        list(account.parts.values()),
        loc="outside lower center",
        ncols=COLUMNS,
        columnspacing=1.2,
        handlelength=1.8,
    )
