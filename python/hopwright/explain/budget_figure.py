"""The picture of loss budgets: what each cause is to blame for, flow by flow."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hopwright._io.errors import InputError
from hopwright.explain import words
from hopwright.explain.budget import SPURIOUS, Budget
from hopwright.figures.figure import Figure, columns
from hopwright.figures.layout import legend_below
from hopwright.figures.style import FILLS, check_count

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Drawing

MOST_FLOWS = 8
NAMES = {
    "segments": "segments lost",
    "acknowledgements": "ACKs lost",
    "rto": "time-outs",
    "fast_retransmit": "fast retransmits",
    "resent": "segments resent",
    "cut": "window cuts",
}
"""What is counted, by measure."""
NAMES_OF_BUNDLES = NAMES | {
    "segments": "packets lost",
    "acknowledgements": "messages lost",
    "resent": "bundles resent",
}
"""The same of a flow that bundles carry."""
NAMES_OF_ASKED = NAMES | {"acknowledgements": "requests lost", "resent": "requests resent"}
"""The same of a flow whose receiver asks."""
BAR_IN, MARGIN_IN = 0.2, 0.45


def budget_figure(budgets: Sequence[Budget]) -> Figure:
    """Draws loss budgets as bars, one panel a flow: as long as the count, in parts by cause.

    The data's columns: `flow`, `measure` and `cause` as `hopwright explain --json` names them,
    `count`.
    """
    if not budgets:
        raise InputError("--figure: there is nothing to draw: nothing was lost")
    if len(budgets) > MOST_FLOWS:
        raise InputError(
            f"--figure: {len(budgets)} flows do not fit on a page; choose one with --flow"
        )
    causes = sorted({cause for each in budgets for cause in each.causes}, key=_place)
    check_count(len(causes))
    looks: dict[str, dict[str, Any]] = {
        cause: {
            "facecolor": fill.grey,
            "hatch": fill.hatch,
            "hatchcolor": fill.ink,
            "edgecolor": "black",
            "linewidth": 0.5,
        }
        for cause, fill in zip(causes, FILLS, strict=False)
    }

    def draw(drawing: "Drawing") -> None:
        from matplotlib.patches import Patch
        from matplotlib.ticker import MaxNLocator

        panels = drawing.subplots(len(budgets), 1, squeeze=False)[:, 0]
        for axes, each in zip(panels, budgets, strict=True):
            longest = 1
            for row, measure in enumerate(NAMES):
                start = 0
                for cause, look in looks.items():
                    count = each.counts[measure][cause]
                    axes.barh(row, count, 0.7, start, zorder=2, **look)
                    start += count
                if start:
                    axes.annotate(
                        str(start), (start, row), (3, 0), textcoords="offset points", va="center"
                    )
                longest = max(longest, start)
            names = each.choose(NAMES, NAMES_OF_BUNDLES, NAMES_OF_ASKED)
            axes.set_yticks(range(len(NAMES)), list(names.values()))
            axes.set_ylim(len(NAMES) - 0.5, -0.5)
            axes.set_xlim(0, 1.12 * longest)
            axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
            axes.tick_params(axis="y", length=0)
            axes.grid(visible=False, axis="y")
            axes.set_title(f"flow {each.flow}", loc="left")
        panels[-1].set_xlabel("count")
        handles = [Patch(**look) for look in looks.values()]
        legend_below(drawing, handles, [_name(cause) for cause in causes])

    rows = (
        (each.flow, measure, cause, each.counts[measure][cause])
        for each in budgets
        for measure in NAMES
        for cause in causes
    )
    data = columns(("flow", "measure", "cause", "count"), rows)
    height_in = len(budgets) * (MARGIN_IN + BAR_IN * len(NAMES))
    return Figure(draw, data, height_in=height_in)


def _place(cause: str) -> tuple[bool, str]:
    """Causes in a fixed order, that of nothing at the end."""
    return cause == SPURIOUS, cause


def _name(cause: str) -> str:
    return cause if cause == SPURIOUS else words.LOSSES.get(cause, cause)
