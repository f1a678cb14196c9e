"""Runs made again with other seeds, as far as ours tell of them: would they say the same?"""

from collections.abc import Mapping, Sequence

import numpy as np

REPETITIONS = 400
"""A share of 95 % of these is known to one in a hundred."""

ROUNDING = 1e-12
"""The share of a variance that computing may leave of nothing."""


def repeated(
    values: Mapping[str, Sequence[float]], *, more: float = 1.0, repetitions: int = REPETITIONS
) -> list[dict[str, list[float]]]:
    """Results of the same runs with other seeds.

    Drawn from the predictive distribution of normal runs with unknown means and covariances: cells
    that share seeds stay correlated. (Gelman et al., Bayesian Data Analysis, 3rd edition, section
    3.6, with the usual prior without information; of the covariances only the scale is drawn.)

    Args:
        values: Of cells, results of every run; all with the same seeds, at least two, in the same
            order.
        more: So many times as many runs. Rather than more runs, as many are drawn with means that
            vary less: what is asked is how means of so many runs would compare.
        repetitions: How many.
    """
    names = list(values)
    ours = np.array([values[name] for name in names], dtype=float)
    runs = ours.shape[1]
    means = ours.mean(axis=1)
    off = ours - means[:, None]
    root = _root(off @ off.T / (runs - 1))
    draw = np.random.Generator(np.random.PCG64(1))
    drawn = []
    for _ in range(repetitions):
        scale = np.sqrt((runs - 1) / draw.chisquare(runs - 1) / more)
        true_means = means + scale * (root @ draw.standard_normal(len(names))) / np.sqrt(runs)
        of_runs = true_means[:, None] + scale * (root @ draw.standard_normal((len(names), runs)))
        drawn.append({name: row.tolist() for name, row in zip(names, of_runs, strict=True)})
    return drawn


def _root(covariances: np.ndarray) -> np.ndarray:
    """The lower triangle whose product with its transpose they are (Cholesky).

    A cell that the cells before it make up wholly, or that does not vary, has zeros in its column.
    """
    root = np.zeros_like(covariances)
    for at, row in enumerate(covariances):
        rest = row[at] - root[at, :at] @ root[at, :at]
        if rest > ROUNDING * row[at]:
            below = covariances[at:, at] - root[at:, :at] @ root[at, :at]
            root[at:, at] = below / np.sqrt(rest)
    return root


def redrawn(
    values: Mapping[str, Sequence[float]], *, more: float = 1.0, repetitions: int = REPETITIONS
) -> list[dict[str, list[float]]]:
    """Results of the same runs with other seeds, each of which is one of ours.

    For rules that count runs: what a run has is often one of two numbers, and normal runs around
    their mean have neither. (The Bayesian bootstrap, Rubin 1981, and runs drawn from it.) What no
    run of ours has none of these has.

    Args:
        values: As of `repeated`.
        more: So many times as many runs.
        repetitions: How many.
    """
    names = list(values)
    ours = np.array([values[name] for name in names], dtype=float)
    runs = ours.shape[1]
    draw = np.random.Generator(np.random.PCG64(1))
    shares = draw.dirichlet(np.full(runs, more), size=repetitions)
    which = (draw.choice(runs, size=round(runs * more), p=share) for share in shares)
    return [
        {name: row.tolist() for name, row in zip(names, ours[:, each], strict=True)}
        for each in which
    ]
