"""What an evaluation may vary, and the sample sizes below which a figure is not computed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ctxpriv.errors import BadInput
from ctxpriv.strict import a_text, names, whole_number

CLASSIFIERS = ("embedding", "roberta")

MIN_MAUVE = 40
"""Records a side: MAUVE quantises into n/10 cells, and fewer than 4 say nothing."""
MIN_HISTOGRAM = 20
"""Records a side for KL, TV and JSD."""
MIN_TRAIN = 20
"""Released records to train a classifier on."""
MIN_TEST = 20
"""Real test records to measure an accuracy on."""
MIN_GROUP = 10
"""Test records in each of the two groups of the demographic gap."""


@dataclass(frozen=True)
class EvaluationSettings:
    """`group_attribute`: whose two largest groups the demographic gap compares (e.g. "sex");
    `groups` names the two instead. Raises BadInput on impossible values.

    `bootstrap`: draws behind an interval. `refits` of them re-train the classifier on
    resampled released records; the others resample the test records under these.
    `roberta`: a folder or a hub name, read only with `classifier="roberta"`.
    """

    group_attribute: str | None = None
    groups: tuple[str, str] | None = None
    bootstrap: int = 200
    refits: int = 20
    mauve_seeds: int = 5
    mauve_resamples: int = 4
    classifier: str = "embedding"
    roberta: str = "roberta-base"
    seed: int = 0

    def __post_init__(self) -> None:
        where = "evaluation settings"
        if self.classifier not in CLASSIFIERS:
            raise BadInput(
                f"unknown classifier {self.classifier!r}.",
                where=where,
                fix=f"Use one of {', '.join(CLASSIFIERS)}.",
            )
        for name in ("bootstrap", "refits", "mauve_seeds", "mauve_resamples", "seed"):
            whole_number(getattr(self, name), f"{where}, {name}")
        if self.group_attribute is not None:
            a_text(self.group_attribute, f"{where}, group_attribute")
        a_text(self.roberta, f"{where}, roberta")
        if self.mauve_seeds < 3:
            raise BadInput(
                "mauve_seeds must be at least 3, because MAUVE differs between k-means seeds.", where=where
            )
        if self.refits < 5 or self.mauve_resamples < 1 or self.bootstrap < self.refits:
            raise BadInput(
                "needs refits of at least 5, mauve_resamples of at least 1 and bootstrap of at least refits.",
                where=where,
            )
        groups = self.groups
        if groups is not None and (len(groups) != 2 or groups[0] == groups[1]):
            raise BadInput("groups must name two different values.", where=where)

    def to_dict(self) -> dict[str, Any]:
        return {**self.__dict__, "groups": list(self.groups) if self.groups else None}

    @staticmethod
    def from_dict(data: dict[str, Any]) -> EvaluationSettings:
        groups = names(data["groups"], "evaluation settings, groups") if data.get("groups") else None
        return EvaluationSettings(**{**data, "groups": groups})
