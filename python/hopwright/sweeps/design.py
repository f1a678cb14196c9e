"""Designs: which combinations of the axes' values are the points of a sweep."""

import itertools
import math
from collections.abc import Sequence
from typing import Literal, TypeAlias, get_args

from hopwright._io.errors import InputError, near
from hopwright._io.plural import many
from hopwright._schema.settings import Settings, Step
from hopwright.sweeps.axes import MOST_VALUES, Axis, Range

Design: TypeAlias = Literal["product", "zip", "random", "lhs"]
DESIGNS: tuple[Design, ...] = get_args(Design)
DRAWN = ("random", "lhs")
"""Designs that draw their points, as many as are asked for."""


def check_design(design: str, count: int | None, needs: str = "points=N") -> Design:
    """The design of that name. Raises `InputError` if `count` points do not go with it.

    `needs`: how whoever asks says a number of points.
    """
    if design not in DESIGNS:
        raise InputError(f"no design called '{design}'{near(design, DESIGNS)}")
    if design in DRAWN and count is None:
        raise InputError(f"the design '{design}' needs a number of points: {needs}")
    if design not in DRAWN and count is not None:
        raise InputError(
            f"the design '{design}' has the points that its values make; a number of points is "
            "only for 'random' and 'lhs'"
        )
    if count is not None and not 1 <= count <= MOST_VALUES:
        raise InputError(f"{count} points: must be 1 to {MOST_VALUES}")
    return design


def settings_of(
    axes: Sequence[Axis], design: Design, count: int | None, seed: int
) -> list[Settings]:
    """The points of a design, in its order.

    Args:
        axes: What is varied; for `product` and `zip` each with its values listed.
        design: `product` (the last axis changes fastest), `zip` (first values, second values, ...),
            `random` (independent draws), `lhs` (Latin hypercube: each axis is cut into `count`
            slices of equal probability and each slice is drawn from once; McKay, Beckman and
            Conover 1979).
        count: Points to draw; None for `product` and `zip`.
        seed: Seed of the draws.
    """
    if design in DRAWN:
        return _drawn(axes, design, count or 1, seed)
    lists = [axis.steps() for axis in axes]
    if design == "product":
        total = math.prod(map(len, lists))
        if total > MOST_VALUES:
            raise InputError(f"{total} points are more than {MOST_VALUES}")
        rows = list(itertools.product(*lists))
    else:
        first = axes[0]
        for axis, values in zip(axes, lists, strict=True):
            if len(values) != len(lists[0]):
                raise InputError(
                    f"zip: {first.name} has {many(len(lists[0]), 'value')}, "
                    f"{axis.name} {len(values)}; "
                    "all need the same number"
                )
        rows = list(zip(*lists, strict=True))
    return [_together(axes, row) for row in rows]


def _together(axes: Sequence[Axis], steps: Sequence[Step]) -> Settings:
    """The settings of a point, from a step of each axis."""
    return {
        key: value
        for axis, step in zip(axes, steps, strict=True)
        for key, value in axis.settings(step).items()
    }


def _drawn(axes: Sequence[Axis], design: Design, count: int, seed: int) -> list[Settings]:
    import numpy as np

    if design == "lhs":
        from scipy.stats import qmc

        parts = qmc.LatinHypercube(d=len(axes), rng=np.random.default_rng(seed)).random(count)
    else:
        parts = np.random.default_rng(seed).random((count, len(axes)))
    return [
        _together(axes, [_at(axis, float(part)) for axis, part in zip(axes, row, strict=True)])
        for row in parts
    ]


def _at(axis: Axis, part: float) -> Step:
    """The value that a part of the axis's values lies below; `part` from 0 to less than 1."""
    values = axis.values
    if not isinstance(values, Range):
        return values[int(part * len(values))]
    low, high = values.low, values.high
    if values.is_whole:
        if not values.log:
            return int(low) + int(part * (int(high) - int(low) + 1))
        # Each whole number stands for the half unit around it.
        nearest = round((low - 0.5) * ((high + 0.5) / (low - 0.5)) ** part)
        return int(min(max(nearest, low), high))
    drawn = low * (high / low) ** part if values.log else low + (high - low) * part
    # Nine digits: a power's last bits are not the same on every machine.
    return min(max(float(f"{drawn:.9g}"), float(low)), float(high))
