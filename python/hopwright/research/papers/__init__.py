"""Papers' tables and figures beside this program's, with a verdict per claim.

A paper's tables are a declarative file, `scenarios/papers/<id>.toml`: the scenario, what is varied,
what is counted, what the paper prints, what ns-2 gave, what the paper concludes, and what is drawn.
A number that no result of runs is, is a function of Python, of `functions/` or beside the file. How
verdicts come about is `RULES`, the same for every claim.
"""

RULES = """\
Ours is the mean of all runs. Intervals are 95 % intervals of means (Student's t over runs).
Two means, or a gain, are compared by the differences of runs with the same seed (common random
numbers); a difference is sure if its interval leaves zero out.

A number is as printed if ours is within the claim's tolerance of it: 12 % for amounts (segments,
seconds, means), 15 % for counts (collisions, failures, time-outs), unless the claim states its
own. A count of 150 or less is also as printed if the paper's number lies where a single run of ours
does in 95 of 100 cases (mean ± t sd √(1 + 1/runs)): there one run alone is off by as much.
The tolerances were set beforehand, this rule for small counts after the first results were seen;
cells that pass by it alone are marked.

What runs say of a claim about numbers:

- reproduced: every number of it is as printed, and no stated pair surely differs the other way;
- same direction: that fails, but the paper draws an order (or a sign) from its numbers, and every
  pair of it surely differs in that direction;
- not reproduced: that fails too, and it draws no order, or a pair surely differs the other way;
- neither shown nor excluded: otherwise.

Of a claim about an order:

- reproduced: every stated pair surely differs in the stated direction;
- not reproduced: some pair surely differs the other way;
- neither shown nor excluded: otherwise.

A side of a pair may be several cells added up, or a gain in percent, itself of cells or of sums.
Of gains that are compared each run stands for the gain of the means and for how far it is off that
(the residuals of a ratio of means of pairs), and runs with the same seed are pairs.

Of a claim about gains, which are how many percent, or how much, one mean is above another:

- reproduced: every gain lies in the stated range and surely has its sign, or, where the range holds
  zero, which says that two are alike, its whole interval lies in the range;
- not reproduced: some gain's interval lies outside of the range and does not surely have its sign;
- same direction: every gain surely has the sign of its range, but some lies outside of it;
- neither shown nor excluded: otherwise.

Where a claim is about the largest or the least of several gains, the means say which that is, in
our runs and in each repetition anew.

A gain that is printed as one number is a range about it, a third of it to either side but at least
two points; the files say 'about'. Intervals of gains in percent are those of a ratio of means of
pairs, runs with the same seed being the pairs.

Of a claim about every run:

- reproduced: what it states holds in every run of ours;
- same direction: it holds in more than half of the runs, for each of its statements;
- not reproduced: otherwise.

Of a claim about some runs:

- reproduced: each of its gains lies in the stated range in a tenth of the runs or more, where each
  run is compared with that of the same seed;
- not reproduced: otherwise.

Of a claim about settings, which are the parameters that a table of the document prints:

- reproduced: wherever a point of the file has a key, it has the printed value; no runs are needed;
- not reproduced: otherwise.

The verdict is what our runs say, if they would say it again: of 400 repetitions with other seeds,
drawn from the distribution that our runs predict (normal, with their means, variances and
covariances and the doubt about these), 95 of 100 must say the same. If not, or if our runs neither
show nor exclude the claim, it is

- undecided; with it stands what the repetitions say, and about how many runs would decide it.

With --most-runs N an undecided claim gets as many runs as are said to decide it, if these are N at
most, of the points that it compares; then all of its runs, old and new, are judged as before. That
may happen several times. Each further look at the runs makes a verdict by chance a little likelier,
so the report says how many looks there were.

Two verdicts need no runs. They were given before anything was run, but for six statements of
Ghaleb-Seddik's that ask for the joules of a laptop of 2009: these were named by a review beforehand
and taken for not testable after runs had given them verdicts:

- not testable: no simulation can show it, or what would be compared is lost; the reason is given;
- quoted: the document quotes somebody else's result.

A verdict rests on a reading, which stands beside it: the document's own, or, where what is run
departs from the document, how it does.

Besides, ours is "as ns-2" if the means differ by at most 5 % for amounts and 10 % for counts. With
a count of 150 or less in ns-2, also if the 95 % interval of the ratio (delta method on its
logarithm, Welch's degrees of freedom) reaches into 0.9 to 1.1; with others it does not decide.

Where another reading has the values of a claim's pairs or gains, its report has these, too, with
their intervals; it has no verdict of its own.

The reason given with a claim that is not reproduced rests on runs of ns-2 and of ours; what it only
supposes it calls so. It changes no verdict.
"""
"""How verdicts come about; printed by `hopwright reproduce --list` and in every report."""
