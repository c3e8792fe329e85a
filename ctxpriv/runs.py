"""The runs that a study consists of, and the ids under which they are kept and found again."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass, replace
from typing import Any

from ctxpriv.context import ALL_AUDIENCES, Partition
from ctxpriv.corpus import Corpus
from ctxpriv.evaluate.settings import EvaluationSettings
from ctxpriv.privatize.method import epsilon_of
from ctxpriv.roles import Roles
from ctxpriv.study import Study, method_dict


@dataclass(frozen=True)
class Run:
    """One method at one ε, for one audience or, if it is audience-agnostic, for all."""

    run_id: str
    config: Any
    partition: Partition  # what the method is given
    audiences: tuple[Partition, ...]  # whom the release is evaluated for

    @property
    def title(self) -> str:
        at = "" if self.epsilon is None else f" ε = {self.epsilon:g},"
        return f"{self.config.name},{at} {self.partition.audience}"

    @property
    def epsilon(self) -> float | None:
        """None for methods without a formal guarantee."""
        return epsilon_of(self.config)

    @property
    def shared(self) -> bool:
        """One release for all audiences."""
        return self.config.protects != "audience"


def runs_of(study: Study, corpus: Corpus, roles: Roles, partitions: dict[str, Partition]) -> list[Run]:
    """The runs in the order they are done: by method and ε, then by audience."""
    everybody = tuple(partitions.values())
    out = []
    for config in study.methods:
        if config.protects == "everything":
            shared = Partition(ALL_AUDIENCES, (), corpus.schema.names)
            out.append(Run(run_id(corpus, config, None, roles, study.seed), config, shared, everybody))
        elif config.protects == "default partition":
            shared = default_for(study, corpus)
            out.append(Run(run_id(corpus, config, shared, roles, study.seed), config, shared, everybody))
        else:
            out += [Run(run_id(corpus, config, p, roles, study.seed), config, p, (p,)) for p in everybody]
    return out


def default_for(study: Study, corpus: Corpus) -> Partition:
    """What audience-agnostic rewriting protects: the study's default partition, else everything but
    the utility label. Raises BadInput unless it covers the schema exactly once."""
    chosen = study.default_partition
    if chosen is None:
        public = tuple(n for n in corpus.schema.names if n == corpus.label)
        chosen = Partition(ALL_AUDIENCES, public, tuple(n for n in corpus.schema.names if n not in public))
    chosen = replace(chosen, audience=ALL_AUDIENCES, approval=None)
    chosen.check(corpus.schema)
    return chosen


def run_id(corpus: Corpus, config: Any, partition: Partition | None, roles: Roles, seed: int) -> str:
    """From all that decides the result; approvals and evaluation do not.

    `partition` is None for a release that protects everything, whoever the audience.
    """
    who = roles.identities()
    parts = {
        "corpus": corpus.digest,
        "method": method_dict(config),
        "partition": partition and [partition.audience, *partition.sides_key()],
        "models": {role: who[role] for role in config.played_by if role in who},
        "seed": seed,
    }
    if config.family == "rewritten" and corpus.context.sender:
        parts["sender"] = corpus.context.sender  # prompts say whose texts these are; no digest does
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:20]


def evaluation_id(settings: EvaluationSettings, roles: Roles) -> str:
    """Names what a report depends on beside release, corpus and partition."""
    who = roles.identities()
    parts = [settings.to_dict(), who["embedder"], who.get("extractor")]
    if "adversary" in who:
        parts.append(who["adversary"])
    return hashlib.sha256(json.dumps(parts, sort_keys=True).encode()).hexdigest()[:20]
