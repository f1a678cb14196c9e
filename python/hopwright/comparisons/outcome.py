"""What a comparison brought: numbers, sentences, tables."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from hopwright._io.data import Object
from hopwright._io.data_frames import to_pandas, to_polars
from hopwright._io.errors import InputError
from hopwright._io.in_python import in_python
from hopwright._io.plural import many
from hopwright._schema.settings import Settings, settings_text
from hopwright.comparisons.contrast import SCENARIO, Contrast, Group
from hopwright.comparisons.words import sentence
from hopwright.results.chosen import Flows, flow_list, flows_text
from hopwright.results.metrics import Metric, is_of_run
from hopwright.results.starvation import Starvation, warnings_at
from hopwright.results.summary import to_json as json_text
from hopwright.results.tidy import column_of

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    from arro3.core import Table

    from hopwright.explain.why import Why
    from hopwright.figures import Figure


class Compared(NamedTuple):
    """A scenario that was compared in."""

    name: str
    seed: int
    """The first."""
    last_seed: int
    seeds: int
    """How many there are."""
    flows: int
    """The most that a run has."""


class Starved(NamedTuple):
    """A variant in a block in which a flow starves."""

    block: Settings
    variant: str
    found: Starvation

    def said(self) -> str:
        """`a flow starves with reno in 9 of 10 runs: flow 1 (10 → 14) gets ...`."""
        block = f", {settings_text(self.block)}" if self.block else ""
        return self.found.said(f"with {self.variant}{block}")


@in_python
@dataclass(frozen=True, eq=False, repr=False)
class Comparison:
    """A finished comparison.

    Attributes:
        scenarios: What was compared in: one, or several, each with blocks of its own.
        version: Of the program that made the runs.
        key: The varied key whose values are compared.
        baseline: The value that the others are compared with.
        confidence: Of the intervals; a p-value below one minus it counts as a difference.
        chosen: The only flows that are looked at; None: all.
        has_udp: Whether a flow is over UDP: its goodput is what was received.
        metrics: What is compared, the primary one first.
        groups: Each variant by itself, per metric and block.
        contrasts: The comparisons, per metric and block.
        starvation: The variants in which a flow starves: `hopwright.results.starvation` has the
            rule.
        folder: Where the runs are kept; None if only in memory.
    """

    scenarios: list[Compared]
    version: str
    key: str
    baseline: str
    confidence: float
    chosen: tuple[int, ...] | None
    has_udp: bool
    metrics: list[Metric]
    groups: list[Group]
    contrasts: list[Contrast]
    starvation: list[Starved] = field(default_factory=list)
    folder: Path | None = None

    @property
    def scenario(self) -> str:
        """The scenario's name; of several: `chain-8, grid-5x5`."""
        return ", ".join(each.name for each in self.scenarios)

    @property
    def flows(self) -> int:
        """The most flows that a run has."""
        return max(each.flows for each in self.scenarios)

    @cached_property
    def panels(self) -> "list[Comparison]":
        """Each scenario by itself; p-values stay corrected over all of them."""
        if len(self.scenarios) == 1:
            return [self]
        return [self._panel(each) for each in self.scenarios]

    def _panel(self, scenario: Compared) -> "Comparison":
        def own(settings: Settings) -> Settings:
            return {key: value for key, value in settings.items() if key != SCENARIO}

        def is_of(each: Group | Contrast | Starved) -> bool:
            return each.block[SCENARIO] == scenario.name

        groups = [replace(each, block=own(each.block)) for each in self.groups if is_of(each)]
        known = {each.metric for each in groups}
        return replace(
            self,
            scenarios=[scenario],
            metrics=[each for each in self.metrics if each.key in known],
            groups=groups,
            contrasts=[replace(c, block=own(c.block)) for c in self.contrasts if is_of(c)],
            starvation=[s._replace(block=own(s.block)) for s in self.starvation if is_of(s)],
        )

    @cached_property
    def sentences(self) -> list[str]:
        """What each comparison shows, in words."""
        named = {each.key: each for each in self.metrics}
        return [sentence(each, named[each.metric], self.confidence) for each in self.contrasts]

    @cached_property
    def table(self) -> "Table":
        """A row a comparison, as an Arrow table; see `Contrast` for what the columns mean."""
        from arro3.core import Table

        from hopwright.comparisons.export import columns_of

        columns = columns_of(self).items()
        return Table.from_pydict({name: column_of(cells) for name, cells in columns})

    def to_polars(self) -> "pl.DataFrame":
        """`table` as a data frame of polars. Raises `InputError` where polars is not installed."""
        return to_polars(self.table)

    def to_pandas(self) -> "pd.DataFrame":
        """`table` as a data frame of pandas. Raises `InputError` where pandas is not installed."""
        return to_pandas(self.table)

    def starved(self) -> list[str]:
        """A line for each variant in which a flow starves; if they are many, one for all of them.

        The variants of one block are told of one by one, however many they are.
        """
        if all(not each.block for each in self.starvation):
            return [each.said() for each in self.starvation]
        named = [
            (settings_text({self.key: each.variant, **each.block}), each.found)
            for each in self.starvation
        ]
        all_of = {(each.variant, settings_text(each.block)) for each in self.groups if each.runs}
        return warnings_at(named, len(all_of))

    def of(self, metric: Metric) -> tuple[list[Group], list[Contrast]]:
        """The variants and the comparisons of a metric."""
        return (
            [each for each in self.groups if each.metric == metric.key],
            [each for each in self.contrasts if each.metric == metric.key],
        )

    def to_dict(self) -> Object:
        """Everything, as `comparison.json` holds it."""
        from hopwright.comparisons.export import to_dict

        return to_dict(self)

    def to_json(self) -> str:
        """Everything, as the text of a JSON file."""
        return json_text(self.to_dict())

    def to_csv(self) -> str:
        """A row a comparison; an empty cell where there is no value."""
        from hopwright.comparisons.export import to_csv

        return to_csv(self)

    def to_latex(
        self, *, labels: Mapping[str, str] | None = None, order: Sequence[str] = ()
    ) -> str:
        """A table a metric for a paper, in LaTeX; the sentences stand in comments.

        They need the packages booktabs and siunitx.

        Args:
            labels: What stands for a variant, a key or a column of results.
            order: The variants that come first.

        Raises:
            InputError: A name is of nothing that the tables have.
        """
        from hopwright._io.names import Names
        from hopwright.comparisons.report import latex

        return latex(self, Names(labels=labels or {}, order=order))

    def over_flows(self, metric: Metric) -> str:
        """`, sum of 3 flows`, of those that make its values; empty where a run has one flow."""
        how = over_flows(metric)
        counted = {each.flows for each in self.of(metric)[0] if each.flows}
        if self.flows < 2 or how == "run" or not counted:
            return ""
        if len(counted) > 1:
            return f", {how} over flows"
        (flows,) = counted
        if len(flows) == 1 or self.chosen is not None:
            return f", {f'{how} of ' if len(flows) > 1 else ''}{flows_text(flows)}"
        of = "" if len(flows) == self.flows else f" of {self.flows}"
        return f", {how} of {len(flows)}{of} flows"

    def figure(
        self,
        *,
        size: str = "column",
        labels: Mapping[str, str] | None = None,
        order: Sequence[str] = (),
        colour: str | Mapping[str, str] = "",
    ) -> "Figure | None":
        """The figure of the first metric; None if there is nothing to show.

        Args:
            size: How wide it is, such as `ieee-column`; `docs/figures.md` lists them.
            labels: What stands for a name: of a variant, a setting, a column.
            order: The names of variants and settings that come first.
            colour: A palette of Matplotlib's, such as `okabe-ito`, or colours by name; else grey.

        Raises:
            InputError: There is no such name, size or colour, or more than fits on a page.
        """
        from hopwright.comparisons.figure import primary_figure
        from hopwright.figures.look import Look

        look = Look(size=size, labels=labels or {}, order=order, colour=colour)
        return primary_figure(self, look)

    def explain(self, flow: Flows = None, *, seed: int | None = None) -> "list[Why]":
        """Where the time of flows went with each variant, beside the baseline; a `Why` a block.

        Runs that do not tell (`output.flow_time`) are made again.

        Args:
            flow: These flows alone, counted from 0: a number or a list.
            seed: The runs with this seed alone; by default all that variants share.

        Raises:
            InputError: The runs were kept in memory only, or there is no such flow or seed.
        """
        from hopwright.comparisons.parts import read_parts
        from hopwright.comparisons.question import Question
        from hopwright.comparisons.why import of_parts

        if self.folder is None:
            raise InputError("explain: the runs were not kept; compare with out=DIR")
        question = Question(
            baseline=f"{self.key}={self.baseline}",
            flows=flow_list(flow),
            where={} if seed is None else {"seed": [str(seed)]},
        )
        return of_parts(read_parts(self.folder), question, lambda _line: None)

    def __repr__(self) -> str:
        variants = list(dict.fromkeys(each.variant for each in self.contrasts))
        return (
            f"<Comparison of {', '.join(variants)} with {self.baseline} ({self.key}): "
            f"{many(max(each.seeds for each in self.scenarios), 'seed')}>"
        )

    def __str__(self) -> str:
        from hopwright.comparisons.report import text

        return text(self)

    def _repr_html_(self) -> str:
        from hopwright._io import markup
        from hopwright.comparisons.report import HEADINGS, cells_of, heading, title

        parts = [markup.paragraph(heading(self), bold=True)]
        parts += [markup.paragraph(f"Warning: {line}") for line in self.starved()]
        words = dict(zip(map(id, self.contrasts), self.sentences, strict=True))
        for metric in self.metrics:
            names, rows = cells_of(self, metric)
            parts.append(markup.table([*names, *HEADINGS], rows, title(self, metric)))
            parts.append(markup.bullets(words[id(each)] for each in self.of(metric)[1]))
        return "".join(parts)


def over_flows(metric: Metric) -> str:
    """How a run's value is made of its flows'."""
    if is_of_run(metric.key):
        return "run"
    return "sum" if metric.sum_over_flows else "mean"
