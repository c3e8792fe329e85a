"""Several answers of a model about one attribute, and the judgement that follows from them.

Models answer in many shapes. What is clearly one side of one known attribute is a vote; all
else is left out, so that a broken answer can make an attribute private but never public.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ctxpriv.context import SIDES, Flow, Judgement, Side

_LONGEST = 400  # characters of a model's sentence that are kept

_PUBLIC = frozenset({"public", "disclose", "disclosed", "share", "shared", "open", "released"})
_COARSENED = frozenset(
    {"coarsened", "coarsen", "coarse", "generalised", "generalized", "generalise", "generalize", "general"}
    | {"bucket", "bucketed", "band", "banded", "aggregated"}
)
_PRIVATE = frozenset({"private", "withhold", "withheld", "protect", "protected", "hidden", "confidential"})
_FILLERS = frozenset(
    {"a", "as", "be", "decision", "form", "if", "in", "is", "it", "only", "the", "to", "when"}
)
_NEGATIONS = frozenset({"cannot", "dont", "never", "no", "non", "not", "t"})  # "t": what is left of "don't"
_DECISION_KEYS = ("decision", "judgement", "judgment", "side", "label", "classification", "answer", "verdict")
_NAME_KEYS = ("attribute", "name", "attribute name")


@dataclass(frozen=True)
class Vote:
    """One usable answer about one attribute. `information` and `principle` are the CI
    parameters that the model said it used, "" where it said none."""

    side: Side
    reason: str = ""
    information: str = ""
    principle: str = ""


def read_votes(parsed: Any, names: Sequence[str], with_buckets: Collection[str] = ()) -> dict[str, Vote]:
    """The votes in a parsed answer, by attribute; whatever cannot be read is left out.

    Reads an object keyed by attribute, lists of attributes keyed by side, and a list of objects
    that name their attribute. Different sides for one attribute within one answer cancel each
    other. "Coarsened" for an attribute outside `with_buckets` is a vote for private: there is
    no coarser form that could be told.
    """
    folded = {_fold(n): n for n in names}
    found: dict[str, list[Vote]] = {}
    for key, item in _items(parsed, folded):
        name, vote = folded.get(_fold(key)), _vote(item)
        if name is not None and vote is not None:
            found.setdefault(name, []).append(_possible(vote, name in with_buckets))
    return {name: votes[0] for name, votes in found.items() if len({v.side for v in votes}) == 1}


def side_said(said: Any) -> Side | None:
    """The side that a model or a person wrote; None where that is not clear.

    Reads "Private.", "PUBLIC", "public when coarsened", "generalised". A side that discloses
    counts only if every word is understood ("not private", "public, but not to insurers" do
    not); private counts if the first clause says so, whatever explanation follows.
    """
    if not isinstance(said, str):
        return None
    words = set(_fold(said).split())
    if words <= _PUBLIC | _COARSENED | _FILLERS:
        return "coarsened" if words & _COARSENED else "public" if words & _PUBLIC else None
    clause = set(_fold(re.split(r"[.,;:!?()\n]|\bbecause\b", said.strip())[0]).split())
    return "private" if clause & _PRIVATE and not clause & (_PUBLIC | _COARSENED | _NEGATIONS) else None


def judgement_from(name: str, votes: Sequence[Vote], flow: Flow, why_none: str = "") -> Judgement:
    """The judgement of the usable samples about attribute `name`.

    An attribute is disclosed as far as more than half of the votes would disclose it, so ties
    go to the more protective side. `agreement` is the share of votes for exactly that side.
    No vote at all is private with samples = 0. `flow` is what the model was told.
    """
    if not votes:
        said = f" ({why_none})" if why_none else ""
        reason = f"The model gave no usable answer{said}; private to be safe."
        return Judgement(name, "private", reason, 0.0, 0, flow)
    counts = Counter(vote.side for vote in votes)
    side, tied = _winner(counts)
    agreeing = [vote for vote in votes if vote.side == side]
    spoken = next((vote for vote in agreeing if vote.reason), agreeing[0])
    reason = spoken.reason or "The model gave no reason."
    if tied:
        reason = f"The samples are split evenly; {side} to be safe. {reason}"
    flow = replace(flow, information=spoken.information, principle=spoken.principle or flow.principle)
    return Judgement(name, side, reason, len(agreeing) / len(votes), len(votes), flow)


def _winner(counts: Mapping[Side, int]) -> tuple[Side, bool]:
    """The most protective side that half of the votes or more do not go beyond, and whether
    exactly half would have disclosed more."""
    total, at_least = sum(counts.values()), 0
    for side in reversed(SIDES):
        at_least += counts.get(side, 0)
        if 2 * at_least >= total:
            return side, 2 * at_least == total
    raise ValueError("no votes")


def _possible(vote: Vote, has_buckets: bool) -> Vote:
    if vote.side != "coarsened" or has_buckets:
        return vote
    return replace(
        vote,
        side="private",
        reason=f"It would be public when coarsened, but has no buckets. {vote.reason}".strip(),
    )


def _vote(item: Any) -> Vote | None:
    if isinstance(item, list) and len(item) == 1:
        item = item[0]
    fields = _fields(item) if isinstance(item, Mapping) else {"decision": item}
    said = next((fields[key] for key in _DECISION_KEYS if key in fields), None)
    if said is None:  # {"private": true, "public": false}
        said = " ".join(key for key, value in fields.items() if value is True)
    side = side_said(said)
    if side is None:
        return None
    words = (fields.get(key) for key in ("reason", "information type", "transmission principle"))
    return Vote(side, *map(_said, words))


def _fields(item: Mapping[str, Any]) -> dict[str, Any]:
    return {_fold(str(key)): value for key, value in item.items()}


def _items(parsed: Any, folded: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """(name, answer) for whatever looks like an answer about one attribute."""
    if isinstance(parsed, list):
        for item in parsed:
            fields = _fields(item) if isinstance(item, Mapping) else {}
            named = next((fields[key] for key in _NAME_KEYS if key in fields), None)
            if isinstance(named, str):
                yield named, item
            else:
                yield from _items(item, folded)
    elif isinstance(parsed, Mapping):
        for key, value in parsed.items():
            yield from _under_key(str(key), value, folded)


def _under_key(key: str, value: Any, folded: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    if _fold(key) in folded:
        yield key, value
    elif isinstance(value, list) and side_said(key):  # {"private": ["age", "income"]}
        yield from ((name, key) for name in value if isinstance(name, str))
    elif isinstance(value, list | Mapping):  # {"judgements": ...}
        yield from _items(value, folded)


def _said(value: Any) -> str:
    return " ".join(value.split())[:_LONGEST] if isinstance(value, str) else ""


def _fold(name: str) -> str:
    return re.sub(r"[\W_]+", " ", name.casefold()).strip()
