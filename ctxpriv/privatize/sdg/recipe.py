"""What SDG-CI, MAPLE and Aug-PE differ in: one recipe for one engine (DESIGN section 5)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from ctxpriv.errors import BadInput
from ctxpriv.privacy.accounting import RHO_AIM_UNLIMITED, rho_from
from ctxpriv.privacy.guarantee import DP, FEATURE_DP, Kind
from ctxpriv.privatize.sdg.aim import AIMConfig

Expansion = Literal["declared", "observed"]


@dataclass(frozen=True)
class Recipe:
    """`public` attributes are copied from the records (those in `as_buckets` as their bucket
    only), `private` ones drawn from conditional AIM; attributes in neither do not exist for
    this method. Without `aim` there is no table at all and candidates are written for the
    utility label alone (Aug-PE)."""

    method: str
    audience: str
    public: tuple[str, ...]
    private: tuple[str, ...]
    label: str | None
    epsilon: float
    delta: float | None
    n_synthetic: int | None
    rounds: int
    variations: int
    aim_share: float
    value_expansion: Expansion
    aim: AIMConfig | None
    as_buckets: tuple[str, ...] = ()

    @property
    def exact(self) -> tuple[str, ...]:
        """The public attributes that are released as they are."""
        return tuple(n for n in self.public if n not in self.as_buckets)

    @property
    def fits_table(self) -> bool:
        """Whether conditional AIM has anything to do."""
        return self.aim is not None and bool(self.private)

    @property
    def has_rows(self) -> bool:
        """Whether texts are written for synthetic rows, or for the label alone (Aug-PE)."""
        return self.aim is not None

    @property
    def kind(self) -> Kind:
        return FEATURE_DP if self.public else DP

    @property
    def mechanism(self) -> str:
        parts = ["conditional AIM"] if self.fits_table else []
        return f"{self.method}: {' and '.join([*parts, 'private evolution'])}"


@dataclass(frozen=True)
class Split:
    """The budget in exact parts. `rho` and `vote` are None at ε = ∞: nothing bounds the votes.

    `table` is ρ_AIM (None where no table is fitted), `vote` the ρ of each of the T + 1
    histograms: all of ρ is used, table + (T + 1)·vote = ρ.
    """

    rho: Fraction | None
    delta: float
    table: Fraction | None
    vote: Fraction | None

    @property
    def unlimited(self) -> bool:
        return self.rho is None


def split_budget(recipe: Recipe, n_private: int) -> Split:
    """ρ from (ε, δ) by the tight conversion, δ = 1/n unless given, split for the two stages.

    Raises BadInput when δ cannot be 1/n because there are fewer than two records.
    """
    if recipe.delta is None and n_private < 2:
        raise BadInput(
            f"there are {n_private} private records, and delta = 1/n needs at least 2.",
            where=recipe.method,
            fix="Put more records into the private split.",
        )
    delta = 1 / n_private if recipe.delta is None else recipe.delta
    rho = rho_from(recipe.epsilon, delta)
    if rho == float("inf"):
        return Split(None, delta, Fraction(RHO_AIM_UNLIMITED) if recipe.fits_table else None, None)
    whole = Fraction(rho)
    table = Fraction(recipe.aim_share) * whole if recipe.fits_table else None
    return Split(whole, delta, table, (whole - (table or 0)) / (recipe.rounds + 1))
