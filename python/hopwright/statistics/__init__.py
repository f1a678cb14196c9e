"""Statistics of runs: pure functions on numbers, a module each for means, intervals and the rest.

`means` and `intervals` describe one sample; `paired` and `independent` compare two; `effect` says
how large a difference is, `correction` allows for many comparisons; `warm_up` cuts the beginning of
a time series; `fairness` says how evenly flows share.

Nothing is imported here: `means` is wanted at every start of the program, SciPy is not.
"""
