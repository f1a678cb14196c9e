"""Pages whose fenced blocks say what is to be written where."""

import re
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]


class Block(NamedTuple):
    """A fenced block of a page."""

    words: str
    """What stands behind the fence: a language and what to do with the text."""
    text: str

    def word(self, name: str) -> str | None:
        """The value of `name=value` or `name="value"`."""
        found = re.search(rf'{name}=(?:"([^"]*)"|(\S+))', self.words)
        return found and (found[1] or found[2])


def blocks(page: Path) -> list[Block]:
    fence = re.compile(r"^```(\S.*)\n((?:.*\n)*?)```$", re.MULTILINE)
    return [Block(*found) for found in fence.findall(page.read_text())]


def apply(block: Block, root: Path) -> str | None:
    """Writes a file, or puts text into one: in lines below an anchor, or right behind it.

    `skip`: so many lines further below. Returns the file.
    """
    file, place = block.word("file"), block.word("in")
    if file:
        (root / file).write_text(block.text)
    elif place:
        target = root / place
        content = target.read_text()
        below, inside = block.word("below"), block.word("inside")
        anchor = below or inside
        assert anchor is not None, block.words
        assert content.count(anchor) == 1, f"{place} has not one '{anchor}'"
        at = content.index(anchor) + len(anchor)
        if below:
            for _ in range(1 + int(block.word("skip") or 0)):
                at = content.index("\n", at) + 1
        text = block.text if below else block.text.rstrip("\n") + " " * anchor.endswith(" ")
        target.write_text(content[:at] + text + content[at:])
    return file or place
