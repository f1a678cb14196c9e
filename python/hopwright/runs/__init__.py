"""What programs in Python make and hold: runs, whole or in steps, and their results."""
