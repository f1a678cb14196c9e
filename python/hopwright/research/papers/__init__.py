"""Papers' tables and figures beside this program's, with a verdict per claim.

A paper's tables are a declarative file, `scenarios/papers/<id>.toml`: the scenario, what is varied,
what is counted, what the paper prints, what ns-2 gave, what the paper concludes, and what is drawn.
A number that no result of runs is, is a function of Python, of `functions/` or beside the file. How
verdicts come about is `RULES`, the same for every claim.
"""

RULES = """\
Our number is the mean of all runs. Intervals are 95 % intervals of means (Student's t over runs).
Two means, or a gain, are compared by the differences of runs with the same seed (common random
numbers). A difference is sure if its interval does not contain zero. If two values are equal in
every run, zeros for example, they surely do not differ: this contradicts a stated order as a
difference in the other direction does.

A number is as printed if our number is within the tolerance of the claim: 12 % for amounts
(segments, seconds, means), 15 % for counts (collisions, failures, time-outs), unless the claim
states another tolerance. Where the paper prints 0, only 0 is within the tolerance. A count of 150
or less is also as printed if the paper's number lies in the range of a single run of ours in 95 of
100 cases (mean ± t sd √(1 + 1/runs)): a single run deviates by as much. The tolerances were fixed
beforehand, the rule for small counts after the first results were seen; cells that pass only by
this rule are marked.

A claim about numbers is

- reproduced: every number of it is as printed, and no stated pair surely differs in the other
  direction;
- same direction: this rule fails, but the paper concludes an order (or a sign) from its numbers,
  and every pair surely differs in this direction;
- not reproduced: both rules fail, and the paper concludes no order, or a pair surely differs in the
  other direction;
- neither shown nor excluded: otherwise.

A claim about an order is

- reproduced: every stated pair surely differs in the stated direction;
- not reproduced: some pair surely differs in the other direction;
- neither shown nor excluded: otherwise.

A side of a pair may be the sum of several cells, or a gain in percent of cells or of sums. If gains
are compared, each run stands for the gain of the means and for its deviation from this gain (the
residuals of a ratio of means of pairs); runs with the same seed are pairs.

A gain says by how many percent, or by how much, one mean is above another. A claim about gains is

- reproduced: every gain lies in the stated range and surely has the sign of the range. If the range
  contains zero (two means are alike), the whole interval of the gain lies in the range instead;
- not reproduced: the interval of some gain lies outside of the range, and this gain does not surely
  have the sign of the range;
- same direction: every gain surely has the sign of its range, but some gain lies outside of it;
- neither shown nor excluded: otherwise.

A gain in percent over a mean of zero or less lies in no range. But if both are zero in every run,
the gain is 0 %: they are alike.

If a claim is about the largest or the least of several gains, the means decide which gain this is,
for our runs and again for each repetition.

If the paper prints a gain as one number, the range is a third of this number to either side, but at
least two points; the files say 'about'. Intervals of gains in percent are intervals of a ratio of
means of pairs, in which runs with the same seed are the pairs.

A claim about every run is

- reproduced: its statements hold in every run of ours;
- same direction: each of its statements holds in more than half of the runs;
- not reproduced: otherwise.

A claim about some runs is

- reproduced: each of its gains lies in the stated range in a tenth of the runs or more. Each run is
  compared with the run that has the same seed;
- not reproduced: otherwise.

Settings are the parameters that a table of the document prints. A claim about settings is

- reproduced: wherever a point of the file has a key, the key has the printed value; no runs are
  needed;
- not reproduced: otherwise.

The verdict is what our runs say, if other runs would say it again. For this, 400 repetitions with
other seeds are drawn from the distribution that our runs predict (normal, with their means,
variances and covariances, and the uncertainty of these); 95 of 100 must say the same. If they do
not, or if our runs neither show nor exclude the claim, the verdict is

- undecided; the report adds what the repetitions say, and about how many runs would decide.

With --most-runs N, an undecided claim gets the number of runs that would decide it, if this number
is at most N, for the points that it compares. Then all of its runs, old and new, are judged by the
same rules. This may happen several times. Each further look at the runs makes a verdict by chance
slightly more likely, so the report says how many looks there were.

Two verdicts need no runs. They were given before anything was run, except for six statements of
Ghaleb-Seddik that ask for the joules of a laptop of 2009: a review named these six beforehand, and
they were declared not testable after runs had given them verdicts:

- not testable: no simulation can show it, or the values to compare with are lost; the reason is
  given;
- quoted: the document quotes the result of another document.

A verdict depends on a reading, which is printed with it: the reading of the document or, if the
runs depart from the document, the departures.

In addition, our number is "as ns-2" if the means differ by at most 5 % for amounts and 10 % for
counts. A count of 150 or less in ns-2 is also as ns-2 if the 95 % interval of the ratio (delta
method on its logarithm, Welch's degrees of freedom) overlaps 0.9 to 1.1; for other numbers this
interval does not decide.

If another reading has the values for the pairs or gains of a claim, its report has these values
with their intervals; that reading has no verdict.

The reason for a claim that is not reproduced is based on runs of ns-2 and of ours. The reason says
so where it is only a supposition. It changes no verdict.
"""
"""How verdicts come about; printed by `hopwright reproduce --list` and in every report."""
