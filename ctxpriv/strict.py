"""Reading settings that people wrote: unknown keys and wrong types are errors with a place."""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable, Mapping
from typing import Any

from ctxpriv.errors import BadInput


def check_keys(
    data: Any, known: Iterable[str], where: str, required: Iterable[str] = ()
) -> Mapping[str, Any]:
    """`data` as a mapping with known keys only.

    `where` is the file and key path ("quick.yaml, audiences[1]"). Raises BadInput naming
    the key, with the nearest known one, or the missing key.
    """
    known = tuple(known)
    if not isinstance(data, Mapping):
        raise BadInput(f"is {kind_of(data)}, not a set of `key: value` lines.", where=where)
    for key in data:
        if key not in known:
            raise BadInput(f"unknown key {str(key)!r}.", where=where, fix=did_you_mean(str(key), known))
    for key in required:
        if data.get(key) is None:
            raise BadInput(f"the key {key!r} is missing.", where=where, fix="Add it.")
    return data


def did_you_mean(word: str, known: Iterable[str]) -> str:
    known = tuple(known)
    folded = {k.casefold(): k for k in known}
    near = difflib.get_close_matches(word.casefold(), list(folded), n=1, cutoff=0.6)
    if near:
        return f"Did you mean {folded[near[0]]!r}?"
    return f"Known here: {', '.join(known)}."


def a_list(data: Any, where: str) -> list[Any]:
    """A list; one plain value stands for a list of one."""
    if isinstance(data, Mapping):
        raise BadInput("is a set of keys, not a list.", where=where, fix="Start each item with a dash.")
    return list(data) if isinstance(data, (list, tuple)) else [data]


def a_text(data: Any, where: str) -> str:
    if not isinstance(data, str):
        raise BadInput(f"is {kind_of(data)}, not text.", where=where, fix="Put it in quotes.")
    return data


def names(data: Any, where: str) -> tuple[str, ...]:
    """A list of names, kept in order."""
    return tuple(a_text(item, f"{where}[{i}]") for i, item in enumerate(a_list(data, where)))


def whole_number(data: Any, where: str, least: int = 0) -> int:
    if isinstance(data, bool) or not isinstance(data, int) or data < least:
        raise BadInput(f"is not a whole number of at least {least}.", where=where)
    return data


def a_number(data: Any, where: str, *, above: float = -math.inf, below: float = math.inf) -> float:
    """A finite number strictly between `above` and `below`, as it was given."""
    try:
        usable = isinstance(data, (int, float)) and not isinstance(data, bool) and math.isfinite(data)
    except OverflowError:  # a whole number beyond floating point
        usable = False
    if not usable or not above < data < below:
        limits = [f"above {above:g}"] * math.isfinite(above) + [f"below {below:g}"] * math.isfinite(below)
        raise BadInput(f"is not a number{' '.join(['', ' and '.join(limits)]).rstrip()}.", where=where)
    return data


def inside(where: str, error: BadInput) -> str:
    """The key path of a setting that refused itself: `where` of the whole, then the key."""
    key = error.where.partition(", ")[2]
    return f"{where}.{key}" if key else where


def kind_of(data: Any) -> str:
    if data is None:
        return "empty"
    return {bool: "yes or no", int: "a number", float: "a number", str: "text", list: "a list"}.get(
        type(data), "something else"
    )
