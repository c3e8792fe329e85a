"""One record's rewrite as a plan over the original: which span stands on which rung, which clauses are gone.

PRIVATE SIDE: holds the text of a private record. A plan holds none; it is kept with the round.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ctxpriv.extract.evidence.bearing import Bearing
from ctxpriv.extract.evidence.find import find_spans
from ctxpriv.extract.evidence.span import WORD, Clue, Span, without_overlaps
from ctxpriv.privatize.anon.clauses import clause_around, cut_clauses
from ctxpriv.privatize.anon.ladder import Rung, key_of, rungs
from ctxpriv.privatize.anon.splice import Edit, Piece, splice
from ctxpriv.schema import SAYS_NOTHING

BY_KIND = frozenset({"city", "region", "country", "adjective", "name", "street"})
"""Spans that bear on an attribute even where they point to none of its values."""
EXACT = frozenset({"city", "region", "country", "age", "decade", "money", "job", "year"})
"""Spans that can say more than a bucket."""
LATER = frozenset({"job named", "value"})
"""Left alone until an evaluator finds their attribute told: mostly about other people, or ordinary words."""
LEAST_SHARE, LEAST_WORDS = 0.3, 5
"""No clause is taken out where fewer of the words would stay."""


@dataclass(frozen=True)
class Plan:
    """`rungs`: per place in the list of spans its rung. `gone`: offsets of clauses taken out."""

    rungs: Mapping[int, int] = field(default_factory=dict)
    gone: tuple[tuple[int, int], ...] = ()

    def to_memory(self) -> dict[str, Any]:
        return {"rungs": {str(i): r for i, r in self.rungs.items()}, "gone": [list(g) for g in self.gone]}

    @staticmethod
    def from_memory(memory: Mapping[str, Any]) -> Plan:
        """Raises KeyError, TypeError or ValueError for what `to_memory` did not write."""
        gone = tuple((int(a), int(b)) for a, b in memory["gone"])
        return Plan({int(i): int(r) for i, r in memory["rungs"].items()}, gone)

    def with_rung(self, span: int, rung: int) -> Plan:
        return replace(self, rungs={**self.rungs, span: rung})

    def without(self, clause: tuple[int, int]) -> Plan:
        return replace(self, gone=tuple(sorted({*self.gone, clause})))


class Draft:
    """The original with its typed spans and their ladders."""

    def __init__(
        self, text: str, bearing: Bearing, private: tuple[str, ...], buckets: Mapping[str, str]
    ) -> None:
        self.text, self.bearing, self.private, self.buckets = text, bearing, frozenset(private), buckets
        self.spans = without_overlaps([*find_spans(text), *_named_values(text, bearing, private)])
        self.keys = [key_of(text, span) for span in self.spans]
        order: dict[str, dict[str, int]] = {}
        self._ladders: list[list[Rung]] = []
        for span, key in zip(self.spans, self.keys, strict=True):
            seen = order.setdefault(span.kind, {})
            nth = seen.setdefault(key, len(seen))
            self._ladders.append(self._ladder(span, nth))

    def first_plan(self) -> Plan:
        """Every typed span of a private attribute on its first rung, at once."""
        plan = Plan()
        for i, span in enumerate(self.spans):
            first = self.keys.index(self.keys[i]) == i  # `up` takes its like along
            if first and span.kind not in LATER and self._to_change(span):
                plan = self.up(plan, i)
        return plan

    def up(self, plan: Plan, i: int) -> Plan:
        """Span i and its like one rung further; past the last its clause goes (where enough stays)."""
        rung = plan.rungs.get(i, -1) + 1
        for j, key in enumerate(self.keys):
            if key != self.keys[i]:
                continue
            if rung < len(self._ladders[j]):
                plan = plan.with_rung(j, rung)
            elif self.may_go(
                plan, clause := clause_around(self.text, self.spans[j].start, self.spans[j].end)
            ):
                plan = plan.without(clause)
        return plan

    def may_go(self, plan: Plan, clause: tuple[int, int]) -> bool:
        """Whether enough of the text stays without the clause."""
        if any(a <= clause[0] and clause[1] <= b for a, b in plan.gone):
            return False
        stays = list(self.text)
        for a, b in (*plan.gone, clause):
            stays[a:b] = " " * (b - a)
        words, kept = len(self.text.split()), len("".join(stays).split())
        return kept >= max(LEAST_WORDS, LEAST_SHARE * words)

    def clauses(self, plan: Plan) -> list[tuple[int, int]]:
        """Those that may still be taken out."""
        return [c for c in cut_clauses(self.text) if self.may_go(plan, c)]

    def render(self, plan: Plan) -> tuple[str, list[Piece]]:
        """The rewrite, and where each edit went; a piece's key is the place of its span, "" for a clause."""
        edits = [Edit(a, b, "") for a, b in _joined(plan.gone)]
        edits += [Edit(step.start, step.end, step.phrase, str(i)) for i, step in self._steps(plan)]
        return splice(self.text, edits)

    def _steps(self, plan: Plan) -> list[tuple[int, Rung]]:
        return [
            (i, self._ladders[i][rung])
            for i, rung in plan.rungs.items()
            if 0 <= i < len(self.spans) and 0 <= rung < len(self._ladders[i])
        ]

    def touched(self, plan: Plan, start: int, end: int) -> bool:
        """Whether any of `text[start:end]` is changed by the plan."""
        moved = [(step.start, step.end) for _, step in self._steps(plan)]
        return any(a < end and start < b for a, b in (*plan.gone, *moved))

    def about(self, span: Span) -> set[str]:
        """Attributes that a span tells."""
        out: set[str] = set()
        for clue in span.clues:
            whole = span.kind in BY_KIND or not clue.hint
            out.update(self.bearing.attributes(clue) if whole else self.bearing.tells(clue))
        return out

    def _to_change(self, span: Span) -> bool:
        about = self.about(span)
        return bool(about & self.private) or (span.kind in EXACT and bool(about & set(self.buckets)))

    def _ladder(self, span: Span, nth: int) -> list[Rung]:
        right = {}
        for name, bucket in self.buckets.items():
            classes = self.bearing.schema.coarse_values(name)
            clues = [c for c in span.clues if name in self.bearing.attributes(c)]
            if bucket in classes and any(
                self.bearing.weights(c, name)[classes.index(bucket)] > 0 for c in clues
            ):
                right[name] = bucket
        return rungs(self.text, span, nth, self.bearing, self.private, right)


def _named_values(text: str, bearing: Bearing, private: Iterable[str]) -> Iterable[Span]:
    """Values of private attributes that no detector knows anything of, where they stand as they are."""
    for name in private:
        if bearing.facets[name]:
            continue
        for value in bearing.schema[name].values:
            words = value.replace("_", " ").strip()
            if len(words) > 3 and value not in SAYS_NOTHING:
                for m in re.finditer(rf"(?<!\w){re.escape(words)}(?!\w)", text, re.IGNORECASE):
                    yield Span(m.start(), m.end(), "value", (Clue(WORD, name),))


def _joined(clauses: tuple[tuple[int, int], ...]) -> list[tuple[int, int]]:
    """Clauses that follow each other as one."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(clauses):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out
