"""A model's list of features turned into attributes by fixed rules (paper App. A).

All three constructions read their models' answers through here. Nothing raises on the shape of
an answer: what had to be mended or dropped is said in one sentence each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ctxpriv.schema import NOT_APPLICABLE, NOT_STATED, OTHER, Attribute

MAX_VALUES = 50  # paper App. A.1 (iii)

_SAME_AS_NOT_STATED = {
    "not stated", "not mentioned", "not specified", "not given", "unspecified", "unstated", "unknown",
    "not known", "none mentioned", "no mention", "undisclosed", "unclear",
}  # fmt: skip
_SAME_AS_OTHER = {"other", "others", "something else", "other values", "any other", "etc", "etc."}
_SAME_AS_NOT_APPLICABLE = {"not applicable", "n/a", "na", "not relevant", "does not apply"}
_SPECIAL = {
    **dict.fromkeys(_SAME_AS_NOT_APPLICABLE, NOT_APPLICABLE),
    **dict.fromkeys(_SAME_AS_OTHER, OTHER),
    **dict.fromkeys(_SAME_AS_NOT_STATED, NOT_STATED),
}


def attributes_from(
    answer: Any, k: int, provenance: str = "prompted", max_values: int = MAX_VALUES
) -> tuple[list[Attribute], list[str]]:
    """A parsed answer to at most k attributes with `provenance`, and one sentence per problem."""
    found: dict[str, Attribute] = {}
    problems: list[str] = []
    features = features_in(answer)
    if not features:
        return [], ["The answer holds no list of features."]
    for position, feature in enumerate(features, 1):
        attribute, said = _attribute(feature, position, provenance, max_values)
        problems += said
        if attribute is None:
            continue
        if attribute.name in found:
            problems.append(f"Feature {position} repeats the name {attribute.name!r} and was dropped.")
        elif len(found) == k:
            problems.append(f"Feature {position} ({attribute.name!r}) is more than the {k} asked for.")
        else:
            found[attribute.name] = attribute
    return list(found.values()), problems


def features_in(answer: Any) -> list[Any]:
    """The list that an answer is, or the first list it holds; [] where there is none."""
    if isinstance(answer, Mapping):
        answer = next((v for v in answer.values() if isinstance(v, list)), [])
    return answer if isinstance(answer, list) else []


def normalise_name(name: str) -> str:
    """ "1. Customer's Mood" -> "customer_s_mood": lower case, digits and underscores."""
    plain = re.sub(r"^\s*(feature\s*)?\d+\s*[.):-]\s*", "", name, flags=re.IGNORECASE)
    return re.sub(r"[^\w]+", "_", plain.casefold()).strip("_")[:60].strip("_")


def normalise_values(
    values: Sequence[Any], max_values: int = MAX_VALUES
) -> tuple[tuple[str, ...], list[str]]:
    """Distinct, non-empty, at most `max_values` with `Not stated` last, and what had to be mended.

    `Not Applicable` stays an ordinary value, spelled like this. `Other` and `Not stated` count
    towards `max_values`; surplus values are dropped in favour of `Other`.
    """
    said: list[str] = []
    clean: dict[str, str] = {}
    special: set[str] = set()
    empty = repeated = 0
    for raw in values:
        value = " ".join(str(raw).split()).strip("\"'")
        folded = value.casefold().rstrip(".")
        if not value or isinstance(raw, Mapping | list):
            empty += 1
        elif folded in _SPECIAL:
            special.add(_SPECIAL[folded])
        elif folded in clean:
            repeated += 1
        else:
            clean[folded] = value
    plain = list(clean.values())
    room = max_values - 1 - len(special - {NOT_STATED})
    if empty:
        said.append(f"{empty} values were empty")
    if repeated:
        said.append(f"{repeated} values were repeated")
    if len(plain) > room:
        special.add(OTHER)
        room = max_values - 1 - len(special - {NOT_STATED})
        said.append(f"{len(plain)} values were cut to {room} and {OTHER!r}")
        plain = plain[:room]
    tail = [s for s in (NOT_APPLICABLE, OTHER) if s in special]
    return (*plain, *tail, NOT_STATED), said


def _attribute(
    feature: Any, position: int, provenance: str, max_values: int
) -> tuple[Attribute | None, list[str]]:
    if not isinstance(feature, Mapping):
        return None, [f"Feature {position} is not an object with a name and values."]
    name = normalise_name(str(feature.get("name") or ""))
    if not name:
        return None, [f"Feature {position} has no name."]
    raw = feature.get("values")
    if isinstance(raw, str):
        raw = re.split(r"[,;\n|]", raw)
    if not isinstance(raw, list | tuple):
        return None, [f"{name!r} has no list of values."]
    values, said = normalise_values(raw, max_values)
    problems = [f"{name!r}: {s}." for s in said]
    # `Not stated` is always there, so fewer than three means that nothing can be told apart.
    if len(values) < 3:
        return None, [*problems, f"{name!r} has fewer than two different values and was dropped."]
    text = {key: " ".join(str(feature.get(key) or "").split()) for key in ("description", "rationale")}
    return Attribute(name, values, text["description"], provenance, text["rationale"]), problems
