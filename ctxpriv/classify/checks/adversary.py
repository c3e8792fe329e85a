"""An adversary who guesses one private attribute from what is disclosed. PRIVATE SIDE.

It learns from four fifths of the records and guesses the last fifth, for each fifth in turn
(records of one author stay in one fold), and follows whichever rule did best on the other folds:

- always the most common value;
- the most common value among records that share one disclosed attribute, two, or all of them;
- naive Bayes over all disclosed attributes;
- the same with buckets for values, where there are buckets: with few records they tell more.

Chosen by measurement (52 private attributes of the five sample corpora; accuracy, averaged, never
below the majority's): majority 0.334, naive Bayes 0.463, boosted trees 0.477, random forest
0.486, one-hot logistic regression 0.489, these rules 0.498. On
made-up tables each of the others misses a case that these rules find: an interaction, or a
functional dependency on an attribute with hundreds of values. What these miss is an interaction
of three attributes or more whose parts tell nothing, unless the disclosed attributes together
have few values.

The counts that lookups and naive Bayes need are the same, and leaving an attribute out of
naive Bayes is leaving out a term: hence own code and not scikit-learn's, which counts anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from ctxpriv.classify.checks.records import Codes, Column, together

Hits = NDArray[np.bool_]
"""Per record: was it guessed right while it was held out? Shape (n,)."""

PRIOR_RECORDS = 2.0
"""Naive Bayes: how many records' worth of the overall frequencies each class starts with."""

PAIRED = 20
"""Pairs are tried among this many attributes, those that tell most alone: 190 pairs."""


@dataclass(frozen=True)
class Rule:
    """One way to guess. No attributes: always the most common value."""

    attributes: tuple[str, ...]
    bayes: bool = False
    by_buckets: bool = False


class Adversary:
    """Against `target` (most common value first, as `Column` has it), knowing `known`, and the
    `buckets` of some of them. `bounds`: where folds begin and end.

    What every rule hit is kept, so that asking again with fewer attributes is quick. `cells` may be
    shared between the adversaries of one partition: what is told apart does not depend on the target.
    `alike`: mean records of the author of a record; by so much chance differences are larger.
    """

    def __init__(
        self,
        known: Mapping[str, Column],
        buckets: Mapping[str, Column],
        target: Column,
        bounds: Sequence[int],
        cells: dict[Rule, Column] | None = None,
        *,
        alike: float = 1.0,
    ) -> None:
        self.known = {n: _without_lone(c) if c.size > len(c.codes) // 4 else c for n, c in known.items()}
        self.buckets, self.target = dict(buckets), target
        self.folds = [slice(a, b) for a, b in zip(bounds[:-1], bounds[1:], strict=True)]
        self.majority: Hits = target.codes == 0
        self._shared_cells = {} if cells is None else cells
        self._alike = alike
        self._hits: dict[Rule, Hits] = {Rule(()): self.majority}
        self._terms: dict[tuple[str, bool], list[NDArray[np.float32]]] = {}
        per_class = np.bincount(target.codes, minlength=target.size)
        self._per_class = [
            per_class - np.bincount(target.codes[f], minlength=target.size) for f in self.folds
        ]
        self._prior = [np.log(count + 0.5).astype(np.float32) for count in self._per_class]

    def alone(self, name: str) -> Hits:
        """What one attribute tells: the better of its values and its buckets."""
        return max((self._hit(r) for r in self._both([Rule((name,))])), key=np.count_nonzero)

    def contributors(self, names: Sequence[str]) -> tuple[str, ...]:
        """The attribute that tells most alone; or the two that tell most together, where that is
        more by two standard errors of the difference."""
        best = max(names, key=lambda n: np.count_nonzero(self.alone(n)))
        alone = self.alone(best)
        pairs = self._both(self._pairs(tuple(names)))
        if pairs:
            pair = max(pairs, key=lambda r: np.count_nonzero(self._hit(r)))
            both = self._hit(pair)
            lead = np.count_nonzero(both) - np.count_nonzero(alone)
            if lead > 2 * np.sqrt(self._alike * np.count_nonzero(both ^ alone)):
                return pair.attributes
        return (best,)

    def together(self, names: tuple[str, str]) -> Hits:
        """What two attributes tell: the better of their values and their buckets."""
        return max((self._hit(r) for r in self._both([Rule(names)])), key=np.count_nonzero)

    def guess(self, names: Sequence[str]) -> Hits:
        """The best that the adversary makes of `names`."""
        names = tuple(names)
        simple = [Rule((n,)) for n in names]
        if len(names) > 1:
            simple.append(Rule(names, bayes=True))
        if len(names) > 2:
            simple.append(Rule(names))
        return self._chosen([Rule(()), *self._both(simple)], self._both(self._pairs(names)))

    def _pairs(self, names: tuple[str, ...]) -> list[Rule]:
        tell_most = sorted(names, key=lambda n: -np.count_nonzero(self.alone(n)))[:PAIRED]
        return [Rule(pair) for pair in combinations(sorted(tell_most, key=names.index), 2)]

    def _both(self, rules: Sequence[Rule]) -> list[Rule]:
        """The rules by values, and those by buckets that differ from them."""
        return [
            *rules,
            *(replace(r, by_buckets=True) for r in rules if not self.buckets.keys().isdisjoint(r.attributes)),
        ]

    def _chosen(self, simple: Sequence[Rule], pairs: Sequence[Rule]) -> Hits:
        """Per fold, the hits of the rule that was best on the other folds. There are many pairs, so
        one of them must beat the best other rule by a standard error of their difference."""
        table = np.array([self._hit(r) for r in simple])
        pair_table = np.array([self._hit(r) for r in pairs])
        sums, pair_sums = self._per_fold(table), self._per_fold(pair_table)
        apart: dict[int, NDArray[np.int64]] = {}  # by simple rule: records where one of both is right

        def choose(held_out: int) -> Hits:
            rest = np.arange(len(self.folds)) != held_out
            best = int(sums[:, rest].sum(1).argmax())
            if pairs:
                if best not in apart:
                    apart[best] = self._per_fold(pair_table ^ table[best])
                lead = pair_sums[:, rest].sum(1) - sums[best, rest].sum()
                lead = lead - np.sqrt(self._alike * apart[best][:, rest].sum(1))
                if lead.max() > 0:
                    return pair_table[int(lead.argmax())]
            return table[best]

        return np.concatenate([choose(i)[fold] for i, fold in enumerate(self.folds)])

    def _per_fold(self, table: NDArray[np.bool_]) -> NDArray[np.int64]:
        """(rules, n) to (rules, folds)."""
        if not table.size:
            return np.zeros((len(table), len(self.folds)), np.int64)
        return np.array([[np.count_nonzero(row[fold]) for fold in self.folds] for row in table])

    # ---- rules

    def _hit(self, rule: Rule) -> Hits:
        if rule not in self._hits:
            self._hits[rule] = self._bayes(rule) if rule.bayes else self._look_up(self._cells(rule))
        return self._hits[rule]

    def _look_up(self, cells: Column) -> Hits:
        """The most common target value among the training records of the same cell. Where there
        is none all counts are 0, and the first, overall most common value is guessed."""
        hits = np.empty(len(cells.codes), bool)
        key = self._key(cells)
        total = self._counts(key, cells.size)
        for fold in self.folds:
            guessed = (total - self._counts(key[fold], cells.size)).argmax(1)
            hits[fold] = guessed[cells.codes[fold]] == self.target.codes[fold]
        return hits

    def _bayes(self, rule: Rule) -> Hits:
        hits = np.empty(len(self.target.codes), bool)
        terms = [(self._view(n, rule).codes, self._terms_of(n, rule)) for n in rule.attributes]
        for i, fold in enumerate(self.folds):
            score = np.repeat(self._prior[i][None, :], fold.stop - fold.start, axis=0)
            for codes, of_fold in terms:
                score += np.take(of_fold[i], codes[fold], axis=0)  # three times as quick as indexing
            hits[fold] = score.argmax(1) == self.target.codes[fold]
        return hits

    def _terms_of(self, name: str, rule: Rule) -> list[NDArray[np.float32]]:
        """Per fold, log p(value | class) / p(value), shape (values, classes): 0 for a value that
        the training records do not have."""
        by_buckets = rule.by_buckets and name in self.buckets
        if (name, by_buckets) not in self._terms:
            column = self._view(name, rule)
            key = self._key(column)
            total, out = self._counts(key, column.size), []
            for fold, per_class in zip(self.folds, self._per_class, strict=True):
                count = total - self._counts(key[fold], column.size)
                share = count.sum(1, keepdims=True) / max(per_class.sum(), 1)
                seen = np.maximum(share, 1e-300)
                ratio = (count / seen + PRIOR_RECORDS) / (per_class + PRIOR_RECORDS)
                out.append(np.where(share > 0, np.log(ratio), 0).astype(np.float32))
            self._terms[name, by_buckets] = out
        return self._terms[name, by_buckets]

    def _view(self, name: str, rule: Rule) -> Column:
        return self.buckets[name] if rule.by_buckets and name in self.buckets else self.known[name]

    def _cells(self, rule: Rule) -> Column:
        columns = [self._view(n, rule) for n in rule.attributes]
        if len(columns) == 1:
            return columns[0]
        n, size = len(self.target.codes), int(np.prod([float(c.size) for c in columns]))
        if size <= n // 4:  # few cells: the plain product of codes is quicker than renumbering
            key = np.zeros(n, np.int64)
            for each in columns:
                key = key * each.size + each.codes
            return Column(key, size)
        if rule not in self._shared_cells:
            self._shared_cells[rule] = _without_lone(together(columns, n))
        return self._shared_cells[rule]

    def _key(self, cells: Column) -> Codes:
        return cells.codes * self.target.size + self.target.codes

    def _counts(self, key: Codes, cells: int) -> NDArray[np.int64]:
        """Records by cell and target value, shape (cells, classes)."""
        return np.bincount(key, minlength=cells * self.target.size).reshape(cells, self.target.size)


def _without_lone(cells: Column) -> Column:
    """Cells of one record joined into one: held out, such a record has nobody to learn from but
    the other lone ones."""
    count = np.bincount(cells.codes, minlength=cells.size)
    shared = count > 1
    number = np.cumsum(shared) - 1
    size = int(shared.sum())
    return Column(np.where(shared[cells.codes], number[cells.codes], size), size + 1)
