"""Check (b): how many records stand out by what is disclosed of them. PRIVATE SIDE.

Public values are released for every record (paper, Limitations): a combination that few
records share points to a person whatever the mechanism protects. Counted exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ctxpriv.classify.checks.finding import CheckSettings, Finding, count, listed, percent
from ctxpriv.classify.checks.records import Column, Records, together
from ctxpriv.context import Partition, Side
from ctxpriv.progress import NEVER, CancelToken, Progress, silent

MOST_MOVES = 3


@dataclass(frozen=True)
class Shares:
    """Of all records: alone in their group, and in groups of fewer than k."""

    unique: float
    small: float


@dataclass(frozen=True)
class Move:
    attribute: str
    side: Side  # "coarsened" or "private"
    shares: Shares


def uniqueness(
    records: Records,
    partition: Partition,
    settings: CheckSettings = CheckSettings(),
    *,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Finding:
    """Rows: {kind: "group", size, share, records} per band of group sizes, then {kind: "move",
    attribute, side, unique, small, now} for every disclosed attribute and more protective side."""
    n, known = len(records), records.disclosed(partition)
    facts = {"n": n, "k": settings.k, "disclosed": len(known)}
    if not n:
        return Finding("uniqueness", False, "There are no private records.", facts=facts)
    if not known:
        return Finding("uniqueness", False, "Nothing is disclosed, so no record stands out.", facts=facts)
    progress("count groups", 0, 1)
    sizes = group_sizes(list(known.values()), n)
    now = _shares(sizes, settings.k)
    moves = _moves(records, known, partition, settings)
    plan = _plan(records, known, partition, settings, now, moves, cancel) if now.small else []
    progress("count groups", 1, 1)
    warning = now.small > settings.small_groups
    facts |= {"unique": now.unique, "small": now.small, "plan": [[m.attribute, m.side] for m in plan]}
    rows = [*_bands(sizes, settings.k), *(_move_row(m, now) for m in moves)]
    return Finding(
        "uniqueness",
        warning,
        _sentence(n, len(known), now, moves, settings),
        _suggestion(now, moves, plan, settings) if warning else "",
        tuple(rows),
        facts,
    )


def group_sizes(columns: Sequence[Column], n: int) -> np.ndarray:
    """Per record, how many records (itself included) have equal values in all `columns`; (n,)."""
    groups = together(columns, n)
    return np.bincount(groups.codes, minlength=groups.size)[groups.codes]


def _shares(sizes: np.ndarray, k: int) -> Shares:
    return Shares(float((sizes == 1).mean()), float((sizes < k).mean()))


def _moves(
    records: Records, known: Mapping[str, Column], partition: Partition, settings: CheckSettings
) -> list[Move]:
    """Every single step to a more protective side, with the shares after it."""
    out = []
    for name, others in _all_but_one(known, len(records)):
        sides: list[tuple[Side, list[Column]]] = [("private", [others])]
        if name in partition.public and name in records.schema.coarsenings:
            sides.insert(0, ("coarsened", [others, records.coarse[name]]))
        for side, columns in sides:
            out.append(Move(name, side, _shares(group_sizes(columns, len(records)), settings.k)))
    return out


def _all_but_one(known: Mapping[str, Column], n: int) -> list[tuple[str, Column]]:
    """Per attribute, the groups by all others. From both ends, so that d attributes cost 3 d
    joins and not d²."""
    columns = list(known.values())
    before, after = [together([], n)], [together([], n)]
    for each in columns[:-1]:
        before.append(together([before[-1], each], n))
    for each in reversed(columns[1:]):
        after.append(together([after[-1], each], n))
    joined = [together([b, a], n) for b, a in zip(before, reversed(after), strict=True)]
    return list(zip(known, joined, strict=True))


def _plan(
    records: Records,
    known: Mapping[str, Column],
    partition: Partition,
    settings: CheckSettings,
    now: Shares,
    moves: list[Move],
    cancel: CancelToken,
) -> list[Move]:
    """Best moves one after the other until few enough records stand out, `MOST_MOVES` at most."""
    plan: list[Move] = []
    while moves and len(plan) < MOST_MOVES:
        cancel.check()
        # The data without its utility label would be of little use: only where nothing else is left.
        best = _best([m for m in moves if m.attribute != records.label] or moves, settings)
        if best.shares.small >= now.small and best.shares.unique >= now.unique:
            break
        plan.append(best)
        now = best.shares
        if now.small <= settings.small_groups:
            break
        partition = partition.moved(best.attribute, best.side)
        known = records.disclosed(partition)
        moves = _moves(records, known, partition, settings) if known else []
    return plan


def _best(moves: Sequence[Move], settings: CheckSettings) -> Move:
    """The least protective move that suffices, else the one that leaves fewest in small groups."""
    enough = [m for m in moves if m.shares.small <= settings.small_groups]
    if coarse := [m for m in enough if m.side == "coarsened"]:
        enough = coarse
    return min(enough or moves, key=lambda m: (m.shares.small, m.shares.unique, m.side == "private"))


def _bands(sizes: np.ndarray, k: int) -> list[dict]:
    """Records by the size of their group: alone, below k, below 10 k, more."""
    edges = [1, 2, k, 10 * k, None] if k > 2 else [1, 2, 20, None]
    out = []
    for low, high in zip(edges[:-1], edges[1:], strict=True):
        inside = (sizes >= low) & (sizes < (high if high is not None else np.inf))
        out.append(
            {
                "kind": "group",
                "size": _size_words(low, high),
                "share": float(inside.mean()),
                "records": int(inside.sum()),
            }
        )
    return out


def _size_words(low: int, high: int | None) -> str:
    if high is None:
        return f"{low} or more"
    if high == low + 1:
        return "alone" if low == 1 else str(low)
    return f"{low}–{high - 1}"


def _move_row(move: Move, now: Shares) -> dict:
    return {
        "kind": "move",
        "attribute": move.attribute,
        "side": move.side,
        "unique": move.shares.unique,
        "small": move.shares.small,
        "now": now.small,
    }


def _sentence(n: int, disclosed: int, now: Shares, moves: list[Move], settings: CheckSettings) -> str:
    who = f"By the {count(disclosed, 'disclosed attribute')}"
    if not now.small:
        return f"{who}, each of {count(n, 'record')} has at least {settings.k - 1} others like it."
    text = (
        f"{who}, {percent(now.unique)} of {count(n, 'record')} are the only one of their kind, and "
        f"{percent(now.small)} are in groups of fewer than {settings.k} alike."
    )
    return f"{text} {_causes(now, moves)}".strip()


def _causes(now: Shares, moves: list[Move]) -> str:
    """The attributes without which noticeably fewer records would stand out."""
    falls = {m.attribute: now.small - m.shares.small for m in moves if m.side == "private"}
    most = max(falls.values(), default=0)
    causes = sorted(
        (a for a in falls if falls[a] >= max(most / 2, 0.05 * now.small)), key=lambda a: -falls[a]
    )
    if not causes or most <= 0:
        return "No single attribute causes it: the combination does."
    return f"The main cause{'s are' if len(causes) > 1 else ' is'} {listed(causes, most=3)}."


def _suggestion(now: Shares, moves: list[Move], plan: list[Move], settings: CheckSettings) -> str:
    if not plan:
        return "No single change helps. Make several attributes private, or approve with a reason."
    words = listed([f"{m.attribute} {_side_words(m.side)}" for m in plan], most=MOST_MOVES)
    first, last = plan[0], plan[-1]
    if last.shares.small > now.small / 2:
        return (
            f"The disclosed attributes are too fine together: even with {words}, "
            f"{percent(last.shares.small)} would be in groups below {settings.k}. Make most of them private "
            "or coarser, or approve with a reason."
        )
    text = f"Make {words}: then {percent(last.shares.small)} are in groups below {settings.k}."
    if len(plan) > 1 and first.shares.small < 0.95 * now.small:
        text += f" The first alone brings it from {percent(now.small)} to {percent(first.shares.small)}."
    other = next((m for m in moves if m.attribute == first.attribute and m.side != first.side), None)
    if other and other.shares.small < 0.95 * now.small:
        text += f" {first.attribute} {_side_words(other.side)} alone gives {percent(other.shares.small)}."
    if last.shares.small > settings.small_groups:
        text += " That is still many: make more private or coarser, or approve with a reason."
    return text


def _side_words(side: Side) -> str:
    return "public when coarsened" if side == "coarsened" else "private"
