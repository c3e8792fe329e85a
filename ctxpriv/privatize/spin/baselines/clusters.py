"""Baseline: private clusters told by public keywords, after URANIA (DP-SPIN App. J).

PRIVATE SIDE: it clusters the protected texts. A reimplementation under a fixed public vocabulary, not
the original system: no hierarchy, another representation, another clustering.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from ctxpriv.examples import DonatedExamples
from ctxpriv.privacy.budget import Charge
from ctxpriv.privacy.noise import Noise
from ctxpriv.privatize.spin import sensitivity
from ctxpriv.privatize.spin.baselines import lloyd
from ctxpriv.privatize.spin.baselines.atom_relevance import by_words, stood_for
from ctxpriv.privatize.spin.baselines.bounded_sum import bounded_sum, gaussian, with_room
from ctxpriv.privatize.spin.baselines.cluster_text import ReleasedCluster, cluster_text
from ctxpriv.privatize.spin.baselines.public_keywords import PublicKeywords
from ctxpriv.privatize.spin.contributions import NO_ATOM, users_of
from ctxpriv.privatize.spin.insight import Family, Outcome, Task
from ctxpriv.privatize.spin.measurement import ONE, Measurement
from ctxpriv.privatize.spin.mechanisms import check_finite
from ctxpriv.privatize.spin.semantic_plan import half_width
from ctxpriv.privatize.spin.sensitivity import Calibrated
from ctxpriv.strict import a_number, whole_number

CENTRES, SIZES = Fraction(1, 2), Fraction(1, 10)
"""Shares of ρ for all iterations together and for the sizes; keywords get the rest [ours]."""

LEAST_SIGMAS = 3
"""The public threshold of sizes, in standard deviations of their noise, where none is set."""


@dataclass(frozen=True)
class UraniaStyle:
    """k-means of `iterations` noisy rounds in `components` public dimensions; clusters whose noisy size
    is at least `least_size` are told by at most `per_cluster` of `keywords` public words, of which a
    record counts for at most `per_record`. (ε, δ)-DP with the measurement's δ."""

    epsilon: float = 1.0
    clusters: int = 8
    iterations: int = 3
    components: int = 32
    keywords: int = 200
    per_record: int = 5
    per_cluster: int = 5
    least_size: float | None = None

    name: ClassVar[str] = "URANIA-style"
    family: ClassVar[Family] = "baseline"

    def __post_init__(self) -> None:
        check_finite(self.epsilon)
        for key in ("clusters", "iterations", "components", "keywords", "per_record", "per_cluster"):
            whole_number(getattr(self, key), f"{self.name}, {key}", 1)
        if self.least_size is not None:
            a_number(self.least_size, f"{self.name}, least_size")

    @property
    def title(self) -> str:
        return self.name

    def charges(self, measurement: Measurement) -> tuple[Charge, ...]:
        stages = self._stages(measurement)
        return (*(stages.centres(i).charge for i in range(self.iterations)), stages.sizes.charge,
                stages.words.charge)  # fmt: skip

    def check(self, measurement: Measurement, donated: DonatedExamples) -> None:
        """Raises BadInput where the donated texts give no space or vocabulary."""
        lloyd.PublicSpace.of(donated, self.components, self.name)
        PublicKeywords.of(donated, self.keywords, self.name)

    def draw(self, task: Task) -> Outcome:
        """Raises BadInput where the donated texts give no space or vocabulary, and at user level where the
        corpus knows no users. `seed` decides the first centres, which come from donated texts."""
        at_users = task.measurement.unit == "user"
        users = users_of(task.protected.contributions) if at_users else None
        space = lloyd.PublicSpace.of(task.donated, self.components, self.name)
        words = PublicKeywords.of(task.donated, self.keywords, self.name)
        stages = self._stages(task.measurement)
        task.progress("place the texts", 0, 0)
        points = space.points(task.protected.texts, task.cancel)
        centres = lloyd.first_centres(space.points(task.donated.texts, task.cancel), self.clusters, task.seed)
        for i in range(self.iterations):
            task.progress("cluster with noise", i, self.iterations)
            task.cancel.check()
            stage = stages.centres(i)
            centres = lloyd.noisy_step(points, centres, users, task.measurement.bound, stage, task.noise)
        where = lloyd.nearest(points, centres)
        sizes = stages.noisy_sizes(where, len(centres), users, task.noise)
        chosen = words.chosen(task.protected.texts, self.per_record, task.cancel)
        counts = stages.noisy_words(where, len(centres), chosen, len(words), users, task.noise)
        return self._told(sizes, counts, words, task.measurement, stages.sizes.in_units)

    def to_dict(self) -> dict[str, Any]:
        return {"method": self.name, **asdict(self)}

    def _stages(self, measurement: Measurement) -> _Stages:
        return _Stages(self, measurement, sensitivity.budget(measurement, self.epsilon))

    def _told(
        self, sizes: NDArray, counts: NDArray, words: PublicKeywords, measurement: Measurement, sigma: float
    ) -> Outcome:
        """Post-processing of the noisy sizes (k,) and keyword counts (k, V)."""
        least = LEAST_SIGMAS * sigma if self.least_size is None else float(self.least_size)
        around = half_width("Gaussian", sigma)
        kept = [c for c in np.argsort(-sizes, kind="stable") if sizes[c] >= least]
        weights, clusters = np.zeros(len(words)), []
        for c in kept:
            best = [w for w in np.argsort(-counts[c], kind="stable")[: self.per_cluster] if counts[c, w] > 0]
            if best:
                weights[best] += max(float(sizes[c]), 0.0) * counts[c, best] / counts[c, best].sum()
            told = tuple((words.words[w], float(counts[c, w])) for w in best)
            size = float(sizes[c])
            clusters.append(ReleasedCluster(size, size - around, size + around, told))
        atoms = stood_for(weights, by_words(words.words, measurement.atoms), measurement.size)
        left_out = len(sizes) - len(kept)
        return Outcome(
            None,
            atoms,
            cluster_text(clusters, measurement.denominator, measurement.unit, left_out),
            details={
                "clusters": [c.to_dict() for c in clusters],
                "left_out": left_out,
                "least_size": least,
                "size_sigma": sigma,
                "vocabulary": len(words),
            },
            notes=(_HOW,),
        )


@dataclass(frozen=True)
class _Stages:
    """The noisy answers with their sensitivities: a record is in one cluster, so that its keywords in all
    clusters are one vector with at most t ones."""

    config: UraniaStyle
    measurement: Measurement
    rho: Fraction

    def centres(self, iteration: int) -> Calibrated:
        c = self.config
        moved = lloyd.sensitivity(self.measurement.bound, c.clusters, c.components)
        told = f"sums and counts of {c.clusters} clusters, round {iteration + 1} of {c.iterations}"
        return gaussian(self.measurement, self.rho * CENTRES / c.iterations, moved, told)

    @property
    def sizes(self) -> Calibrated:
        return gaussian(self.measurement, self.rho * SIZES, self._size_l2, "sizes of the clusters")

    @property
    def words(self) -> Calibrated:
        share = self.rho * (1 - CENTRES - SIZES)
        return gaussian(self.measurement, share, self._words_l2, "keywords of all clusters")

    @property
    def _size_l2(self) -> float:
        return with_room(self.measurement.bound * ONE)

    @property
    def _words_l2(self) -> float:
        return with_room(self.measurement.bound * math.sqrt(self.config.per_record) * ONE)

    def noisy_sizes(self, where: NDArray, k: int, users: NDArray | None, noise: Noise) -> NDArray:
        rows = _ones(np.arange(len(where)), where, (len(where), k))
        exact = bounded_sum(rows, self._size_l2, users)
        return noise.gaussian(exact, self.sizes.scale, self._size_l2) / ONE

    def noisy_words(
        self, where: NDArray, k: int, chosen: NDArray, size: int, users: NDArray | None, noise: Noise
    ) -> NDArray:
        """(k, size) noisy numbers of records per cluster and keyword."""
        row, column = np.nonzero(chosen != NO_ATOM)
        cells = where[row] * size + chosen[row, column]
        exact = bounded_sum(_ones(row, cells, (len(where), k * size)), self._words_l2, users)
        return noise.gaussian(exact, self.words.scale, self._words_l2).reshape(k, size) / ONE


def _ones(rows: NDArray, cells: NDArray, shape: tuple[int, int]) -> csr_matrix:
    return csr_matrix((np.full(len(rows), ONE, np.int64), (rows, cells)), shape=shape)


_HOW = (
    "A reimplementation in the style of URANIA with a public vocabulary. For the metrics a keyword of a "
    "cluster stands, with the cluster's noisy size, for the atoms whose meaning holds it in some form."
)
