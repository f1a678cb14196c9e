"""Real programs over a simulated network, paced by the clock; and the same again, off line."""
