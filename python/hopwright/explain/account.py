"""The loss budgets of a run's flows together: what `hopwright explain` says of a folder."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hopwright._io.data import Json
from hopwright._io.errors import InputError
from hopwright._io.in_python import in_python
from hopwright.explain.budget import Budget, budget
from hopwright.explain.events import Lineage
from hopwright.results.chosen import Flows, flow_list

if TYPE_CHECKING:
    from hopwright.figures import Figure

NOTHING = "nothing was lost, and no sender reacted"


@in_python
@dataclass(frozen=True, repr=False)
class Account:
    """What each cause is to blame for, a budget a flow."""

    budgets: Sequence[Budget]

    @classmethod
    def of(cls, lineage: Lineage, flows: Flows = None) -> "Account":
        """The budgets of all flows, or of some. Raises `InputError` if there is none of it."""
        chosen = flow_list(flows)
        for each in chosen or ():
            check_flow(lineage, each)
        return cls(
            [budget(lineage, each) for each in (lineage.flows if chosen is None else chosen)]
        )

    def figure(self) -> "Figure":
        """Bars: the causes of each flow."""
        from hopwright.explain.budget_figure import budget_figure

        return budget_figure(self.budgets)

    def to_json(self) -> list[Json]:
        """Each budget's counts."""
        return [each.to_json() for each in self.budgets]

    def __str__(self) -> str:
        return "\n\n".join(map(str, self.budgets)) or NOTHING

    def __repr__(self) -> str:
        flows = ", ".join(str(each.flow) for each in self.budgets) or "none"
        return f"<Account of losses: flows {flows}>"

    def _repr_html_(self) -> str:
        from hopwright._io import markup

        return "".join(each._repr_html_() for each in self.budgets) or markup.paragraph(NOTHING)


def check_flow(lineage: Lineage, flow: int, word: str = "flow ") -> None:
    """Raises `InputError` if the recording has no such flow. `word`: what stands before it."""
    if flow not in lineage.flows:
        known = ", ".join(map(str, lineage.flows)) or "none"
        raise InputError(
            f"{word}{flow}: the recording has no events of this flow; flows with events: {known}"
        )
