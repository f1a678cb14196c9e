"""What transports cost to compute: measured, and as joules."""
