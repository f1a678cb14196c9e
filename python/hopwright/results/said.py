"""What is said of causes of losses, drops and failures: it stands in Rust, beside each cause."""

import json

from hopwright import _core

SAID: dict[str, dict[str, str]] = json.loads(_core.words_json())
"""By what is said of, then by the cause: see `_core.words_json`."""
