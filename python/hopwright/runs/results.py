"""What `hopwright.run` returns: the summary, and tables that other libraries read as they are."""

from typing import TYPE_CHECKING, cast, overload

from hopwright._io.data import items
from hopwright._io.data_frames import to_pandas, to_polars
from hopwright._io.errors import InputError
from hopwright._io.in_python import in_python
from hopwright.results.chosen import Flows, flow_list
from hopwright.runs.kept import Kept

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping, Sequence

    import pandas as pd
    import polars as pl
    from arro3.core import Table

    from hopwright.explain.account import Account
    from hopwright.explain.story import Story
    from hopwright.explain.why import Why
    from hopwright.figures import Figure
    from hopwright.results.result_types import Result
    from hopwright.results.starvation import Starvation
    from hopwright.topology.report import Report
    from hopwright.view.shown import Shown


@in_python
class Results(Kept):
    """The runs of one scenario, in the order of their seeds.

    Tables are Arrow tables (`arro3.core.Table`): with `flows = results.flows`,
    `polars.DataFrame(flows)`, `pandas.DataFrame.from_arrow(flows)` and DuckDB's `FROM flows` take
    them without copying.

    Attributes:
        scenario: The scenario, every default filled in.
        summary: Everything that `hopwright run --json` prints: `results`, a list with an element
            for each run, their `mean`, and `ci95`, half the width of its 95 % confidence interval;
            see `docs/results-fields.md`.
        folder: Where everything was written, if `out` was given.
    """

    @property
    def runs(self) -> "list[Result]":
        """What each run measured, in the order of the seeds: the summary's `results`."""
        return cast("list[Result]", self.summary["results"])

    @property
    def mean(self) -> "Result":
        """Of each number the mean over the runs, but for words and what only names."""
        return cast("Result", self.summary["mean"])

    @property
    def ci95(self) -> "Result | None":
        """Likewise, half the width of the mean's 95 % interval; None if there is one run."""
        return cast("Result | None", self.summary["ci95"])

    @property
    def flows(self) -> "Table":
        """A row for each flow of each run: `seed`, `flow`, and what was measured.

        Units end the columns' names (`goodput_bps`, `mean_rtt_s`). What is about the whole run
        (`mac.collisions.total`) is repeated in the row of every flow.
        """
        from hopwright.results.tidy import tidy_runs

        return tidy_runs(dict(zip(self.seeds, items(self.summary, "results"), strict=True)))

    @property
    def starvation(self) -> "Starvation | None":
        """Which flows starve, and in how many runs; None if none does.

        `hopwright.results.starvation` says by which rule.
        """
        from hopwright.results.starvation import of_results

        return of_results(items(self.summary, "results"))

    def to_polars(self) -> "pl.DataFrame":
        """`flows` as a data frame of polars. Raises `InputError` where polars is not installed."""
        return to_polars(self.flows)

    def to_pandas(self) -> "pd.DataFrame":
        """`flows` as a data frame of pandas. Raises `InputError` where pandas is not installed."""
        return to_pandas(self.flows)

    def to_latex(self, *, labels: "Mapping[str, str] | None" = None) -> str:
        """The tables of flows for a paper, in LaTeX.

        They need the packages booktabs and siunitx.

        Args:
            labels: What stands for a protocol, a head or a column of results.

        Raises:
            InputError: A label is of nothing that the tables have.
        """
        from hopwright._io.names import Names
        from hopwright.results.table import latex

        names = Names(labels=labels or {})
        return latex(self.summary, node_count=self.scenario.node_count, names=names)

    def figure(  # noqa: PLR0913 - the options of the command
        self,
        kind: str | None = None,
        *,
        seed: int | None = None,
        y: str | None = None,
        flow: Flows = None,
        at_s: float | None = None,
        moving_average: int | None = None,
        title: str | None = None,
        log_y: bool = False,
        size: str = "column",
        labels: "Mapping[str, str] | None" = None,
        order: "Sequence[str]" = (),
        colour: "str | Mapping[str, str]" = "",
    ) -> "Figure":
        """What `hopwright plot` draws of a run; what is left out is guessed as there.

        Args:
            kind: `time`, of a column of the series; `topology`, `routes` or `paths` of the network.
                By default the first that the run has what is needed for.
            seed: Which run; the first, if nothing is said. `routes` are of the first.
            y: The column of the series, such as `cwnd_segments`.
            flow: These flows alone, counted from 0: a number or a list.
            at_s: When nodes are where a map shows them.
            moving_average: Draw the moving average of so many values over the series.
            title: Above the figure; by default the scenario's name, and none if it is empty.
            log_y: Whether the axis of y is logarithmic.
            size: How wide it is, such as `ieee-column`; `docs/figures.md` lists them.
            labels: What stands for a name: of a flow, a node, a column.
            order: The names of flows and nodes that come first.
            colour: A palette of Matplotlib's, such as `okabe-ito`, or colours by name; else grey.

        Raises:
            InputError: The run has not kept what is to be drawn, or an option does not fit.
        """
        from hopwright.figures.look import Look
        from hopwright.figures.of_run import RunOptions
        from hopwright.runs.looks import figure

        options = RunOptions(
            y=y,
            flows=flow_list(flow),
            at_s=at_s,
            moving_average=moving_average,
            title=title,
            log_y=log_y,
            look=Look(size=size, labels=labels or {}, order=order, colour=colour),
        )
        return figure(self, kind, self.seed_of(seed), options)

    @overload
    def explain(self, flow: Flows = None, *, seed: int | None = None) -> "Account": ...
    @overload
    def explain(
        self,
        flow: Flows = None,
        *,
        at_s: float,
        seed: int | None = None,
        full: bool = False,
    ) -> "Story": ...
    @overload
    def explain(
        self, flow: Flows = None, *, against: "Results", seed: int | None = None
    ) -> "Why": ...
    def explain(
        self,
        flow: Flows = None,
        *,
        at_s: float | None = None,
        against: "Results | None" = None,
        seed: int | None = None,
        full: bool = False,
    ) -> "Account | Story | Why":
        """Why things happened, as `hopwright explain` tells it.

        Without more, what each cause of loss is to blame for, a budget a flow. This, and a story,
        is of one run, which needs `out` and `output.lineage = "losses"`.

        Args:
            flow: These flows alone, counted from 0: a number or a list.
            at_s: The story of the event nearest to this time instead.
            against: Where the time of flows went instead, beside these results, the baseline. Runs
                that do not tell (`output.flow_time`) are made again.
            seed: Which run; by default the first, and with `against` all that both have.
            full: Do not end a story where a segment was sent again: tell why it was, too.

        Raises:
            InputError: The run has not kept what is asked for, or the words do not go together.
        """
        if against is not None:
            from hopwright.runs import looks

            if at_s is not None or full:
                raise InputError("against compares whole runs: omit at_s and full")
            return looks.against(self, against, flow_list(flow), seed)
        from hopwright.explain.account import Account, check_flow
        from hopwright.explain.events import Lineage
        from hopwright.explain.story import Story, check_time

        folder = self.folder_of(seed, "events", 'output.lineage = "losses"')
        lineage = Lineage.read(folder)
        if at_s is None:
            if full:
                raise InputError("full continues the story of an event: add at_s")
            return Account.of(lineage, flow)
        check_time(at_s, folder, f"at_s = {at_s:g}")
        for each in flow_list(flow) or ():
            check_flow(lineage, each)
        return Story.at(lineage, at_s, flow, full=full)

    def topology(self, *, step_s: float = 1.0, bins: str = "fd") -> "Report":
        """What the network did over time, with the seeds of these runs: `hopwright topology`.

        Args:
            step_s: Seconds between the instants that are looked at.
            bins: Classes of the histogram of paths: `fd` (Freedman and Diaconis) or `sturges`.

        Raises:
            InputError: Links join the nodes, or there is more than can be looked at.
        """
        from hopwright.topology.report import report_of

        first = self.scenario.with_seed(self.seeds[0])
        return report_of(first, runs=len(self.seeds), step_s=step_s, bins=bins)

    def view(
        self,
        file: "str | os.PathLike[str] | None" = None,
        *,
        seed: int | None = None,
        against: "Results | None" = None,
        overwrite: bool = False,
    ) -> "Shown":
        """Writes a page in which a run moves, as `hopwright view`; a notebook shows it.

        The runs need `out`, `output.frames` and `output.positions`, and for stories
        `output.lineage`.

        Args:
            file: The HTML file; by default `view.html` in the run's folder.
            seed: Which run; the first, if nothing is said.
            against: Results whose run is shown beside this one.
            overwrite: Whether `file` may be replaced.

        Raises:
            InputError: The run has not kept what is shown, or the file cannot be written.
        """
        from hopwright.runs import looks

        keys = "output.frames = true and output.positions = true"
        shown = [self] if against is None else [self, against]
        folders = [each.folder_of(seed, "frames and positions", keys) for each in shown]
        return looks.view(folders, file, overwrite=overwrite)

    def __str__(self) -> str:
        """What `hopwright run` prints."""
        from hopwright._io.console import text_of
        from hopwright.results.table import render

        return text_of(render(self.summary, node_count=self.scenario.node_count)).rstrip("\n")

    def __repr__(self) -> str:
        runs = f"{len(self.seeds)} run{'s' if len(self.seeds) != 1 else ''}"
        return f"<Results of {self.scenario.name!r}: {runs}>"

    def _repr_html_(self) -> str:
        """For notebooks: what `hopwright run` prints, as tables."""
        from hopwright.results.table import html

        return html(self.summary, node_count=self.scenario.node_count)
