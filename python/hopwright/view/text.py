"""Bytes as text that may stand in a page, whatever way that travels: plain ASCII.

13 bits are two letters of 91: a file becomes 16/13 of its size, where base64 makes it 4/3. What
uses bytes beyond ASCII is smaller still, but a web server that names another character set, or an
editor, would spoil it.
"""

ALPHABET = "".join(chr(code) for code in range(33, 127) if chr(code) not in '<&"')
"""No blank, and nothing that means something in a page."""
BITS = 13
"""As many as two letters can say: 91 times 91 is more than 2 to the 13."""


def to_text(content: bytes) -> str:
    """The text; `fromText` of the page makes bytes of it again."""
    import numpy as np

    letters = np.frombuffer(ALPHABET.encode(), dtype=np.uint8)
    every = np.arange(1 << BITS)
    pairs = letters[np.column_stack([every // len(ALPHABET), every % len(ALPHABET)])]
    bits = np.unpackbits(np.frombuffer(content, dtype=np.uint8))
    filled = np.append(bits, np.zeros(-len(bits) % BITS, dtype=np.uint8)).reshape(-1, BITS)
    # Each number in 16 bits, of which the first 3 are zero.
    numbers = np.packbits(np.pad(filled, ((0, 0), (16 - BITS, 0)))).view(">u2")
    return bytes(pairs[numbers]).decode()
