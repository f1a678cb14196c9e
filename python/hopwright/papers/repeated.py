"""Runs made again with other seeds, as far as ours tell of them: would they say the same?"""

from collections.abc import Mapping, Sequence

import numpy as np

REPETITIONS = 400
"""A share of 95 % of these is known to one in a hundred."""


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
    # A run is the means and a mixture of what our runs are off them: its covariances are theirs.
    off = (ours - means[:, None]) / np.sqrt(runs - 1)
    draw = np.random.Generator(np.random.PCG64(1))
    scale = np.sqrt((runs - 1) / draw.chisquare(runs - 1, size=(repetitions, 1, 1)) / more)
    true_means = means[:, None] + scale * (off @ draw.standard_normal((repetitions, runs, 1))) / (
        np.sqrt(runs)
    )
    drawn = true_means + scale * (off @ draw.standard_normal((repetitions, runs, runs)))
    return [{name: row.tolist() for name, row in zip(names, each, strict=True)} for each in drawn]


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
