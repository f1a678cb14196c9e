"""Numbers of a comparison as people read them: signs, units, and as many digits as they carry."""

import math

from hopwright.results.metrics import Metric

MOST_DECIMALS = 9


def decimals_for(width: float | None, least: int) -> int:
    """Digits after the point that show two digits of an interval's width, and not below `least`."""
    if not width or not math.isfinite(width):
        return least
    return min(max(least, 1 - math.floor(math.log10(width))), MOST_DECIMALS)


def signed(value: float, decimals: int) -> str:
    """`+34.1`; zero without a sign."""
    text = f"{value:+.{decimals}f}"
    return text if float(text) else f"{0:.{decimals}f}"


def difference_text(value: float, wanted: Metric, width: float | None) -> str:
    """`+34.1`, in the unit of the metric."""
    return signed(value * wanted.scale, _decimals(wanted, width))


def ends_text(low: float, high: float, wanted: Metric) -> str:
    """`+31.0 to +37.2`, in the unit of the metric."""
    width = high - low
    return f"{difference_text(low, wanted, width)} to {difference_text(high, wanted, width)}"


def with_unit(text: str, wanted: Metric) -> str:
    """The number with its unit, if it has one."""
    return f"{text} {wanted.unit}" if wanted.unit else text


def amount_text(value: float, width: float | None) -> str:
    """`17.3 % higher`, `49.1 % lower`."""
    text = percent_text(value, width)
    way = "higher" if text.startswith("+") else "lower" if text.startswith("-") else "more or less"
    return f"{text.lstrip('+-')} {way}"


def percent_text(value: float, width: float | None) -> str:
    """`+17.3 %`."""
    return f"{signed(100 * value, decimals_for(None if width is None else 100 * width, 1))} %"


def percent_ends_text(low: float, high: float) -> str:
    """`+15.0 to +19.1 %`."""
    decimals = decimals_for(100 * (high - low), 1)
    return f"{signed(100 * low, decimals)} to {signed(100 * high, decimals)} %"


def p_text(p: float) -> str:
    """`p=0.03`, `p<0.0001`: without blanks, so that no line ends inside."""
    return f"p{'' if p < SMALLEST_P else '='}{p_cell(p)}"


def p_cell(p: float) -> str:
    """`0.03`, `<0.0001`; never a plain 0 or a rounded-up 1."""
    if p < SMALLEST_P:
        return f"<{SMALLEST_P:.4f}"
    if p > 0.99:
        return "1.00" if p == 1 else "0.99"
    digits = 4 if p < 0.001 else 3 if p < 0.1 else 2
    return f"{p:.{digits}f}"


def chance_text(p: float) -> str:
    """How often chance alone does that: `about 3 of 100`, `fewer than 1 of 10,000`."""
    if p < SMALLEST_P:
        return f"fewer than 1 of {1 / SMALLEST_P:,.0f}"
    if p < 0.001:
        return "fewer than 1 of 1,000"
    if p < 0.01:
        return f"about {1000 * p:.0f} of 1,000"
    return f"about {min(100 * p, 99):.0f} of 100" if p < 0.995 else "nearly all"


SMALLEST_P = 0.0001
"""Smaller ones are not told apart: no model of chance holds that far."""


def _decimals(wanted: Metric, width: float | None) -> int:
    scaled = None if width is None else width * wanted.scale
    return decimals_for(scaled, max(wanted.decimals, 1))
