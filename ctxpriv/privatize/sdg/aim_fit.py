"""What a Conditional AIM fit hands on: the model, how it came about, and samples. All of it is released."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctxpriv.errors import BadInput
from ctxpriv.privacy.budget import Charge
from ctxpriv.privatize.sdg.conditional_model import ConditionalModel
from ctxpriv.privatize.sdg.measured import NoisyMarginal, ValueBins
from ctxpriv.privatize.sdg.sampler import draw_private
from ctxpriv.privatize.sdg.workload import Attributes


@dataclass(frozen=True)
class Round:
    """One round as released: what was measured, at which noise and price, and how the model moved."""

    private: Attributes
    public: Attributes
    sigma: float
    epsilon: float
    rho: float
    moved: float  # ‖M_r(p̂_t) − M_r(p̂_{t−1})‖ in the annealing norm
    annealed: bool
    model_bytes: int
    evaluations: int


@dataclass(frozen=True)
class AIMFit:
    """The fitted model and everything released on the way. Holds no private values.

    `one_way_sigma` is σ0; `merged` maps a private attribute's name to the number of values
    that share its rare bin; `charges` sum to ρ_AIM exactly; `seconds` per phase.
    """

    names: tuple[str, ...]
    sizes: tuple[int, ...]
    private: Attributes
    public: Attributes
    model: ConditionalModel
    bins: dict[int, ValueBins]
    measurements: tuple[NoisyMarginal, ...]
    rounds: tuple[Round, ...]
    one_way_sigma: float
    charges: tuple[Charge, ...]
    noise: str
    noise_is_private: bool
    seconds: dict[str, float]

    @property
    def rho(self) -> Fraction:
        """What was spent: exactly ρ_AIM."""
        return sum((c.rho for c in self.charges), Fraction(0))

    @property
    def total(self) -> float:
        """Records: exact when anything is public, else a private estimate."""
        return self.model.total

    def sample(
        self, *, rows: NDArray[np.int64] | None = None, n_rows: int | None = None, seed: int = 0
    ) -> NDArray[np.int64]:
        """Synthetic codes (m, |A|): public columns copied, private ones drawn.

        With public attributes, `rows` are the records (positions in the fitted table) whose
        public values are copied, all of them by default. Without, `n_rows` is how many to
        draw, by default the estimated total. Post-processing: `seed` needs no secrecy.
        """
        rng = np.random.default_rng(seed)
        place = self._places(rows, n_rows)
        out = np.empty((len(place), len(self.names)), np.int64)
        out[:, list(self.public)] = self.model.public.distinct[place]
        for attribute, drawn in draw_private(self.model, place, rng).items():
            out[:, attribute] = self.bins[attribute].expand(drawn, rng)
        return out

    def _places(self, rows: NDArray[np.int64] | None, n_rows: int | None) -> NDArray[np.int64]:
        if not self.public:
            if rows is not None:
                raise BadInput("nothing is public, so there are no rows to copy.", fix="Give n_rows.")
            count = round(self.total) if n_rows is None else n_rows
            if count < 1:
                raise BadInput(f"{count} synthetic rows were asked for.", where="number of rows")
            return np.zeros(count, np.int64)
        if n_rows is not None:
            raise BadInput("public values are copied from records, so name the records.", fix="Give rows.")
        record_row = self.model.public.record_row
        return record_row if rows is None else record_row[np.asarray(rows, np.int64)]

    def diagnostics(self) -> dict[str, Any]:
        """Released facts about the fit, JSON-ready, with attribute names."""

        def label(r: Round) -> dict[str, Any]:
            named = {
                "private": [self.names[a] for a in r.private],
                "public": [self.names[a] for a in r.public],
            }
            return asdict(r) | named

        return {
            "rho": float(self.rho),
            "noise": self.noise,
            "one_way_sigma": self.one_way_sigma,
            "total": self.total,
            "total_is_exact": bool(self.public),
            "merged_values": {self.names[a]: len(b.merged) for a, b in self.bins.items()},
            "bins": {self.names[a]: b.size for a, b in self.bins.items()},
            "rounds": [label(r) for r in self.rounds],
            "model_bytes": self.model.bytes(),
            "seconds": dict(self.seconds),
        }
