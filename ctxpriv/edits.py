"""Edits of a corpus's schema that carry the records' values along, and of its audiences.

PRIVATE SIDE: every function gives a new `Corpus` or `ProjectState`; nothing changes in place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from ctxpriv.context import Judgement, Partition, Side, partition_from
from ctxpriv.corpus import Corpus
from ctxpriv.errors import BadInput
from ctxpriv.extract.coarsen import by_hand
from ctxpriv.loaders.samples import Preset
from ctxpriv.project import ProjectState
from ctxpriv.schema import NOT_STATED, Attribute, Schema


@dataclass(frozen=True)
class ValueEdit:
    """One value of an attribute: `old` is "" for a new value, `new` is "" for a removed one.

    `bucket` is "" where the value is not coarsened.
    """

    old: str
    new: str
    bucket: str = ""


def described(corpus: Corpus, edits: Mapping[str, tuple[str, str]]) -> Corpus:
    """Attributes renamed and described: `edits` maps a name to (new name, description).

    Values, coarsenings and the utility label follow the new names. Raises BadInput for an
    unknown attribute and for a name that is empty or used twice.
    """
    for name in edits:
        corpus.schema[name]
    new_name = {n: edits[n][0].strip() if n in edits else n for n in corpus.schema.names}
    attributes = tuple(
        replace(a, name=new_name[a.name], description=edits[a.name][1].strip()) if a.name in edits else a
        for a in corpus.schema.attributes
    )
    coarsenings = {
        new_name[n]: replace(c, attribute=new_name[n]) for n, c in corpus.schema.coarsenings.items()
    }
    schema = Schema(attributes, coarsenings)
    table = corpus.table.copy()
    table.columns = list(schema.names)
    label = new_name[corpus.label] if corpus.label else None
    outside = {new_name.get(n, n): k for n, k in corpus.outside.items()}
    return replace(corpus, schema=schema, table=table, label=label, outside=outside)


def with_values(corpus: Corpus, name: str, edits: Sequence[ValueEdit]) -> Corpus:
    """One attribute with its values renamed, added, removed and bucketed.

    Records that hold a removed value become `Other` or `Not stated`; raises BadInput when
    the attribute has neither, when two values end up alike, or when only some values have
    a bucket. Values that `edits` does not mention are removed.
    """
    old_attribute = corpus.schema[name]
    kept = [replace(e, new=e.new.strip(), bucket=e.bucket.strip()) for e in edits if e.new.strip()]
    attribute = replace(old_attribute, values=tuple(e.new for e in kept))
    renamed = {e.old: e.new for e in kept if e.old}
    table = corpus.table.copy()
    column = table[name].astype(str)
    # A removed value is left as it is here: it is then foreign, and `conform` decides.
    table[name] = pd.Series([renamed.get(v, v) for v in column], index=table.index, dtype=object)
    schema = corpus.schema.without_coarsening(name).with_attribute(attribute)
    if any(e.bucket for e in kept):
        mapping = {e.new: e.bucket for e in kept}
        schema = schema.with_coarsening(_coarsening(corpus.schema, attribute, mapping))
    return corpus.with_schema(schema, table)


def _coarsening(schema: Schema, attribute: Attribute, mapping: Mapping[str, str]):
    """The mapping as a coarsening; its origin stays where a person changed nothing in it."""
    old = schema.coarsenings.get(attribute.name)
    if old is not None and dict(old.mapping) == dict(mapping):
        return old
    new = by_hand(attribute, mapping, old.buckets if old else ())
    if old is not None and old.reads_private_values:  # a retouched map still tells what shaped it
        return replace(new, origin=f"{new.origin}, after {old.origin}")
    return new


def without_attribute(corpus: Corpus, name: str) -> Corpus:
    """Raises BadInput when it is the last attribute; a label that goes leaves no label."""
    corpus.schema[name]
    if len(corpus.schema.names) == 1:
        raise BadInput("is the only attribute.", where=f"attribute {name!r}", fix="Add another one first.")
    return corpus.with_schema(corpus.schema.only([n for n in corpus.schema.names if n != name]))


def with_attributes(corpus: Corpus, attributes: Sequence[Attribute]) -> Corpus:
    """Attributes added or replaced; records get `Not stated` until values are extracted.

    `Not stated` is added to the values where it is missing, because no record says yet.
    """
    schema, table = corpus.schema, corpus.table.copy()
    for attribute in attributes:
        if NOT_STATED not in attribute.values:
            attribute = replace(attribute, values=(*attribute.values, NOT_STATED))
        if attribute.name in corpus.schema.names:
            known = set(attribute.values)
            table[attribute.name] = [
                v if v in known else NOT_STATED for v in table[attribute.name].astype(str)
            ]
        else:
            table[attribute.name] = NOT_STATED
        schema = schema.with_attribute(attribute)
    return corpus.with_schema(schema, table)


def with_other_schema(corpus: Corpus, attributes: Sequence[Attribute], keep: Sequence[str] = ()) -> Corpus:
    """`attributes` instead of the schema, after those named in `keep` (which stay as they are).

    Records get `Not stated` until values are extracted; an attribute whose name was there
    before keeps the values that its new list has. A label that goes leaves no label. Raises
    BadInput when nothing would be left.
    """
    new = [a for a in attributes if a.name not in keep]
    names = [*keep, *(a.name for a in new)]
    if not names:
        raise BadInput("would have no attribute.", where="schema", fix="Tick at least one.")
    changed = with_attributes(corpus, new)
    return changed.with_schema(changed.schema.only(names))


def filled(corpus: Corpus, values: pd.DataFrame) -> Corpus:
    """The columns of `values` (one row a record, in corpus order) replace those of the table."""
    if len(values) != len(corpus):
        raise BadInput(f"has {len(values)} rows for {len(corpus)} records.", where="extracted values")
    table = corpus.table.copy()
    for name in values.columns:
        corpus.schema[name]
        table[name] = values[name].to_numpy(object)
    return corpus.with_schema(corpus.schema, table)


def labelled(corpus: Corpus, name: str | None) -> Corpus:
    """With another utility label, or none."""
    return replace(corpus, label=name)


# ---- audiences


def adopted(state: ProjectState, preset: Preset, schema: Schema) -> ProjectState:
    """The preset's audience with its partition for `schema`, to be reviewed.

    Attributes that the preset does not know start private, the safe side. Its reasons stand
    in for judgements, with its origin named.
    """
    judgements = tuple(_from_preset(preset, name, schema) for name in schema.names)
    state = state.with_audience(preset.audience, partition_from(preset.audience.name, judgements))
    return state.with_judgements(preset.audience.name, judgements)


def _from_preset(preset: Preset, name: str, schema: Schema) -> Judgement:
    partition = preset.partition
    if name not in (*partition.disclosed, *partition.private):
        return Judgement(name, "private", "The preset does not know this attribute.", 1.0, 0)
    side, reason = partition.side(name), f"{preset.reasons[name]} ({preset.origin})"
    if side == "coarsened" and name not in schema.coarsenings:
        return Judgement(name, "private", f"It has no buckets to be disclosed as. {reason}", 1.0, 1)
    return Judgement(name, side, reason, 1.0, 1)


def judged(state: ProjectState, audience: str, judgements: Sequence[Judgement]) -> ProjectState:
    """With a classifier's answer and the partition that follows from it; any approval is void."""
    return state.with_judgements(audience, judgements).with_partition(partition_from(audience, judgements))


def moved(state: ProjectState, schema: Schema, audience: str, sides: Mapping[str, Side]) -> ProjectState:
    """With attributes moved to other sides for one audience; its approval is void.

    Raises BadInput for "coarsened" without buckets, and for an audience without a partition.
    """
    if audience not in state.partitions:
        raise BadInput("has no decisions any more.", where=f"audience {audience!r}", fix="Reload the page.")
    partition = state.partitions[audience]
    for attribute, side in sides.items():
        partition = partition.moved(attribute, side)
    partition.check(schema)
    return state.with_partition(partition)


def all_private(state: ProjectState, audience: str, names: Sequence[str]) -> ProjectState:
    """For marking by hand: everything private to begin with."""
    return state.with_partition(Partition(audience, (), tuple(names)))


def renamed_audience(state: ProjectState, old: str, new: str) -> ProjectState:
    """The audience under another name, with its judgements and partition (approval void)."""
    if new != old and any(a.name == new for a in state.audiences):
        raise BadInput(
            f"two audiences share the name {new!r}.", where="audiences", fix="Choose another name."
        )
    audiences = tuple(replace(a, name=new) if a.name == old else a for a in state.audiences)
    judgements = {new if k == old else k: v for k, v in state.judgements.items()}
    partitions = {
        new if k == old else k: replace(p, audience=new, approval=None) if k == old else p
        for k, p in state.partitions.items()
    }
    return replace(state, audiences=audiences, judgements=judgements, partitions=partitions)
