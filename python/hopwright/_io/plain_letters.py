"""Letters that a stream cannot encode, such as one in ASCII: others stand for them."""

import codecs

LETTERS = {"→": "->", "↔": "<->", "±": "+-", "µ": "u", "–": "-", "…": "..."}
UNKNOWN = "?"
HANDLER = "hopwright"
"""The name under which `codecs` knows what is done with them."""


def writable(text: str, encoding: str) -> str:
    """The text, with others for those letters that have no place in an encoding."""
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return text.encode(encoding, HANDLER).decode(encoding)
    return text


def _others(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    written = error.object[error.start : error.end]
    return "".join(LETTERS.get(letter, UNKNOWN) for letter in written), error.end


codecs.register_error(HANDLER, _others)
