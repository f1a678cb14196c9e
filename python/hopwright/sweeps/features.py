"""What only some scenarios measure, and the keys of a scenario that make it do so."""

import tomllib
from collections.abc import Iterable, Sequence

from hopwright._io.errors import InputError, near
from hopwright.results.metrics import metrics
from hopwright.statistics.means import TALLIES


def check_names(wanted: Sequence[str]) -> None:
    """Raises `InputError` for results that no run can have, before any is made."""
    for key in wanted:
        if key not in metrics():
            known = [name for name in metrics() if name.partition(".")[0] not in TALLIES]
            raise InputError(f"no result called '{key}'{near(key, known)}")


def check_measured(wanted: Sequence[str], scenarios: Iterable[str]) -> None:
    """Raises `InputError` for a result that none of these scenarios measures, saying what to set.

    `scenarios`: as TOML, with every default filled in.
    """
    asked = {key: metrics()[key].when for key in wanted if advice(key)}
    if not asked:
        return
    for text in scenarios:
        scenario = tomllib.loads(text)
        for key, when in list(asked.items()):
            if any(each.is_in(scenario) for each in when):
                del asked[key]
        if not asked:
            return
    key = next(iter(asked))
    raise InputError(f"{key}: no run would have it{advice(key)}")


def advice(key: str) -> str:
    """`; set radio.energy` for a result that only such scenarios have; empty for others."""
    found = metrics().get(key)
    told = [when.advice for when in found.when if when.advice] if found else []
    return f"; set {' or '.join(told)}" if told else ""
