"""Which verdicts are of claims as they stand: a hash of all that a claim's verdict hangs on."""

import hashlib
import json
from dataclasses import asdict, fields

from hopwright._io.data import Json, Object
from hopwright._io.files import read_text
from hopwright.research.papers.axes import Setting
from hopwright.research.papers.calling import EMULATION, text_of
from hopwright.research.papers.claims import Claim
from hopwright.research.papers.document import Document
from hopwright.research.papers.emulations import Emulation
from hopwright.research.papers.measures import Measure
from hopwright.research.papers.tables import Cell

DIGITS = 12
"""Of the hash, hexadecimal."""


def wording(document: Document, claim: Claim) -> str:
    """The hash: rule, bars, what is printed, what is measured, what is simulated.

    Not how many runs there are, nor the words around it: a claim that is only told better keeps its
    verdict.
    """
    content: Object = {
        "rule": claim.rule,
        "tolerance": claim.tolerance,
        "orders": [str(each) for each in claim.orders],
        "gains": [str(each) for each in claim.gains],
        "settings": plain(claim.settings),
        "cells": [_cell(document, document.cells[name]) for name in claim.names],
        "numbers": [*claim.cells],
        "scenario": _scenario(document),
    }
    if claim.rule == "settings":
        content["points"] = [_keys(point) for point in document.points()]
    if played := _played(document, claim):
        content["emulations"] = played
    text = json.dumps(content, sort_keys=True)
    return hashlib.sha256(text.encode()).hexdigest()[:DIGITS]


def _played(document: Document, claim: Claim) -> list[Json]:
    """The emulations that a claim's measures are of."""
    measures = [document.measures[document.cells[name].measure] for name in claim.names]
    names = {each.arguments.get(EMULATION) for each in measures}
    return [plain(_said(each)) for each in document.emulations.values() if each.id in names]


def _said(emulation: Emulation) -> dict[str, object]:
    """What it says; keys that came later and are not said change nothing."""
    defaults = {each.name: each.default for each in fields(emulation)}
    return {key: value for key, value in asdict(emulation).items() if value != defaults[key]}


def _cell(document: Document, cell: Cell) -> Object:
    measure = document.measures[cell.measure]
    settings = tuple(
        setting
        for axis in document.axes
        for setting in axis.settings
        if setting.label == cell.at[axis.name]
    )
    return {
        "id": cell.id,
        "printed": cell.printed,
        "kind": measure.kind,
        **(_function(document, measure) if measure.function else _sum(measure)),
        "set": _keys(settings),
    }


def _sum(measure: Measure) -> Object:
    return {
        "sum": plain(measure.terms),
        "per": plain(measure.per),
        "flow": measure.flow,
        "share": measure.is_share,
    }


def _function(document: Document, measure: Measure) -> Object:
    """Its name and what it is given; of one beside the file also the text that it stands in."""
    return {
        "function": measure.function,
        "with": plain(measure.arguments),
        "text": text_of(document, measure.function),
    }


def _keys(point: tuple[Setting, ...]) -> list[Json]:
    return [plain(setting.keys) for setting in point]


def _scenario(document: Document) -> Json:
    """What is simulated; of a file of its own, its text."""
    file = document.scenario.get("file")
    if isinstance(file, str):
        return read_text(document.scenario_folder / file)
    return plain(document.scenario)


def plain(value: object) -> Json:
    """A value as it comes back from JSON."""
    plain: Json = json.loads(json.dumps(value, sort_keys=True))
    return plain
