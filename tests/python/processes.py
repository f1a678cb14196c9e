"""How the tests call the program."""

import subprocess
from collections.abc import Callable
from typing import TypeAlias

Hopwright: TypeAlias = Callable[..., subprocess.CompletedProcess[str]]
"""Runs `hopwright ARGUMENTS` to its end."""
