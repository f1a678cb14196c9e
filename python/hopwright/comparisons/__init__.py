"""Comparisons: variants against a baseline, on common random numbers, in words and numbers."""

from hopwright.comparisons.perform import compare, compare_sweep

__all__ = ["compare", "compare_sweep"]
