"""Schemas of scenarios and results, what is written from them, and values that scenarios get."""
