"""What the user has decided about one corpus, as one value (what the app's pages edit)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from ctxpriv.context import Audience, CorpusContext, Judgement, Partition, ReleaseContext
from ctxpriv.errors import BadInput
from ctxpriv.model_choice import ModelChoice
from ctxpriv.schema import SAYS_NOTHING, Attribute, Schema


@dataclass(frozen=True)
class ProjectState:
    """Everything but the corpus itself. Immutable: edits give a new state to `save_state`.

    `judgements` and `partitions` are keyed by audience name. `settings` is free for the
    pages (chosen ε, methods, sizes) and must be JSON-able.
    """

    description: str = ""
    workload: str = ""
    context: CorpusContext = CorpusContext()
    audiences: tuple[Audience, ...] = ()
    judgements: Mapping[str, tuple[Judgement, ...]] = field(default_factory=dict)
    partitions: Mapping[str, Partition] = field(default_factory=dict)
    models: ModelChoice = ModelChoice()
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        names = [a.name for a in self.audiences]
        if twice := sorted({n for n in names if names.count(n) > 1}):
            raise BadInput(
                f"two audiences share the name {twice[0]!r}.", where="audiences", fix="Rename one."
            )

    def audience(self, name: str) -> Audience:
        for audience in self.audiences:
            if audience.name == name:
                return audience
        raise BadInput(f"there is no audience {name!r}.", where="audiences")

    def release_context(self, name: str) -> ReleaseContext:
        return ReleaseContext(self.audience(name), self.context)

    @property
    def approved(self) -> tuple[str, ...]:
        """Names of the audiences that something may be run for."""
        return tuple(
            a.name
            for a in self.audiences
            if a.name in self.partitions and self.partitions[a.name].approval is not None
        )

    def with_audience(self, audience: Audience, partition: Partition | None = None) -> ProjectState:
        """Added, or replaced where the name exists. A changed recipient or purpose drops the
        judgements and voids the approval; a given `partition` is taken as it is."""
        old = next((a for a in self.audiences if a.name == audience.name), None)
        state = replace(
            self,
            audiences=tuple(audience if a.name == audience.name else a for a in self.audiences)
            if old
            else (*self.audiences, audience),
        )
        if old is not None and old != audience:
            state = replace(
                state,
                judgements=_without(self.judgements, audience.name),
                partitions=_voided(self.partitions, {audience.name}),
            )
        return state.with_partition(partition) if partition is not None else state

    def without_audience(self, name: str) -> ProjectState:
        return replace(
            self,
            audiences=tuple(a for a in self.audiences if a.name != name),
            judgements=_without(self.judgements, name),
            partitions=_without(self.partitions, name),
        )

    def with_judgements(self, audience: str, judgements: Sequence[Judgement]) -> ProjectState:
        return replace(self, judgements={**self.judgements, audience: tuple(judgements)})

    def with_partition(self, partition: Partition) -> ProjectState:
        self.audience(partition.audience)
        return replace(self, partitions={**self.partitions, partition.audience: partition})

    def with_context(self, context: CorpusContext) -> ProjectState:
        """Another subject, sender or principle is another flow: approvals are void."""
        if context == self.context:
            return self
        return replace(self, context=context, partitions=_voided(self.partitions, set(self.partitions)))

    def with_settings(self, **settings: Any) -> ProjectState:
        return replace(self, settings={**self.settings, **settings})

    def under_schema(self, schema: Schema, before: Schema) -> ProjectState:
        """For a schema changed from `before`: approvals are void, new attributes start private (the
        safe side), also those that share a name but no value with an old one; attributes
        that are gone leave the partitions and the judgements, and those that
        were public when coarsened become private where their buckets are gone."""
        names, partitions = schema.names, {}
        kept = [n for n in names if n in before.names and _same_kind(schema[n], before[n])]
        for audience, p in self.partitions.items():
            public = tuple(a for a in p.public if a in kept)
            coarsened = tuple(a for a in p.coarsened if a in kept and a in schema.coarsenings)
            private = tuple(a for a in names if a not in (*public, *coarsened))
            partitions[audience] = Partition(audience, public, private, coarsened=coarsened)
        judgements = {k: tuple(j for j in js if j.attribute in names) for k, js in self.judgements.items()}
        return replace(self, partitions=partitions, judgements=judgements)

    def unapproved(self) -> ProjectState:
        """With every approval void: the records are no longer those that were looked at."""
        return replace(self, partitions=_voided(self.partitions, set(self.partitions)))

    def checked_against(self, before: ProjectState) -> ProjectState:
        """Approvals that were carried over while their flow or their sides changed are void."""
        stale = set()
        old_audiences = {a.name: a for a in before.audiences}
        for name, partition in self.partitions.items():
            old = before.partitions.get(name)
            if old is None or partition.approval is None or partition.approval != old.approval:
                continue
            now = next((a for a in self.audiences if a.name == name), None)
            same_flow = now == old_audiences.get(name) and self.context == before.context
            if not (same_flow and partition.same_sides(old)):
                stale.add(name)
        return replace(self, partitions=_voided(self.partitions, stale)) if stale else self

    def to_dict(self) -> dict[str, Any]:
        return {
            "description": self.description,
            "workload": self.workload,
            "context": asdict(self.context),
            "audiences": [asdict(a) for a in self.audiences],
            "judgements": {k: [asdict(j) for j in js] for k, js in self.judgements.items()},
            "partitions": {k: p.to_dict() for k, p in self.partitions.items()},
            "models": self.models.to_dict(),
            "settings": dict(self.settings),
        }

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> ProjectState:
        return ProjectState(
            data.get("description", ""),
            data.get("workload", ""),
            CorpusContext(**data.get("context", {})),
            tuple(Audience(**a) for a in data.get("audiences", [])),
            {k: tuple(Judgement.from_dict(j) for j in js) for k, js in data.get("judgements", {}).items()},
            {k: Partition.from_dict(k, p) for k, p in data.get("partitions", {}).items()},
            ModelChoice.from_dict(data.get("models", {})),
            data.get("settings", {}),
        )


def _same_kind(new: Attribute, old: Attribute) -> bool:
    common = set(new.values) & set(old.values)
    return new.values == old.values or bool(common - SAYS_NOTHING)


def _without(mapping: Mapping[str, Any], key: str) -> dict[str, Any]:
    return {k: v for k, v in mapping.items() if k != key}


def _voided(partitions: Mapping[str, Partition], names: set[str]) -> dict[str, Partition]:
    return {k: replace(p, approval=None) if k in names else p for k, p in partitions.items()}
