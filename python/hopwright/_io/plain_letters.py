"""Letters that a stream cannot encode, such as one in ASCII: others stand for them.

In data, escapes do, so that programs read what was meant.
"""

import codecs
import re
from collections.abc import Callable

LETTERS = {"→": "->", "↔": "<->", "±": "+-", "µ": "u", "–": "-", "…": "..."}
UNKNOWN = "?"
HANDLER = "hopwright"
"""The name under which `codecs` knows what is done with them."""
IN_JSON, IN_TOML = f"{HANDLER}-json", f"{HANDLER}-toml"
"""The same of data."""

TOML_STRING = re.compile(
    r"""\"{3}(?:\\[\s\S]|[^\\])*?\"{3,5}|\"(?:\\.|[^"\\\n])*\"|'(?P<literal>[^'\n]*)'|\#.*""",
)
"""A string in TOML, as this program writes it; or a comment, in which none begins."""


def writable(text: str, encoding: str) -> str:
    """The text, with others for those letters that have no place in an encoding."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.encode(encoding, HANDLER).decode(encoding)
    return text


def json_in(text: str, encoding: str) -> str:
    """A text in JSON, with escapes for those letters that have no place in an encoding."""
    return text.encode(encoding, IN_JSON).decode(encoding)


def toml_in(text: str, encoding: str) -> str:
    """The same of one in TOML. Its literal strings, which know no escapes, become basic ones."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return TOML_STRING.sub(_basic, text).encode(encoding, IN_TOML).decode(encoding)
    return text


def _basic(found: re.Match[str]) -> str:
    import json

    literal = found["literal"]
    return found[0] if literal is None else json.dumps(literal, ensure_ascii=False)


def _json_escape(letter: str) -> str:
    import json

    return json.dumps(letter)[1:-1]


def _toml_escape(letter: str) -> str:
    return f"\\u{ord(letter):04x}" if letter <= "\uffff" else f"\\U{ord(letter):08x}"


def _register(name: str, other: Callable[[str], str]) -> None:
    """Has `codecs` put others in the place of letters."""

    def replaced(error: UnicodeError) -> tuple[str, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        return "".join(map(other, error.object[error.start : error.end])), error.end

    codecs.register_error(name, replaced)


_register(HANDLER, lambda letter: LETTERS.get(letter, UNKNOWN))
_register(IN_JSON, _json_escape)
_register(IN_TOML, _toml_escape)
