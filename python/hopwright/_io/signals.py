"""A signal that ends the program, as an exception. Loads nothing: it is there before all else."""


class TerminatedError(BaseException):
    """A signal came that ends programs: its number."""
