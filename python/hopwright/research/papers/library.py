"""Where papers' files are, and which one is meant."""

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from hopwright._io.errors import InputError, near
from hopwright._io.paths import check_file

FOLDER = (Path(__file__).parents[2] / "scenarios" / "papers").resolve()
"""In the package. In the source checkout its `scenarios` is a link to the folder of that name."""


def every(folder: Path = FOLDER) -> dict[str, Path]:
    """All papers' files, by id, in the order of their names.

    Raises:
        InputError: There are none.
    """
    found = {path.name.removesuffix(".toml"): path for path in sorted(folder.glob("*.toml"))}
    if not found:
        raise InputError(f"{folder}: has no papers; install hopwright again, or name files")
    return found


def chosen(words: Sequence[str], folder: Path = FOLDER) -> list[Path]:
    """The files that words mean: an id, its beginning, a pattern such as `pap-5*`, a path.

    All of them where there are no words; each only once, in the order of the words.
    """
    if not words:
        return list(every(folder).values())
    paths: list[Path] = []
    for word in words:
        paths += [path for path in _meant(word, folder) if path not in paths]
    names = [path.name for path in paths]
    for name in names:
        if names.count(name) > 1:
            raise InputError(
                f"{name}: two files have this name, but their results would share one folder"
            )
    return paths


def _meant(word: str, folder: Path) -> list[Path]:
    if not word.strip():
        raise InputError("a name is empty; --list prints the names of all papers")
    if word.endswith(".toml"):
        path = Path(word)
        check_file(path, "name a paper's file; --list prints the names of all papers")
        return [path]
    known = every(folder)
    if word in known:
        return [known[word]]
    found = [path for name, path in known.items() if fnmatchcase(name, word)]
    found = found or [path for name, path in known.items() if name.startswith(word)]
    if not found:
        raise InputError(f"no paper called '{word}'{near(word, known)}")
    return found
