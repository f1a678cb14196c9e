"""A comparison in words that somebody who never had statistics cannot misread."""

from collections.abc import Sequence

from hopwright._io.plural import many
from hopwright._schema.settings import named, settings_text
from hopwright.comparisons.contrast import SCENARIO, Contrast
from hopwright.comparisons.numbers import (
    amount_text,
    chance_text,
    difference_text,
    ends_text,
    p_text,
    percent_ends_text,
    percent_text,
    with_unit,
)
from hopwright.results.metrics import Metric

DEFAULT_CONFIDENCE = 0.95


def sentence(contrast: Contrast, wanted: Metric, confidence: float = DEFAULT_CONFIDENCE) -> str:
    """What the comparison shows, by which test, and how sure that is."""
    words = _SAYING[contrast.verdict](contrast, wanted, confidence)
    return f"{_head(contrast, wanted)}: {words}{_left_out(contrast)}"


def guide(
    confidence: float,
    *,
    spread: bool,
    intervals: bool,
    tested: bool,
    together: Sequence[str] = (),
    scenarios: int = 1,
) -> list[str]:
    """How to read what is printed, for whoever does not know: a sentence or two an entry.

    Whether means have a ±, differences an interval, and whether something was tested; which metrics
    are corrected `together`; in how many scenarios variants were compared.
    """
    percent = _percent(confidence)
    lines = []
    if spread:
        lines.append(
            f"± is half of the {percent} interval of a variant's own mean. To compare two "
            "variants, look at the interval of the difference, not at whether these intervals "
            "overlap."
        )
    if intervals:
        lines.append(
            f"In {100 * confidence:g} of 100 experiments like this one, the {percent} interval "
            "contains the true mean difference. This is so for each comparison by itself: of many "
            "such intervals, some do not contain it."
        )
    if tested:
        over = f", in all {scenarios} scenarios" if scenarios > 1 else ""
        several = (
            f" For this, {', '.join(together[:-1])} and {together[-1]} count as one metric."
            if len(together) > 1
            else ""
        )
        lines.append(
            "p: how often chance alone would give a difference at least as large if there were no "
            "true difference. The p in the tables is corrected (Holm) for all comparisons of the "
            f"metric{over}, because of many comparisons some have a small p by chance.{several} "
            f"Only a corrected p below {1 - confidence:.3g} counts as a difference here."
        )
        lines.append(
            "A small p is a sign of a difference, not of a large difference. Look at the size of "
            "the difference to see whether it matters."
        )
        lines.append(
            "'No difference shown' does not mean that there is no difference: the interval says "
            "how large it may be."
        )
    return lines


def _head(contrast: Contrast, wanted: Metric) -> str:
    settings = dict(contrast.block)
    scenario = settings.pop(SCENARIO, None)
    block = f"In {scenario}, " if scenario else ""
    if settings:
        block += f"{'with' if block else 'With'} {settings_text(settings)}, "
    variant = named(contrast.key, contrast.variant)
    return f"{block}{variant} against {contrast.baseline}, {wanted.title}"


def _difference(contrast: Contrast, wanted: Metric, confidence: float) -> str:
    found = (
        f"{_size(contrast, wanted, confidence)}. {_counts(contrast, wanted)}"
        f"{_chance(contrast)} ({_test(contrast)}). {_ranks(contrast, confidence)}"
    )
    return found.strip()


def _only_if_alone(contrast: Contrast, wanted: Metric, confidence: float) -> str:
    found = (
        f"no difference shown, but nearly. Found: {_size(contrast, wanted, confidence)}. "
        f"{_counts(contrast, wanted)}{_chance(contrast)}; but with {contrast.comparisons} "
        f"comparisons, a difference as clear as this may well be chance ({_test(contrast)}). "
        f"To find out, compare again with more runs and new seeds. {_ranks(contrast, confidence)}"
    )
    return found.strip()


def _nothing_shown(contrast: Contrast, wanted: Metric, confidence: float) -> str:
    low, high = _ends(contrast)
    mean, relative = _number(contrast, wanted), ""
    if contrast.relative is not None:
        mean += f" ({percent_text(contrast.relative.estimate, contrast.relative.width)})"
        if contrast.relative.ends is not None:
            # Of the ratio of two means (Fieller): not the ends above over the baseline's mean.
            ends = percent_ends_text(*contrast.relative.ends)
            relative = f"In percent of the baseline, whose mean is uncertain too: {ends}. "
    found = (
        f"no difference shown. The runs differ by {mean} on average, but the data allow a "
        f"true difference anywhere from {with_unit(ends_text(low, high, wanted), wanted)}"
        f": that is the {_percent(confidence)} interval. {relative}"
        f"{_counts(contrast, wanted)}{_chance(contrast)} ({_test(contrast)}). "
        f"{_ranks(contrast, confidence)}"
    )
    return found.strip()


def _same(contrast: Contrast, _wanted: Metric, _confidence: float) -> str:
    if contrast.test == "paired t":
        return (
            f"exactly the same in all {contrast.n} pairs of runs with the same random numbers. "
            "There is no difference in these runs, and nothing to test."
        )
    return "exactly the same in all runs. There is no difference in them, and nothing to test."


def _constant(contrast: Contrast, wanted: Metric, _confidence: float) -> str:
    found = _number(contrast, wanted)
    if contrast.relative is not None:
        relative = contrast.relative.estimate
        amount = amount_text(relative, abs(relative))
        found = f"{amount} than with {named(contrast.key, contrast.baseline)} ({found})"
    if contrast.test != "paired t":
        return (
            f"{found}, the same between any two runs. Neither variant varies from run to run, so "
            "a test has no variation to compare the difference with."
        )
    # All pairs point one way: two of the 2**n patterns of signs.
    chance = chance_text(2.0 ** (1 - contrast.n))
    return (
        f"{found}, the same in each of the {contrast.n} pairs of runs with the same random "
        "numbers, so a t test has no variation to compare the difference with. If there were no "
        "true difference, chance alone would make all pairs differ in the same direction in "
        f"{chance} such experiments (sign test)."
    )


def _unknown(contrast: Contrast, wanted: Metric, _confidence: float) -> str:
    if contrast.difference is None:
        return "cannot be compared, because no two runs have a value."
    return (
        f"{_number(contrast, wanted)}, but from {_runs(contrast)} only. How much of this is chance "
        "cannot be known: at least two are needed."
    )


_SAYING = {
    "difference": _difference,
    "difference only if alone": _only_if_alone,
    "no difference shown": _nothing_shown,
    "same": _same,
    "constant": _constant,
    "unknown": _unknown,
}


def _size(contrast: Contrast, wanted: Metric, confidence: float) -> str:
    """`17.3 % higher than with reno (+34.1 kb/s; 95 % interval +31.0 to +37.2 kb/s)`."""
    low, high = _ends(contrast)
    interval = f"{_percent(confidence)} interval {with_unit(ends_text(low, high, wanted), wanted)}"
    number = _number(contrast, wanted)
    than = f"than with {named(contrast.key, contrast.baseline)}"
    if contrast.relative is None:
        way = "higher" if contrast.difference and contrast.difference.estimate > 0 else "lower"
        return f"on average {way} {than}, where it is zero ({number}; {interval})"
    amount = amount_text(contrast.relative.estimate, contrast.relative.width)
    return f"on average {amount} {than} ({number}; {interval})"


def _number(contrast: Contrast, wanted: Metric) -> str:
    """`+34.1 kb/s`."""
    if contrast.difference is None:
        raise ValueError("a comparison with a verdict has a difference")
    found = contrast.difference.estimate
    width = contrast.difference.width or abs(found)
    return with_unit(difference_text(found, wanted, width), wanted)


def _counts(contrast: Contrast, wanted: Metric) -> str:
    """`Better in 30 of 30 pairs of runs with the same random numbers. `."""
    if contrast.above is None or contrast.below is None or contrast.equal is None:
        return (
            f"{contrast.n} runs against {contrast.baseline_n} runs with other random numbers, so "
            "they cannot be compared in pairs. "
        )
    if wanted.better == "neither":
        ways = (("Higher", contrast.above), ("lower", contrast.below))
    else:
        lower = wanted.better == "lower"
        good, bad = (contrast.below, contrast.above) if lower else (contrast.above, contrast.below)
        ways = ((f"Better ({'lower' if lower else 'higher'})", good), ("worse", bad))
    (first, often), (second, seldom) = ways
    parts = [f"{first} in {often} of {contrast.n} pairs of runs with the same random numbers"]
    if seldom or not contrast.equal:
        parts.append(f"{second} in {seldom}")
    if contrast.equal:
        parts.append(f"equal in {contrast.equal}")
    if often == contrast.n:
        parts = parts[:1]
    return ", ".join(parts) + ". "


def _chance(contrast: Contrast) -> str:
    return (
        "If there were no true difference, chance alone would give a difference at least this "
        "large in "
        f"{chance_text(contrast.p if contrast.p is not None else 1.0)} such experiments"
    )


def _test(contrast: Contrast) -> str:
    """`paired t test, p=0.01; p=0.03 after Holm's correction for 3 comparisons`."""
    if contrast.p is None or contrast.p_holm is None:
        return "no test"
    words = f"{contrast.test} test, {p_text(contrast.p)}"
    if contrast.comparisons > 1:
        words += (
            f"; {p_text(contrast.p_holm)} after Holm's correction for {contrast.comparisons} "
            "comparisons"
        )
    return words


def _ranks(contrast: Contrast, confidence: float) -> str:
    """Whether Wilcoxon's test says the same."""
    p = contrast.wilcoxon_p_holm
    if contrast.test != "paired t" or contrast.wilcoxon_p is None or p is None:
        return ""
    level = 1 - confidence
    found, is_difference = p < level, contrast.verdict == "difference"
    name = "Wilcoxon's signed-rank test"
    how = f"{'exact' if contrast.wilcoxon_exact else 'approximate'}, {p_text(contrast.wilcoxon_p)}"
    if contrast.comparisons > 1:
        how += f"; {p_text(p)} after correction"
    if found:
        says = "shows a difference as well" if is_difference else "does show a difference"
        doubt = (
            ": most pairs differ in the same direction, although their mean shows no difference. "
            "Look at the single runs"
        )
        return f"{name} {says} ({how}){'' if is_difference else doubt}."
    same_way = contrast.wilcoxon_p == contrast.wilcoxon_least_p
    if same_way or (contrast.wilcoxon_least_p or 0.0) >= level:
        but = ", although all differ in the same direction" if same_way else ""
        if contrast.wilcoxon_n == 1:
            return f"{name} cannot decide with a single pair that differs ({how})."
        return f"{name} cannot decide with {contrast.wilcoxon_n} pairs that differ{but} ({how})."
    if not is_difference:
        return f"{name} shows no difference either ({how})."
    return (
        f"{name} does not show a difference ({how}): the mean may come from a few pairs with large "
        "differences. Look at the single runs."
    )


def _left_out(contrast: Contrast) -> str:
    still = many(contrast.not_made, "run is", "runs are")
    not_made = f"{still} not made yet" if contrast.not_made else ""
    if not contrast.left_out:
        return f" {not_made}." if not_made else ""
    runs = many(contrast.left_out, "run has", "runs have")
    why = "no value, or no partner of the same seed" if contrast.test == "paired t" else "no value"
    return f" Left out: {runs} {why}{not_made and f': {not_made}'}."


def _runs(contrast: Contrast) -> str:
    if contrast.test == "paired t":
        return f"{many(contrast.n, 'pair')} of runs"
    return f"{contrast.n} and {many(contrast.baseline_n, 'run')}"


def _ends(contrast: Contrast) -> tuple[float, float]:
    if contrast.difference is None or contrast.difference.ends is None:
        raise ValueError("a comparison with a verdict has an interval")
    return contrast.difference.ends


def _percent(confidence: float) -> str:
    return f"{100 * confidence:g} %"
