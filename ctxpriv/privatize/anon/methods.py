"""ANON-CI, RUPTA and 1-2-3 Check: configurations of one driver (DESIGN section 6).

ANON-CI and RUPTA run one loop and differ in whose partition they protect and in what must stay
inferable. 1-2-3 Check is a single pass of three agents.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, ClassVar

from ctxpriv.context import Partition
from ctxpriv.corpus import Corpus, CorpusFacts
from ctxpriv.errors import BadInput
from ctxpriv.privacy.ledger import Ledger
from ctxpriv.privatize.anon.planning import plan_rewriting
from ctxpriv.privatize.anon.recipe import Recipe, recipe
from ctxpriv.privatize.anon.rewriting import rewrite_corpus
from ctxpriv.privatize.method import Family, Protects
from ctxpriv.privatize.plan import RunPlan
from ctxpriv.privatize.release import Checkpoint, NoCheckpoint, Release
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import Roles
from ctxpriv.schema import Schema
from ctxpriv.strict import whole_number

LOOP_ROLES = ("embedder", "rewriter", "privacy_evaluator", "utility_evaluator")
AGENT_ROLES = ("embedder", "agents", "privacy_evaluator", "utility_evaluator")


def _plan(config: Rewriting, facts: CorpusFacts, partition: Partition, roles: Roles) -> RunPlan:
    """What `run` would do and cost, from public facts only."""
    return plan_rewriting(config.recipe(facts.schema, facts.label, partition), facts, roles)


def _run(
    config: Rewriting,
    corpus: Corpus,
    partition: Partition,
    roles: Roles,
    *,
    ledger: Ledger,
    run_id: str,
    checkpoint: Checkpoint = NoCheckpoint(),
    seed: int = 0,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Release:
    """The private split rewritten for the partition's audience. See `rewrite_corpus`."""
    return rewrite_corpus(
        config.recipe(corpus.schema, corpus.label, partition),
        config.to_dict(),
        corpus,
        roles,
        config.played_by,
        ledger=ledger,
        run_id=run_id,
        checkpoint=checkpoint,
        seed=seed,
        progress=progress,
        cancel=cancel,
    )


def _to_dict(config: Rewriting) -> dict[str, Any]:
    """JSON-able, read back by `registry.method_from`."""
    return {"method": config.name, **asdict(config)}


@dataclass(frozen=True)
class AnonCI:
    """Rewrites each record for one audience: its private attributes must not be guessed, its public
    ones and the label must stay inferable (paper Alg. 3).

    `max_rounds` is T_max, `guesses` p_threshold (at most so many, see `assess.attempts`).
    `withhold_unsafe`: leave out what is still unsafe after the last round, instead of releasing the
    round with fewest leaks as the paper does. `n_records`: rewrite a random subset of so many private
    records (None: all). Raises BadInput for settings that cannot be used.
    """

    max_rounds: int = 10
    guesses: int = 3
    withhold_unsafe: bool = False
    n_records: int | None = None

    name: ClassVar[str] = "ANON-CI"
    family: ClassVar[Family] = "rewritten"
    protects: ClassVar[Protects] = "audience"
    played_by: ClassVar[tuple[str, ...]] = LOOP_ROLES

    def __post_init__(self) -> None:
        _check(self)

    def recipe(self, schema: Schema, label: str | None, partition: Partition) -> Recipe:
        return _recipe(self, schema, label, partition, every_public_value=True)

    plan, run, to_dict = _plan, _run, _to_dict


@dataclass(frozen=True)
class RUPTA:
    """The same loop on the corpus's default partition, checking the utility label only; one release
    for all audiences."""

    max_rounds: int = 10
    guesses: int = 3
    withhold_unsafe: bool = False
    n_records: int | None = None

    name: ClassVar[str] = "RUPTA"
    family: ClassVar[Family] = "rewritten"
    protects: ClassVar[Protects] = "default partition"
    played_by: ClassVar[tuple[str, ...]] = LOOP_ROLES

    def __post_init__(self) -> None:
        _check(self)

    def recipe(self, schema: Schema, label: str | None, partition: Partition) -> Recipe:
        return _recipe(self, schema, label, partition, every_public_value=False)

    plan, run, to_dict = _plan, _run, _to_dict


@dataclass(frozen=True)
class OneTwoThree:
    """1-2-3 Check (arXiv 2508.07667), reimplemented: extraction, classification and generation agent,
    one pass on the corpus's default partition. `guesses`: of the evaluators that look at the result."""

    guesses: int = 3
    withhold_unsafe: bool = False
    n_records: int | None = None

    name: ClassVar[str] = "1-2-3 Check"
    family: ClassVar[Family] = "rewritten"
    protects: ClassVar[Protects] = "default partition"
    played_by: ClassVar[tuple[str, ...]] = AGENT_ROLES

    def __post_init__(self) -> None:
        _check(self)

    def recipe(self, schema: Schema, label: str | None, partition: Partition) -> Recipe:
        return _recipe(self, schema, label, partition, every_public_value=True, loop=False)

    plan, run, to_dict = _plan, _run, _to_dict


Rewriting = AnonCI | RUPTA | OneTwoThree


def _recipe(
    config: Rewriting,
    schema: Schema,
    label: str | None,
    partition: Partition,
    *,
    every_public_value: bool,
    loop: bool = True,
) -> Recipe:
    return recipe(
        config.name,
        schema,
        label,
        partition,
        rounds=config.max_rounds if isinstance(config, AnonCI | RUPTA) else 1,
        most_guesses=config.guesses,
        withhold_unsafe=config.withhold_unsafe,
        n_records=config.n_records,
        every_public_value=every_public_value,
        loop=loop,
    )


def _check(config: Rewriting) -> None:
    for name in ("max_rounds", "guesses"):
        if hasattr(config, name):
            whole_number(getattr(config, name), f"{config.name}, {name}", least=1)
    if config.n_records is not None:
        whole_number(config.n_records, f"{config.name}, n_records", least=1)
    if not isinstance(config.withhold_unsafe, bool):
        raise BadInput("is neither true nor false.", where=f"{config.name}, withhold_unsafe")
