"""A schema found by a differentially private pass over the private texts (paper App. A.3).

PRIVATE SIDE: drives four passes. 1: a model names up to P kinds of facts in each text. 2: how many
texts hold each name. 3: a thresholded Gaussian release of these counts, the only noisy step. 4:
clustering, filtering, values, from the released names alone (`dp_schema_finish`, which cannot
reach a corpus).

What holds: δ_τ-approximate ρ-zCDP and so (ε, δ)-DP for one text with its values, under add/drop of a
record; the facts also state it under replacement. The prompts, the model and the cap P are fixed
beforehand, one text's names depend on that text alone, and values come from the released names
and the model, never from a text. δ defaults to 1/n², so n is treated as known.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from ctxpriv.context import ALL_AUDIENCES
from ctxpriv.corpus import Corpus
from ctxpriv.errors import BadInput
from ctxpriv.extract.asking import require_described
from ctxpriv.extract.dp_schema_finish import Finished, finish
from ctxpriv.extract.dp_schema_plan import DPSchemaPlan
from ctxpriv.extract.dp_strings import document_frequencies, strings_per_record
from ctxpriv.models.base import Embedder, LanguageModel
from ctxpriv.privacy.accounting import check_epsilon_delta
from ctxpriv.privacy.budget import Budget, Charge
from ctxpriv.privacy.guarantee import ADD_DROP
from ctxpriv.privacy.ledger import DP_SCHEMA, Ledger, LedgerEntry
from ctxpriv.privacy.noise import Noise, NoNoise, OpenDPNoise
from ctxpriv.privacy.threshold import threshold_plan
from ctxpriv.privatize.release import Checkpoint, NoCheckpoint
from ctxpriv.privatize.stages import PaidStages
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.schema import Schema
from ctxpriv.schema_proposal import SchemaProposal
from ctxpriv.strict import whole_number

STAGE = "attribute strings"


@dataclass(frozen=True)
class DPSchema:
    """Settings of the construction. `delta` None means 1/n² (paper App. A.3).

    `guided` has the model choose from the public list of common attributes instead of naming
    freely: for models too small to name anything. It is a setting fixed beforehand, because a
    choice made by looking at the answers would depend on the private texts.
    """

    epsilon: float = 1.0
    delta: float | None = None
    strings_per_record: int = 5
    max_attributes: int = 20
    guided: bool = False
    seed: int = 0  # of the model's sampling; noise has none

    def __post_init__(self) -> None:
        check_epsilon_delta(self.epsilon, 0.5 if self.delta is None else self.delta)
        whole_number(self.strings_per_record, "strings_per_record", least=1)
        whole_number(self.max_attributes, "max_attributes", least=1)

    def plan(self, n_private: int) -> DPSchemaPlan:
        """Noise, threshold and price. Raises BadInput for fewer than two private records."""
        if n_private < 2:
            raise BadInput("needs at least two private records.", where=DP_SCHEMA)
        delta = 1 / n_private**2 if self.delta is None else self.delta
        unlimited = math.isinf(self.epsilon)
        price = None if unlimited else threshold_plan(self.epsilon, delta, self.strings_per_record)
        return DPSchemaPlan(n_private, self.strings_per_record, price)

    def run_id(self, corpus: Corpus, model: LanguageModel, description: str) -> str:
        """Names the private pass: from all that decides what it releases, so that it is found again.

        `max_attributes` and the workload come after it: changing them costs nothing more.
        """
        settings = {name: value for name, value in asdict(self).items() if name != "max_attributes"}
        parts = [_read(corpus), settings, model.identity.to_dict(), description.strip()]
        text = json.dumps(parts, sort_keys=True, ensure_ascii=False)
        return "schema-" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:20]

    def run(
        self,
        corpus: Corpus,
        model: LanguageModel,
        embedder: Embedder,
        *,
        description: str,
        workload: str,
        ledger: Ledger,
        run_id: str,
        noise: Noise | None = None,
        checkpoint: Checkpoint | None = None,
        curator: Callable[[str], None] | None = None,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> SchemaProposal:
        """The four passes.

        The ledger is charged between pass 2 and pass 3: a model that fails costs nothing, and no
        noise is drawn unpaid. With a `checkpoint` that is kept, a resumed run reuses the released
        names and pays nothing again; without one every run draws anew and is charged anew, as
        "RUN#2". `curator` is told, in sentences that must not be released, how pass 1 went.
        `noise` None means OpenDP's, or none at ε = ∞. Raises BadInput, ModelFailed (pass 1 gave
        nothing; pass 4 is unreachable), Cancelled.
        """
        require_described(description, workload)
        started = time.perf_counter()
        private = corpus.part("private")
        plan = self.plan(len(private))
        if noise is None:
            noise = OpenDPNoise() if plan.price else NoNoise()
        checkpoint = NoCheckpoint() if checkpoint is None else checkpoint
        counts: dict[str, int] = {}
        if checkpoint.load(STAGE) is None:
            counts = self._counted(private, model, description.strip(), curator, progress, cancel)
        stages = PaidStages(
            checkpoint,
            ledger,
            _ledger_entry(corpus, plan, noise, run_id),
            Budget(plan.price.rho) if plan.price else None,
            noise,
        )
        stages.start()
        rho = Fraction(plan.price.rho) if plan.price else None
        drawn = stages.once(STAGE, rho, lambda: _draw(counts, plan, noise, stages.budget))
        released = {str(name): int(count) for name, count in drawn["released"].items()}
        done = finish(
            released,
            model,
            embedder,
            description=description.strip(),
            workload=workload.strip(),
            max_attributes=self.max_attributes,
            provenance="dp" if _is_private(plan, noise) else "observed",
            guided=self.guided,
            seed=self.seed,
            progress=progress,
            cancel=cancel,
        )
        return _proposal(self, plan, noise, stages, released, done, model, time.perf_counter() - started)

    def _counted(
        self,
        private: Corpus,
        model: LanguageModel,
        description: str,
        curator: Callable[[str], None] | None,
        progress: Progress,
        cancel: CancelToken,
    ) -> dict[str, int]:
        """Passes 1 and 2: exact counts, which nobody may see."""
        named = strings_per_record(
            private.texts,
            model,
            description=description,
            at_most=self.strings_per_record,
            guided=self.guided,
            seed=self.seed,
            progress=progress,
            cancel=cancel,
        )
        if curator:
            curator(f"{named.failures} of {len(private)} texts got no usable answer and count for no name.")
        return document_frequencies(named.strings, self.strings_per_record)


def _draw(
    counts: Mapping[str, int], plan: DPSchemaPlan, noise: Noise, budget: Budget | None
) -> dict[str, Any]:
    """Pass 3: the released names with noisy counts, and what that costs. `budget` is None at ε = ∞."""
    if plan.price is None or budget is None:
        return {"released": noise.gaussian_threshold(counts, 0.0, 1), "charges": []}
    p = plan.price
    charge = Charge(STAGE, "discrete Gaussian", Fraction(p.rho), math.sqrt(p.l0), p.sigma)
    budget.spend(charge)
    return {
        "released": noise.gaussian_threshold(counts, p.sigma, p.threshold),
        "charges": [charge.to_dict()],
    }


def _read(corpus: Corpus) -> str:
    """Names what the passes read: the private texts, whatever the schema that they are under now."""
    return corpus.part("private").records_digest


def _is_private(plan: DPSchemaPlan, noise: Noise) -> bool:
    return plan.price is not None and noise.private


def _ledger_entry(corpus: Corpus, plan: DPSchemaPlan, noise: Noise, run_id: str) -> LedgerEntry:
    """Released at once and to everybody: the names are in the schema of whatever is released later,
    to whichever audience. If nothing ever is, this over-counts. Without noise there is nothing to
    add up: the attributes then count as read off the records, which every card says."""
    p = plan.price
    return LedgerEntry(
        run_id=run_id,
        corpus=_read(corpus),
        audience=ALL_AUDIENCES,
        public=(),
        private=(),
        mechanism=DP_SCHEMA,
        relation=ADD_DROP,
        rho=p.rho if p else math.inf,
        epsilon=p.epsilon if p else math.inf,
        delta=p.delta_conversion if p else 1 / plan.n_private**2,
        extra_delta=p.delta_threshold if p else 0.0,
        records=corpus.records_digest,
        schema_provenance="the schema is the output",
        released=_is_private(plan, noise),
    )


def _proposal(
    config: DPSchema,
    plan: DPSchemaPlan,
    noise: Noise,
    stages: PaidStages,
    released: Mapping[str, int],
    done: Finished,
    model: LanguageModel,
    seconds: float,
) -> SchemaProposal:
    p = plan.price if _is_private(plan, noise) else None
    return SchemaProposal(
        "dp",
        Schema(done.attributes),
        (*stages.notes, *done.problems),
        model.identity.to_dict(),
        seconds=seconds,
        reads_private=True,
        epsilon=p.epsilon if p else None,
        delta=p.delta_conversion + p.delta_threshold if p else None,
        rho=p.rho if p else None,
        facts={
            **plan.to_dict(),
            "max_attributes": config.max_attributes,
            "guided": config.guided,
            "noise": noise.name,
            "released": dict(released),
            "merged": {name: list(others) for name, others in done.merged.items()},
            "unit": "one text with its values",
        },
        run_id=stages.entry.run_id,
    )
