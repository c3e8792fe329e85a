"""Baseline: a differentially private histogram of one declared attribute (DP-SPIN §6.1).

PRIVATE SIDE: it counts the protected values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.privacy.budget import Charge
from ctxpriv.privatize.spin.atoms import Atom, AtomSet, canonical
from ctxpriv.privatize.spin.baselines.atom_relevance import by_examples, by_label, stood_for
from ctxpriv.privatize.spin.contributions import NO_ATOM, Contributions, sketch
from ctxpriv.privatize.spin.insight import Family, Outcome, Protected, Task
from ctxpriv.privatize.spin.measurement import ONE, Measurement
from ctxpriv.privatize.spin.mechanisms import Spin, check_finite
from ctxpriv.schema import SAYS_NOTHING
from ctxpriv.strict import a_text, did_you_mean


@dataclass(frozen=True)
class CategoryHistogram:
    """One category a record, by Laplace noise on every category: pure ε-DP.

    `column`: an attribute of the schema; None is the corpus's label.
    """

    epsilon: float = 1.0
    column: str | None = None

    name: ClassVar[str] = "DP category histogram"
    family: ClassVar[Family] = "baseline"

    def __post_init__(self) -> None:
        check_finite(self.epsilon)
        if self.column is not None:
            a_text(self.column, f"{self.name}, column")

    @property
    def title(self) -> str:
        return self.name if self.column is None else f"{self.name}, {self.column}"

    def charges(self, measurement: Measurement) -> tuple[Charge, ...]:
        (charge,) = self._noise.charges(_one_each(measurement))
        return (replace(charge, what="the whole histogram"),)

    def check(self, measurement: Measurement, donated: DonatedExamples) -> None:
        """Raises BadInput where the schema has no such attribute, or it has no usable value."""
        categories_of(donated, column_of(donated, self.column, self.name))

    def draw(self, task: Task) -> Outcome:
        """Raises BadInput where the schema has no such attribute, or it has no usable value."""
        column = column_of(task.donated, self.column, self.name)
        categories = categories_of(task.donated, column)
        counted = replace(
            _one_each(task.measurement), atoms=categories, size=min(task.measurement.size, len(categories))
        )
        counts = sketch(_contributions(task.protected, column, categories), counted)
        plan = self._noise.release(counts, counted, task.noise)
        plan = replace(plan, mechanism=plan.mechanism.replace("atom", "category"))
        shares = _shares(categories, task.donated, column, task.measurement.atoms)
        atoms = stood_for(np.array(plan.sketch), shares, task.measurement.size)
        return Outcome(plan, atoms, details={"column": column}, notes=_how(task.donated, column))

    def to_dict(self) -> dict[str, Any]:
        return {"method": self.name, **asdict(self)}

    @property
    def _noise(self) -> Spin:
        return Spin(self.epsilon, "laplace")


def column_of(donated: DonatedExamples, column: str | None, method: str) -> str:
    """The attribute to count. Raises BadInput where there is none of that name, or no label."""
    names = [a.name for a in donated.schema.attributes]
    if column is None and donated.label is None:
        raise BadInput(
            "the corpus has no label to count.", where=method, fix=f"Name a column: {', '.join(names)}."
        )
    chosen = donated.label if column is None else column
    if chosen not in names:
        raise BadInput(
            f"there is no attribute {chosen!r}.", where=f"{method}, column", fix=did_you_mean(chosen, names)
        )
    return chosen


def categories_of(donated: DonatedExamples, column: str) -> AtomSet:
    """The declared values that state something, in the schema's order; values that differ in signs
    alone are one category. Where the schema's values were read off the protected records, only those
    that donated records have: a value that no public record shows would give a record away.

    Raises BadInput where none is left.
    """
    attribute = donated.schema[column]
    given = donated.values[column].value_counts() if len(donated) else pd.Series(dtype=int)
    kept: dict[str, Atom] = {}
    for value in attribute.values:
        known = attribute.provenance != "observed" or value in given.index
        if known and value not in SAYS_NOTHING and canonical(value):
            atom = Atom(" ".join(value.split()), "", "taxonomy", int(given.get(value, 0)))
            kept.setdefault(canonical(value), atom)
    if not kept:
        raise BadInput(
            "has no value that is public and states something.",
            where=f"attribute {column!r}",
            fix="Count another column, or declare the values in a schema file.",
        )
    return AtomSet(tuple(kept.values()))


def _one_each(measurement: Measurement) -> Measurement:
    return replace(measurement, k=1, weights="scores")


def _contributions(protected: Protected, column: str, categories: AtomSet) -> Contributions:
    codes = _codes(protected.values[column].tolist(), categories)[:, None]
    return Contributions(codes, np.where(codes == NO_ATOM, 0, ONE), protected.contributions.users)


def _codes(values: Sequence[Any], categories: AtomSet) -> NDArray[np.int32]:
    """The category of every value, `NO_ATOM` for those that are none."""
    code = {canonical(label): i for i, label in enumerate(categories.labels)}
    of = {
        value: NO_ATOM if value in SAYS_NOTHING else code.get(canonical(str(value)), NO_ATOM)
        for value in set(values)
    }
    return np.array([of[value] for value in values], np.int32).reshape(-1)


def _shares(
    categories: AtomSet, donated: DonatedExamples, column: str, atoms: AtomSet
) -> NDArray[np.float64]:
    codes = _codes(donated.values[column].tolist(), categories)
    return by_label(categories.labels, atoms, by_examples(codes, len(categories), donated.texts, atoms))


def _how(donated: DonatedExamples, column: str) -> tuple[str, ...]:
    how = (
        f"Counts of {column!r}, one value a record. For the metrics a category stands for the atoms whose "
        "label starts with it, or else contains it, in proportion to their auxiliary support; where there is "
        "none, for the atoms that the donated texts of the category are like."
    )
    if donated.schema[column].provenance != "observed":
        return (how,)
    return (how, "Its values were read off the records, so only those that donated records show are counted.")
