"""Which names figures and tables of varied keys will have: known before a run is done."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from hopwright._io.names import Names
from hopwright._schema.settings import Step, named, settings_text, step_text
from hopwright.comparisons.contrast import SCENARIO
from hopwright.figures.labels import label
from hopwright.results.metrics import metrics

N = TypeVar("N", bound=Names)


SHOWN = ("variant", "mean", "difference", "relative", "p (Holm)", "equal share", "runs")
"""What figures and tables say besides."""


def checked_names(
    asked: N,
    steps: Mapping[str, Sequence[Step]],
    shown: Iterable[str] = (),
    scenarios: Sequence[str] = (),
) -> N:
    """The names, of which each is of these varied keys, their values, results or scenarios.

    Raises `UnknownNameError` for one that is not. Which of them are in a table or a figure, only
    the results tell: what is not, has no effect.
    """
    if len(scenarios) > 1:
        steps = {SCENARIO: scenarios, **steps}
    names = [step_text(step) for of_key in steps.values() for step in of_key]
    names += [named(key, name) for key, of_key in steps.items() for name in map(step_text, of_key)]
    names += [
        settings_text({key: step})
        for key, of_key in steps.items()
        for step in of_key
        if not isinstance(step, tuple)
    ]
    keys = [key for axis in steps for key in axis.split(",")]
    known = metrics()
    texts = [
        *keys,
        *map(label, keys),
        *shown,
        *SHOWN,
        *known,
        *(each.label for each in known.values()),
    ]
    asked.check(dict.fromkeys(names), texts)
    return asked.checked()
