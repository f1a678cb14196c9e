"""Where keys of a TOML text are found."""

import tomllib

import pytest

from hopwright._schema.toml_places import Place, no_toml, place_of, refused

TEXT = """\
# a = 1
a = [
  1,
  2,
]
"b" = 'a = 3'
[table]
a = 4
inline = { a = 5, list = [{ c = 6 }, { c = 7 }] }
[[list]]
c = 8
[[list]]
c = 9
[deep.er]
c = 10
"""


@pytest.mark.parametrize(
    ("path", "line", "column"),
    [
        (("a",), 2, 1),
        (("a", 1), 2, 1),
        (("b",), 6, 2),
        (("table",), 7, 2),
        (("table", "a"), 8, 1),
        (("table", "inline", "a"), 9, 12),
        (("table", "inline", "list", 1, "c"), 9, 40),
        (("list", 0), 10, 3),
        (("list", 1), 12, 3),
        (("list", 1, "c"), 13, 1),
        (("deep", "er", "c"), 15, 1),
        (("table", "absent"), 7, 2),
        (("absent",), 1, 1),
        ((), 1, 1),
    ],
)
def test_places(path: tuple[str | int, ...], line: int, column: int) -> None:
    assert place_of(TEXT, path)[:2] == (line, column)


def test_an_error_shows_its_line() -> None:
    said = refused("f.toml", TEXT, Place(8, 1, 1), "table.a: is wrong").splitlines()
    assert said == ["error: table.a: is wrong", " --> f.toml:8:1", "  |", "8 | a = 4", "  | ^"]


@pytest.mark.parametrize(("text", "place"), [("a = 1\nb = = 2\n", "2:5"), ("a = [1,\n", "1:8")])
def test_what_is_no_toml(text: str, place: str) -> None:
    with pytest.raises(tomllib.TOMLDecodeError) as caught:
        tomllib.loads(text)
    assert f"--> f.toml:{place}\n" in no_toml("f.toml", text, caught.value)
