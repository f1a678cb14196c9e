"""What can go wrong outside the simulator."""


class InputError(Exception):
    """What the user asked for cannot be done; the text says what to change. Exit code 2."""
