"""Readings hunted: which choices, where a document leaves some, carry its claim.

A paper's file lists what its document leaves open (`gaps.py`). A screening design over that list
(`screening.py`), which is written down before the first run (`plan.py`), says what each choice does
to what the claim needs (`needs.py`); `search.py` looks for the smallest set of choices that carries
it, and `hunt.py` confirms it on seeds that nobody has seen; `report.py` tells of it. A hunted
verdict is never the claim's own: it stands beside it.
"""

RULES = """\
A reading has one choice for each gap of the file. The file's own reading has the first choice of
each gap. The departures of a reading are those of its choices that, as the file says, depart from
the words of the document. Its changes are those of its choices that are not the first.

1. Screening: a two-level fractional factorial or Plackett-Burman design, folded over (resolution
   IV: no main effect is mixed up with another main effect, or with an interaction of two). A gap of
   three or four choices has two columns of the design, a gap of five to eight choices has three.
   Main effects are estimated by least squares.
2. Search, on the same training seeds. It starts from the file's own reading. Each step adds the
   choice for which the main effects promise most: without new departures as long as such a choice
   helps, then also with departures. After that, the search tries the readings for which the main
   effects promise most. Before each step the main effects are estimated again, from all readings
   that were tried.
3. Pruning. Of two readings, the one with fewer departures is nearer; if both have the same number,
   the one with fewer changes. For the nearest reading that has what the claim needs, all readings
   with one change less are tried. This is repeated for the nearest of these that has it, too.
4. Confirmation, on unseen seeds:
   - If some readings had what the claim needs: the two nearest of them and a third. The third is
     the nearest that surely had it, if neither of the two surely had it and another one did.
     Otherwise it is the third nearest.
   - If no reading had it: the reading that came closest, and the closest reading with no more
     departures than the file's own.
   - If the file's own reading surely had it: this reading alone.
   Intervals, and the share of repetitions that must agree, have the level 1 - 0.05 / m
   (Bonferroni). Here m is the number of all pairs of a claim and a reading that the hunt confirms.

A hunted verdict follows the rules for verdicts, on the unseen seeds alone, at this level:

- reproduced: a confirmed reading reproduces the claim. The answer is the nearest such reading, with
  its choices and its departures;
- not reproduced, same direction: no confirmed reading reproduces the claim, and the verdict of each
  of them is sure. The answer is the bound: what the closest reading reached, beside what the claim
  needs. The bound is true for the readings that were tried. Other readings are excluded only
  because their main effects promise less;
- undecided: otherwise.

A hunted verdict says what would have to be read into the document. It does not say that the
document says it.
"""
"""How hunted verdicts come about; in every report of a hunt."""
