"""Triggers made from the map: a composition to begin with, and rows that change it.

What a row saves is what its cells lose with the composition to begin with, and no more with the
row's: the regret of the map, which counts only what is sure. Rows are found one after the other,
each time the one that saves the most (a greedy cover). A condition is a bound between two
neighbouring values of an axis; every condition must save its share, so that few are left.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations, product
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

Cell = tuple[int, ...]
Mask = NDArray[np.bool_]
"""Which cells of the grid."""

MOST_CONDITIONS = 2
"""Of a row: more are hard to read."""

MOST_ROWS = 4

WORTH = 0.002
"""What a condition must save: a part of the measure, on average over all cells."""


class Split(NamedTuple):
    """A bound on an axis, between two neighbouring values of the grid."""

    axis: int
    side: Literal["above", "below"]
    place: int
    """Of the lower one of the two values."""


class Row(NamedTuple):
    """A composition for the part of the grid where all conditions are true."""

    composition: str
    when: tuple[Split, ...]
    cells: frozenset[Cell]
    saved: float
    """The regret that it saves, on average over its cells."""


class Policy(NamedTuple):
    """What a flow begins with, and when it becomes something else."""

    base: str
    rows: tuple[Row, ...]
    regret: float
    """What is lost against the best composition of each cell, on average over all."""
    fixed: Mapping[str, float]
    """The same of each composition, if it never changes."""

    def at(self, cell: Cell) -> str:
        """The composition that a cell gets."""
        return next((row.composition for row in self.rows if cell in row.cells), self.base)


def derive(
    lengths: Sequence[int],
    regret: Mapping[Cell, Mapping[str, float]],
    switchable: Mapping[str, Sequence[str]],
    apart: Collection[frozenset[str]] = (),
) -> Policy:
    """The policy that loses least.

    Args:
        lengths: How many values each axis has.
        regret: What each composition loses in each cell against the best there, 0 to 1.
        switchable: For each composition the others that triggers can change it into.
        apart: Pairs of compositions that one policy cannot have both among its rows.
    """
    losses = {
        name: np.array([regret[cell][name] for cell in np.ndindex(*lengths)]).reshape(lengths)
        for name in switchable
    }
    fixed = {name: float(loss.mean()) for name, loss in losses.items()}
    found = [_from(base, losses, switchable[base], fixed, apart) for base in switchable]
    return min(found, key=_cost)


def _cost(policy: Policy) -> tuple[float, float]:
    """Of equal policies the one that begins with what loses less: triggers need time to know."""
    conditions = sum(len(row.when) for row in policy.rows)
    return round(policy.regret + WORTH * conditions, 9), policy.fixed[policy.base]


def _from(
    base: str,
    losses: Mapping[str, NDArray[np.float64]],
    others: Sequence[str],
    fixed: Mapping[str, float],
    apart: Collection[frozenset[str]],
) -> Policy:
    lengths = losses[base].shape
    taken = np.zeros(lengths, dtype=bool)
    rows: list[Row] = []
    while len(rows) < MOST_ROWS:
        best: tuple[float, int, str, tuple[Split, ...], Mask] | None = None
        had = {row.composition for row in rows}
        fitting = [n for n in others if not any({n, each} in apart for each in had)]
        for when, mask in _boxes(lengths):
            if (mask & taken).any():
                continue  # which of two rows came first would decide there
            for name in fitting:
                saved = float((losses[base] - losses[name])[mask].sum())
                worth = saved - WORTH * len(when) * mask.size
                # Of equal ones the smaller: where both are as good, nothing need change.
                if worth > 0 and (best is None or (worth, -mask.sum()) > (best[0], -best[1])):
                    best = (worth, int(mask.sum()), name, when, mask)
        if best is None:
            break
        worth, size, name, when, mask = best
        saved = (worth + WORTH * len(when) * mask.size) / size
        cells = frozenset(tuple(map(int, cell)) for cell in np.argwhere(mask))
        rows.append(Row(name, when, cells, saved))
        taken |= mask
    chosen = losses[base].copy()
    for row in rows:
        for cell in row.cells:
            chosen[cell] = losses[row.composition][cell]
    return Policy(base, tuple(rows), float(chosen.mean()), fixed)


def _boxes(lengths: Sequence[int]) -> Iterator[tuple[tuple[Split, ...], Mask]]:
    """Parts of the grid that some conditions leave, each on an axis of its own."""
    halves: list[list[tuple[Split, Mask]]] = []
    for axis, length in enumerate(lengths):
        places = np.arange(length).reshape(
            [-1 if each == axis else 1 for each in range(len(lengths))]
        )
        halves.append([])
        for place in range(length - 1):
            for side in ("above", "below"):
                half = places > place if side == "above" else places <= place
                mask = np.broadcast_to(half, lengths)
                halves[-1].append((Split(axis, side, place), mask))
    for count in range(1, MOST_CONDITIONS + 1):
        for axes in combinations(range(len(lengths)), count):
            for chosen in product(*(halves[axis] for axis in axes)):
                mask = np.logical_and.reduce([each for _, each in chosen])
                yield tuple(split for split, _ in chosen), mask
