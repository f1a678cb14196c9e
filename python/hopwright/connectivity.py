"""Who can hear whom, and over how many hops one reaches another."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def neighbours(
    positions: Sequence[tuple[float, float]], range_m: float, down: Collection[int] = ()
) -> "NDArray[np.bool_]":
    """Whether a frame of node i can be received at node j: a symmetric n x n matrix.

    `positions`: of n nodes, metres. Nobody is its own neighbour; what is `down` is nobody's.
    """
    import numpy as np

    places = np.asarray(positions, dtype=float).reshape(-1, 2)
    apart = places[:, None, :] - places[None, :, :]
    near: NDArray[np.bool_] = np.hypot(apart[..., 0], apart[..., 1]) <= range_m
    np.fill_diagonal(near, val=False)
    off = sorted(down)
    near[off, :] = near[:, off] = False
    return near


def links(
    positions: Sequence[tuple[float, float]], range_m: float, down: Collection[int] = ()
) -> list[tuple[int, int]]:
    """The pairs of neighbours, the lower node first, in order."""
    import numpy as np

    near = np.triu(neighbours(positions, range_m, down))
    return [(int(a), int(b)) for a, b in np.argwhere(near)]


def hop_counts(
    positions: Sequence[tuple[float, float]], range_m: float, down: Collection[int] = ()
) -> "dict[int | None, int]":
    """How many pairs of nodes are how many hops apart at least; None: no way joins them.

    Shortest paths by breadth-first search. Hops ascend, None comes last.
    """
    import numpy as np
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import shortest_path

    near = neighbours(positions, range_m, down)
    hops = shortest_path(csr_array(near), method="D", unweighted=True, directed=False)
    of_pairs = hops[np.triu_indices(len(near), k=1)]
    reached = of_pairs[np.isfinite(of_pairs)].astype(int)
    lengths, counts = np.unique(reached, return_counts=True)
    found: dict[int | None, int] = {
        int(length): int(count) for length, count in zip(lengths, counts, strict=True)
    }
    if len(reached) < len(of_pairs):
        found[None] = len(of_pairs) - len(reached)
    return found
