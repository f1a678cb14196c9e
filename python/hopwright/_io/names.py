"""What a paper calls things, and in which order: of figures and of tables."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Self

from hopwright._io.errors import UnknownNameError, near

BETWEEN = re.compile("([,;:] )")
"""Between the parts of a name, of which each may have a label: `chain: reno, hops 4`."""


@dataclass(frozen=True, kw_only=True)
class Names:
    """Labels and an order.

    Attributes:
        labels: What stands for a name, or for a part of one: `{"reno": "TCP Reno"}`.
        order: The names that come first; what is not named keeps its place behind them.
        is_checked: Whether it is known that what is named makes sense, here or elsewhere.
    """

    labels: Mapping[str, str] = field(default_factory=dict)
    order: Sequence[str] = ()
    is_checked: bool = False

    def text(self, name: str) -> str:
        """What stands for a name."""
        if name in self.labels:
            return self.labels[name]
        return "".join(self.labels.get(part, part) for part in BETWEEN.split(name))

    def places(self, names: Sequence[str]) -> list[int]:
        """The places of names in the order that was asked for."""
        return sorted(range(len(names)), key=lambda place: self._rank(names[place]))

    def check(self, names: Iterable[str], texts: Iterable[str] = ()) -> None:
        """Raises `UnknownNameError` where something is asked for a name that is not there.

        `names` may be labelled and ordered, `texts` labelled alone.
        """
        if self.is_checked:
            return
        ordered = with_parts(*names)
        labelled = with_parts(*ordered, *texts)
        for option, asked, known in (
            ("--labels", self.labels, labelled),
            ("--order", self.order, ordered),
        ):
            check_known(option, asked, known)

    def for_texts(self, texts: Mapping[str, str]) -> Self:
        """The same, where some names are what stands for a text: `goodput_bps`."""
        return replace(
            self,
            labels={texts.get(name, name): label for name, label in self.labels.items()},
            order=[texts.get(name, name) for name in self.order],
        )

    def checked(self) -> Self:
        """The same, of which nothing is refused any more."""
        return replace(self, is_checked=True)

    def _rank(self, name: str) -> int:
        ranks = [*self.order]
        found = [ranks.index(each) for each in with_parts(name) if each in ranks]
        return found[0] if found else len(ranks)


PLAIN = Names()
"""Under the names that things have, as they come."""


def check_known(option: str, asked: Iterable[str], known: Sequence[str]) -> None:
    """Raises `UnknownNameError` for a name that is not known."""
    for name in asked:
        if name not in known:
            raise UnknownNameError(f"{option} {name}: nothing has this name{near(name, known)}")


def with_parts(*names: str) -> list[str]:
    """Names, and the parts of those that have some, each once."""
    found = [part for name in names for part in (name, *BETWEEN.split(name)[::2])]
    return list(dict.fromkeys(each for each in found if each))
