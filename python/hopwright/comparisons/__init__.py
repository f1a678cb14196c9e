"""Comparisons: variants against a baseline, on common random numbers, in words and numbers."""

from hopwright.comparisons.outcome import Comparison
from hopwright.comparisons.perform import compare, compare_sweep

__all__ = ["Comparison", "compare", "compare_sweep"]
