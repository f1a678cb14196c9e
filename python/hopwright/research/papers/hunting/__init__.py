"""Readings hunted: which choices, where a document leaves some, carry its claim.

A paper's file lists what its document leaves open (`gaps.py`). A screening design over that list
(`screening.py`), which is written down before the first run (`plan.py`), says what each choice does
to what the claim needs (`needs.py`); `search.py` looks for the smallest set of choices that carries
it, and `hunt.py` confirms it on seeds that nobody has seen; `report.py` tells of it. A hunted
verdict is never the claim's own: it stands beside it.
"""

RULES = """\
A reading is a choice for each gap of the file; the file's own has the first of each. Its departures
are the choices that the file says depart from the document's words, its changes those that are not
the first.

1. Screening: a two-level fractional factorial or Plackett-Burman design, folded over (resolution
   IV: no main effect is mixed up with another, or with an interaction of two). A gap of three or
   four choices has two columns, one of five to eight three. Main effects are by least squares.
2. Search, on the same training seeds: from the file's own reading, always the one more choice that
   the main effects promise most of, without departures as long as such help, then with them; then
   the readings that the main effects promise most of. What was tried counts for the effects that
   the next step goes by.
3. Pruning: of the nearest reading that has what the claim needs, all with one change less; from the
   nearest of these that has it, too, again.
   Nearer is who has fewer departures, then fewer changes.
4. Confirmation, on unseen seeds: the two nearest readings that had what the claim needs, and the
   nearest that surely had it, else the third nearest; where none had it, the one that came closest,
   and the one that did so with no more departures than the file's own; where the file's own surely
   had it, this alone. Intervals, and the share of repetitions that must
   agree, have the level 1 - 0.05 / m (Bonferroni), m being all pairs of a claim and a reading that
   the hunt confirms.

A hunted verdict goes by the rules of verdicts, on the unseen seeds alone, at this level:

- reproduced: by the nearest reading that is; the answer is its choices and its departures;
- not reproduced, same direction: no confirmed reading reproduces it, and each surely; the answer is
  the bound, what the closest reached beside what the claim needs. It is a bound of the readings
  that were tried: others, whose main effects promise less, are excluded by these alone;
- undecided: otherwise.

It says what would have to be read into the document, not that the document says it.
"""
"""How hunted verdicts come about; in every report of a hunt."""
