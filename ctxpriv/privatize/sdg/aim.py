"""Conditional AIM (paper Alg. 1): select, measure, estimate; then sample given the public rows.

`fit` is the only entry. Private values stay inside `PrivateTable`; the loop below sees
released objects only, and spends exactly ρ_AIM.
"""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ctxpriv.errors import BadInput
from ctxpriv.privacy.budget import Budget, Charge
from ctxpriv.privacy.noise import Noise
from ctxpriv.privatize.sdg.aim_fit import AIMFit, Round
from ctxpriv.privatize.sdg.conditional_model import ConditionalModel
from ctxpriv.privatize.sdg.estimator import Estimation
from ctxpriv.privatize.sdg.measured import NoisyMarginal, ValueBins, merge_rare
from ctxpriv.privatize.sdg.private_table import PrivateTable
from ctxpriv.privatize.sdg.public_rows import PublicRows
from ctxpriv.privatize.sdg.workload import Attributes, Workload, build_workload
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.strict import a_number, whole_number

ONE_WAY_SHARE = Fraction(1, 10)
"""Share of ρ_AIM for the private one-way marginals (Alg. 1, line 4)."""


@dataclass(frozen=True)
class AIMConfig:
    """The paper's hyper-parameters (Alg. 1, line 1) and how close the estimate must be.

    `anneal_norm`: "l2" as the paper writes the test of line 14, "l1" as AIM does.
    `rare_threshold` is in units of σ0. `max_model_mb` counts float64 tables.
    """

    rounds_per_attribute: int = 16
    alpha: float = 0.9
    max_model_mb: float = 80.0
    max_order: int = 3
    max_cells: int = 10**7
    anneal_norm: Literal["l1", "l2"] = "l2"
    rare_threshold: float = 3.0
    estimation: Estimation = field(default_factory=Estimation)

    def __post_init__(self) -> None:
        where = "AIM settings"
        # Whole numbers and finite ones only: prices are exact fractions of them.
        for name in ("rounds_per_attribute", "max_order", "max_cells"):
            whole_number(getattr(self, name), f"{where}, {name}", least=1)
        a_number(self.max_model_mb, f"{where}, max_model_mb", above=0)
        a_number(self.alpha, f"{where}, alpha", above=0, below=1)
        a_number(self.rare_threshold, f"{where}, rare_threshold")
        if not isinstance(self.estimation, Estimation):
            raise BadInput("is not a set of settings.", where=f"{where}, estimation")
        if self.anneal_norm not in ("l1", "l2"):
            raise BadInput(f"anneal_norm is {self.anneal_norm!r}.", where=where, fix='Use "l1" or "l2".')
        if self.rare_threshold < 0:
            raise BadInput("the rare-value threshold is negative.", where=where)


def fit(
    codes: NDArray[np.int64],
    sizes: Sequence[int],
    names: Sequence[str],
    private: Sequence[int],
    rho: Fraction | float,
    config: AIMConfig = AIMConfig(),
    *,
    noise: Noise,
    budget: Budget | None = None,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> AIMFit:
    """Fits p̂(A_priv | A_pub) to `codes` (n, |A|), each column a code below its `sizes` entry.

    `rho` is ρ_AIM and is spent exactly, from `budget` when one is given (a filter shared with
    later stages) else from one of its own. Attributes not in `private` are public: their rows
    are used exactly. Raises BadInput for codes outside their domain, nothing private, or no
    records; BudgetExceeded when `budget` holds less than `rho`; Cancelled.
    """
    codes = _checked(codes, sizes, names, private)
    rho = Fraction(rho)
    spending = Budget(rho)
    if budget is not None and budget.remaining < rho:
        budget.spend(
            Charge("Conditional AIM", "discrete Gaussian", rho, 1.0, math.nan)
        )  # raises, with the reason
    secret = tuple(sorted(private))
    open_ = tuple(a for a in range(len(sizes)) if a not in secret)
    public = PublicRows(open_, codes[:, list(open_)] if open_ else None)
    table = PrivateTable(codes, sizes, public, noise, _Shared(spending, budget))
    workload = build_workload(sizes, secret, max_order=config.max_order, max_cells=config.max_cells)
    run = _Run(table, workload, public, config, rho, spending, progress, cancel)
    bins = run.start(secret)
    run.loop(len(sizes))
    return AIMFit(
        tuple(names),
        tuple(int(s) for s in sizes),
        secret,
        open_,
        run.model,
        bins,
        tuple(run.measurements),
        tuple(run.rounds),
        run.one_way_sigma,
        tuple(spending.charges),
        noise.name,
        noise.private,
        dict(run.seconds),
    )


@dataclass(frozen=True)
class ExpectedError:
    """Of one private attribute's one-way marginal, before anything ran.

    In records: `per_value` is the mean absolute error of a count, `l1` its sum over values.
    Values held by fewer than about `merged_below` records are pooled and drawn uniformly.
    """

    attribute: str
    sigma: float
    per_value: float
    l1: float
    merged_below: float


def expected_error(
    sizes: Sequence[int],
    names: Sequence[str],
    private: Sequence[int],
    rho: float,
    config: AIMConfig = AIMConfig(),
) -> list[ExpectedError]:
    """The error of the first measurement, from public facts only (E|N(0, σ0²)| = σ0 √(2/π)).

    Later rounds reduce it for attributes that they measure again; how much depends on the data.
    """
    sigma = math.sqrt(len(private) / (2 * float(ONE_WAY_SHARE) * rho))
    each = sigma * math.sqrt(2 / math.pi)
    return [
        ExpectedError(names[a], sigma, each, each * sizes[a], config.rare_threshold * sigma)
        for a in sorted(private)
    ]


@dataclass
class _Shared:
    """AIM's own filter and the run's: a charge must fit in both."""

    own: Budget
    outer: Budget | None

    def spend(self, charge: Charge) -> None:
        self.own.spend(charge)
        if self.outer is not None:
            self.outer.spend(charge)


class _Run:
    """The state of one fit: Alg. 1 from line 4 to line 15."""

    def __init__(
        self,
        table: PrivateTable,
        workload: Workload,
        public: PublicRows,
        config: AIMConfig,
        rho: Fraction,
        spending: Budget,
        progress: Progress,
        cancel: CancelToken,
    ) -> None:
        self._table, self._workload, self._public, self._config = table, workload, public, config
        self._rho, self._spending = rho, spending
        self._progress, self._cancel = progress, cancel
        self.measurements: list[NoisyMarginal] = []
        self.rounds: list[Round] = []
        self.seconds: Counter[str] = Counter()
        self.one_way_sigma = 0.0

    def start(self, private: Attributes) -> dict[int, ValueBins]:
        """Lines 4 to 6: noisy one-ways, rare values merged, the first estimate."""
        share = self._rho * ONE_WAY_SHARE / len(private)
        bins, sizes = {}, {}
        started = time.perf_counter()
        for a in private:
            self._cancel.check()
            noisy, self.one_way_sigma = self._table.one_way(a, share)
            bins[a] = merge_rare(noisy, self._config.rare_threshold * self.one_way_sigma)
            sizes[a] = bins[a].size
            variance = np.full(len(noisy), self.one_way_sigma**2)
            self.measurements.append(
                NoisyMarginal(
                    (a,),
                    (),
                    bins[a].collapse(noisy.astype(np.float64))[None, :],
                    bins[a].collapse(variance)[None, :],
                )
            )
        self._table.merge(bins)
        self._table.prepare(self._workload)
        self._tick("measure", started)
        self.model = ConditionalModel(self._public, sizes, self._config.estimation)
        started = time.perf_counter()
        self.model.add(self.measurements)
        self._tick("estimate", started)
        return bins

    def loop(self, n_attributes: int) -> None:
        """Lines 7 to 15."""
        alpha = Fraction(str(self._config.alpha))
        price = (1 - ONE_WAY_SHARE) * self._rho / (self._config.rounds_per_attribute * n_attributes)
        expected = self._expected()
        while (left := self._spending.remaining) > 0:
            self._cancel.check()
            if left < 2 * price:
                price = left
            index, epsilon, marginal, sigma = self._ask(expected, price, alpha)
            started = time.perf_counter()
            self.model.add([marginal])
            self.measurements.append(marginal)
            self._tick("estimate", started)
            before, expected = expected[index], self._expected()
            moved = float(
                np.linalg.norm(
                    (expected[index] - before).ravel(), 1 if self._config.anneal_norm == "l1" else 2
                )
            )
            anneal = moved <= math.sqrt(2 / math.pi) * sigma * before.size
            self.rounds.append(
                Round(
                    marginal.private,
                    marginal.public,
                    sigma,
                    epsilon,
                    float(price),
                    moved,
                    anneal,
                    self.model.bytes(),
                    self.model.evaluations,
                )
            )
            self._progress(
                "fit the attribute model", round(1000 * float(self._spending.spent / self._rho)), 1000
            )
            if anneal:
                price *= 2
        started = time.perf_counter()
        self.model.finish()
        self._tick("estimate", started)

    def _ask(
        self, expected: list[NDArray[np.float64]], price: Fraction, alpha: Fraction
    ) -> tuple[int, float, NoisyMarginal, float]:
        """Lines 10 to 12: one selection and one measurement."""
        started = time.perf_counter()
        sigma = math.sqrt(1 / (2 * float(alpha * price)))
        share = float((self._spending.spent + price) / self._rho)
        allowed = self._within(self._config.max_model_mb * 2**20 * share)
        index, epsilon = self._table.select(
            expected, allowed, math.sqrt(2 / math.pi) * sigma, price - alpha * price
        )
        self._tick("select", started)
        started = time.perf_counter()
        marginal, sigma = self._table.measure(index, self._workload.candidates[index], alpha * price)
        self._tick("measure", started)
        return index, epsilon, marginal, sigma

    def _within(self, limit: float) -> list[int]:
        """Candidates that keep the model within `limit` bytes, or do not enlarge it."""
        limit = max(limit, self.model.bytes())
        return [i for i, size in enumerate(self.model.bytes_with(self._workload.candidates)) if size <= limit]

    def _expected(self) -> list[NDArray[np.float64]]:
        started = time.perf_counter()
        out = self.model.expected(self._workload.candidates)
        self._tick("candidates", started)
        return out

    def _tick(self, phase: str, started: float) -> None:
        self.seconds[phase] += time.perf_counter() - started


def _checked(
    codes: NDArray[np.int64], sizes: Sequence[int], names: Sequence[str], private: Sequence[int]
) -> NDArray[np.int64]:
    codes = np.asarray(codes)
    where = "attribute table"
    if codes.ndim != 2 or not np.issubdtype(codes.dtype, np.integer):
        raise BadInput("codes must be a table of integers.", where=where)
    if not len(codes):
        raise BadInput("there are no records.", where=where, fix="Add records.")
    if codes.shape[1] != len(sizes) or len(names) != len(sizes):
        raise BadInput(f"{codes.shape[1]} columns, {len(sizes)} sizes and {len(names)} names.", where=where)
    if not set(private) <= set(range(len(sizes))):
        raise BadInput("a private attribute is not in the table.", where="partition")
    for a, size in enumerate(sizes):
        if codes[:, a].min() < 0 or codes[:, a].max() >= size:
            raise BadInput(
                f"a value of {names[a]!r} is outside its domain of {size} values.",
                where=where,
                fix="Map values to the schema first.",
            )
    return codes.astype(np.int64)
