"""SDG-CI, MAPLE and Aug-PE: three configurations of one engine (DESIGN section 5).

Each is a frozen dataclass that validates itself; `plan` tells what will happen without
reading private data, `run` does it. They share both, and differ in the `Recipe` they write.
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from typing import Any, ClassVar

from ctxpriv.context import Partition
from ctxpriv.corpus import Corpus, CorpusFacts
from ctxpriv.errors import BadInput
from ctxpriv.privacy.accounting import check_epsilon_delta
from ctxpriv.privacy.ledger import Ledger
from ctxpriv.privacy.noise import Noise, OpenDPNoise
from ctxpriv.privatize.method import Protects
from ctxpriv.privatize.plan import RunPlan
from ctxpriv.privatize.release import Checkpoint, NoCheckpoint, Release
from ctxpriv.privatize.sdg.aim import AIMConfig
from ctxpriv.privatize.sdg.planning import plan_synthesis
from ctxpriv.privatize.sdg.recipe import Expansion, Recipe
from ctxpriv.privatize.sdg.synthesis import synthesise
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import Roles
from ctxpriv.schema import Schema

EXPANSIONS = ("declared", "observed")
PLAYED_BY = ("embedder", "generator")


def _plan(config: Method, facts: CorpusFacts, partition: Partition, roles: Roles) -> RunPlan:
    """What `run` would do and cost, from public facts only. See `plan_synthesis`."""
    recipe = config.recipe(facts.schema, facts.label, partition)
    return plan_synthesis(recipe, facts, roles, partition.warnings() if config.protects == "audience" else ())


def _run(
    config: Method,
    corpus: Corpus,
    partition: Partition,
    roles: Roles,
    *,
    ledger: Ledger,
    run_id: str,
    noise: Noise = OpenDPNoise(),
    checkpoint: Checkpoint = NoCheckpoint(),
    seed: int = 0,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Release:
    """The release for the partition's audience; `corpus` is the whole corpus. See `synthesise`."""
    recipe = config.recipe(corpus.schema, corpus.label, partition)
    return synthesise(
        recipe,
        config.to_dict(),
        corpus,
        partition,
        roles,
        ledger=ledger,
        run_id=run_id,
        noise=noise,
        checkpoint=checkpoint,
        seed=seed,
        progress=progress,
        cancel=cancel,
    )


def _to_dict(config: Method) -> dict[str, Any]:
    """JSON-able, read back by `registry.method_from`; ε = ∞ is written "inf"."""
    data = {"method": config.name, **asdict(config)}
    if math.isinf(config.epsilon):
        data["epsilon"] = "inf"
    return data


@dataclass(frozen=True)
class SDGCI:
    """Conditional AIM for the audience's private attributes, then private evolution.

    `delta` None means 1/n, `n_synthetic` None means n, the number of private records.
    `aim_share` of ρ goes to the table. `value_expansion` says which specific values stand for
    a drawn bucket: those the schema declares, or those seen in the records (the paper's
    choice, flagged on the card). Raises BadInput for settings that cannot be used.
    """

    epsilon: float = 1.0
    delta: float | None = None
    n_synthetic: int | None = None
    evolution_rounds: int = 2
    variations: int = 6
    aim_share: float = 0.1
    value_expansion: Expansion = "declared"
    aim: AIMConfig = field(default_factory=AIMConfig)

    name: ClassVar[str] = "SDG-CI"
    family: ClassVar[str] = "synthetic"
    protects: ClassVar[Protects] = "audience"
    played_by: ClassVar[tuple[str, ...]] = PLAYED_BY

    def __post_init__(self) -> None:
        _check(self)
        _check_table(self)

    def recipe(self, schema: Schema, label: str | None, partition: Partition) -> Recipe:
        """A_priv is the audience's; what is public when coarsened is copied as its bucket."""
        partition.check(schema)
        public = tuple(n for n in schema.names if n in partition.disclosed)
        private = tuple(n for n in schema.names if n in partition.private)
        as_buckets = tuple(n for n in public if n in partition.coarsened)
        return _table_recipe(self, public, private, label, partition.audience, as_buckets)

    plan, run, to_dict = _plan, _run, _to_dict


@dataclass(frozen=True)
class MAPLE:
    """As `SDGCI` with every attribute private: one release for all audiences."""

    epsilon: float = 1.0
    delta: float | None = None
    n_synthetic: int | None = None
    evolution_rounds: int = 2
    variations: int = 6
    aim_share: float = 0.1
    value_expansion: Expansion = "declared"
    aim: AIMConfig = field(default_factory=AIMConfig)

    name: ClassVar[str] = "MAPLE"
    family: ClassVar[str] = "synthetic"
    protects: ClassVar[Protects] = "everything"
    played_by: ClassVar[tuple[str, ...]] = PLAYED_BY

    def __post_init__(self) -> None:
        _check(self)
        _check_table(self)

    def recipe(self, schema: Schema, label: str | None, partition: Partition) -> Recipe:
        """A_priv is everything, whoever the audience."""
        return _table_recipe(self, (), schema.names, label, partition.audience)

    plan, run, to_dict = _plan, _run, _to_dict


@dataclass(frozen=True)
class AugPE:
    """No table: candidates are written per utility label in equal numbers, and all of ρ goes
    to the votes of `evolution_rounds` + 1 rounds."""

    epsilon: float = 1.0
    delta: float | None = None
    n_synthetic: int | None = None
    evolution_rounds: int = 9
    variations: int = 6

    name: ClassVar[str] = "Aug-PE"
    family: ClassVar[str] = "synthetic"
    protects: ClassVar[Protects] = "everything"
    played_by: ClassVar[tuple[str, ...]] = PLAYED_BY

    def __post_init__(self) -> None:
        _check(self)

    def recipe(self, schema: Schema, label: str | None, partition: Partition) -> Recipe:
        """Nothing is copied and no attribute but the label is made."""
        return Recipe(
            self.name,
            partition.audience,
            (),
            (label,) if label else (),
            label,
            self.epsilon,
            self.delta,
            self.n_synthetic,
            self.evolution_rounds,
            self.variations,
            0.0,
            "declared",
            None,
        )

    plan, run, to_dict = _plan, _run, _to_dict


Method = SDGCI | MAPLE | AugPE


def _table_recipe(
    config: SDGCI | MAPLE,
    public: tuple[str, ...],
    private: tuple[str, ...],
    label: str | None,
    audience: str,
    as_buckets: tuple[str, ...] = (),
) -> Recipe:
    return Recipe(
        config.name,
        audience,
        public,
        private,
        label,
        config.epsilon,
        config.delta,
        config.n_synthetic,
        config.evolution_rounds,
        config.variations,
        config.aim_share,
        config.value_expansion,
        config.aim,
        as_buckets,
    )


def _check(config: Method) -> None:
    check_epsilon_delta(config.epsilon, 0.5 if config.delta is None else config.delta)
    _whole(config, "evolution_rounds", 0)
    _whole(config, "variations", 1)
    if config.n_synthetic is not None:
        _whole(config, "n_synthetic", 1)


def _check_table(config: SDGCI | MAPLE) -> None:
    share = config.aim_share
    if isinstance(share, bool) or not isinstance(share, (int, float)) or not 0 < share < 1:
        raise BadInput(
            f"aim_share is {share!r}.", where=config.name, fix="Use a number between 0 and 1, such as 0.1."
        )
    if not isinstance(config.aim, AIMConfig):
        raise BadInput(
            "is not a set of settings.", where=f"{config.name}, aim", fix="Write `aim: {max_order: 2}`."
        )
    if config.value_expansion not in EXPANSIONS:
        raise BadInput(
            f"value_expansion is {config.value_expansion!r}.",
            where=config.name,
            fix="Use declared or observed.",
        )


def _whole(config: Method, name: str, least: int) -> None:
    value = getattr(config, name)
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise BadInput(
            f"{name} is {value!r}.", where=config.name, fix=f"Use a whole number of at least {least}."
        )
