"""What a check before approval found: one sentence, one suggestion, the rows of one picture.

Curator-only (DESIGN 4.7): findings are computed on private records without noise.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from ctxpriv.strict import a_number, whole_number

Check = Literal["inference", "uniqueness", "collusion", "authors"]

TITLES: Mapping[Check, str] = {
    "inference": "Guessing the private attributes",
    "uniqueness": "Records that stand out",
    "collusion": "Audiences that share",
    "authors": "People with several texts",
}


@dataclass(frozen=True)
class Finding:
    """Shown to the curator as it is; `rows` go to the chart of the same check.

    `facts` are the figures behind the sentence. All of it is plain JSON.
    """

    check: Check
    warning: bool
    sentence: str
    suggestion: str = ""
    rows: tuple[Mapping[str, Any], ...] = ()
    facts: Mapping[str, Any] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return TITLES[self.check]

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "rows": [dict(r) for r in self.rows], "facts": dict(self.facts)}


@dataclass(frozen=True)
class CheckSettings:
    """How the checks count and when they warn. Raises BadInput on values that mean nothing.

    Inference warns when the gain over always guessing the most common value is more than `chance`
    would give and at least `gain`, or at least `gain_of_rest` of what that guess gets wrong: a
    rare value that is found out moves accuracy by little.
    """

    k: int = 5  # the usual least group size of published microdata
    folds: int = 5  # four fifths of the records teach the adversary, and every record is guessed once
    seed: int = 0  # deals records to folds; nothing else is random
    gain: float = 0.05  # one record in twenty more than by guessing: below, a release can stand it
    gain_of_rest: float = 0.2
    # One-sided. Measured on independent made-up tables of 40 to 1,000 records, with authors and without:
    # 3 in 100 private attributes warn (held-out folds are not quite independent). At 0.0025 it is 1 in
    # 100, but then the forum sample's income_level no longer counts as telling income.
    chance: float = 0.01
    # More than this share of records in groups below k: too many to handle by hand.
    small_groups: float = 0.01
    texts: int = 2  # from the second text of a person on, the ε on the card is not theirs

    def __post_init__(self) -> None:
        whole_number(self.k, "checks, k", 2)
        whole_number(self.folds, "checks, folds", 2)
        whole_number(self.seed, "checks, seed")
        whole_number(self.texts, "checks, texts", 2)
        for name in ("gain", "gain_of_rest", "chance"):
            a_number(getattr(self, name), f"checks, {name}", above=0, below=1)
        a_number(self.small_groups, "checks, small_groups", above=-1e-12, below=1)


def percent(share: float) -> str:
    """ "71 %", "0.4 %": whole percents, one decimal below one."""
    if 0 < share < 0.01:
        return "below 0.1 %" if share < 0.001 else f"{share:.1%}".replace("%", " %")
    if 0.995 <= share < 1:
        return "over 99 %"
    return f"{share:.0%}".replace("%", " %")


def number(x: float) -> str:
    """ "0.123", "12.3", "∞": three digits, for ε and ρ."""
    return "∞" if math.isinf(x) else f"{x:.3g}"


def count(n: int, word: str) -> str:
    """ "1 record", "1,200 records"."""
    return f"{n:,} {word}" + ("" if n == 1 else "s")


def listed(names: Sequence[str], last: str = "and", most: int = 4) -> str:
    """ "a, b and c"; beyond `most`, "a, b, c, d and 3 more"."""
    names = list(names)
    if len(names) > most:
        return f"{', '.join(names[:most])} {last} {len(names) - most} more"
    return f" {last} ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))
