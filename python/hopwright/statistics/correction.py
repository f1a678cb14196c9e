"""Many comparisons at once: one of twenty shows by chance what one alone would not."""

from collections.abc import Sequence


def holm(ps: Sequence[float | None]) -> list[float | None]:
    """p-values corrected by Holm's method, in the given order.

    Rejecting those below a level is wrong anywhere among them at most at that rate, however the
    comparisons depend on each other. What was not tested (None) stays so and does not count.

    Source: Holm, "A simple sequentially rejective multiple test procedure", Scand. J. Stat. 6
    (1979).
    """
    tested = [p for p in ps if p is not None]
    if len(tested) < 2:
        return list(ps)
    from statsmodels.stats.multitest import multipletests

    corrected = iter(multipletests(tested, method="holm")[1])
    return [None if p is None else float(next(corrected)) for p in ps]
