"""Papers' tables and figures beside this program's, with a verdict per claim.

A paper's tables are a declarative file, `scenarios/papers/<id>.toml`: the scenario, what is varied,
what is counted, what the paper prints, what ns-2 gave, what the paper concludes, and what is drawn.
There is no code per paper. How verdicts come about is `RULES`, the same for every claim.
"""

RULES = """\
Ours is the mean of all runs. Intervals are 95 % intervals of means (Student's t over runs).

A number is as printed if ours is within the claim's tolerance of it: 12 % for amounts (segments,
seconds, means), 15 % for counts (collisions, failures, time-outs), unless the claim states its
own. A count of 150 or less is also as printed if the paper's number lies where a single run of ours
does in 95 of 100 cases (mean ± t sd √(1 + 1/runs)): there one run alone is off by as much.
The tolerances were set beforehand, this rule for small counts after the first results were seen;
cells that pass by it alone are marked.

A claim about numbers is

- reproduced: if every number of it is as printed, and no stated pair differs the other way with an
  interval that leaves zero out;
- same direction: if that fails, but the paper draws an order (or a sign) from its numbers, and
  every pair of it differs in that direction with an interval that leaves zero out;
- not reproduced: otherwise.

A claim about an order is

- reproduced: if every stated pair differs in the stated direction with an interval that leaves
  zero out;
- same direction: if all means do, but some interval includes zero;
- not reproduced: otherwise.

A claim about gains, which are how many percent, or how much, one mean is above another, is

- reproduced: if every gain lies in the stated range and is sure: its interval leaves zero out, or,
  where the range holds zero, which says that two are alike, lies in the range;
- same direction: if that fails, but every gain lies in its range, or has the sign of its range with
  an interval that leaves zero out, or, where the range holds zero, an interval that reaches into
  the range;
- not reproduced: otherwise.

Intervals of gains in percent are those of a ratio of means of pairs, runs with the same seed being
the pairs.

A claim about every run is

- reproduced: if what it states holds in every run of ours;
- same direction: if it holds in more than half of the runs for each of its statements;
- not reproduced: otherwise.

Pairs are compared by the differences of runs with the same seed (common random numbers).

Besides, ours is "as ns-2" if the means differ by at most 5 % for amounts and 10 % for counts. With
a count of 150 or less in ns-2, also if the 95 % interval of the ratio (delta method on its
logarithm, Welch's degrees of freedom) reaches into 0.9 to 1.1; with others it does not decide.

Where another reading has the values of a claim's pairs or gains, its report has these, too, with
their intervals; it has no verdict of its own.

The reason given with a claim that is not reproduced rests on runs of ns-2 and of ours; what it only
supposes it calls so. It changes no verdict.
"""
"""How verdicts come about; printed by `hopwright reproduce --list` and in every report."""
