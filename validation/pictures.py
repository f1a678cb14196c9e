"""Makes the pictures of the manual small: `python validation/pictures.py [FILE.png ...]`.

Figures have every grey between black and white at the edges of letters and lines. 16 greys look the
same, in half of the bytes; 64 colours where there are colours. A picture that is small stays as it
is. Figures of results keep all of theirs: who publishes them may scale them.
"""

import sys
from pathlib import Path

from PIL import Image

PICTURES = Path(__file__).parents[1] / "docs" / "img"
GREYS = 16
COLOURS = 64


def main() -> None:
    """Of the files that are named, or of all."""
    files = [Path(word) for word in sys.argv[1:]] or sorted(PICTURES.rglob("*.png"))
    for file in files:
        before = file.stat().st_size
        shrink(file)
        print(f"{file}: {before} to {file.stat().st_size} bytes")


def shrink(file: Path) -> None:
    """Writes a picture again, with few colours."""
    with Image.open(file) as image:
        if image.mode == "P":
            return
        count = GREYS if image.mode == "L" else COLOURS
        dpi = image.info.get("dpi")
        few = image.convert("RGB").quantize(
            count, method=Image.Quantize.MEDIANCUT, kmeans=2, dither=Image.Dither.NONE
        )
    few.save(file, optimize=True, **({"dpi": dpi} if dpi else {}))


if __name__ == "__main__":
    main()
