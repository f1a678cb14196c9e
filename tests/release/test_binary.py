"""What is in the extension that users get."""

import os
import re
from pathlib import Path

from hopwright import _core

ROOT = Path(__file__).parents[2]


def test_the_extension_holds_no_path_of_the_machine_that_built_it() -> None:
    """Else two machines' builds differ, and a stranger learns the builder's folders."""
    binary = Path(_core.__file__).read_bytes()
    registry = os.environ.get("CARGO_HOME", str(Path.home() / ".cargo"))
    for path in (str(ROOT), registry):
        found = re.findall(re.escape(path.encode()) + rb"[\x20-\x7e]{0,60}", binary)
        assert found == [], "build it with make setup"
