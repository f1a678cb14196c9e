"""`hopwright explain`: what led to what in a run, from its `events.parquet`."""
