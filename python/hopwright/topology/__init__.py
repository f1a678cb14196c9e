"""What networks do over time, without a run: links, paths, and what flows could get at most."""
