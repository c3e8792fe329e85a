"""Where a study's corpus comes from: a file, a sample, or the workspace."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ctxpriv.context import CorpusContext
from ctxpriv.corpus import Corpus, Splits
from ctxpriv.errors import BadInput
from ctxpriv.schema import MAX_BUCKETS, Schema
from ctxpriv.strict import a_text, check_keys, did_you_mean, inside, kind_of, names

if TYPE_CHECKING:
    from ctxpriv.loaders.mapping import ColumnMapping

KEYS = (
    "path",
    "sample",
    "workspace",
    "name",
    "columns",
    "format",
    "schema",
    "splits",
    "context",
    "word_count",
)


@dataclass(frozen=True)
class FileCorpus:
    """A file with its column mapping, or in a named format. `schema`: a path, a schema, or
    None for one read off the records (the card then says so)."""

    path: Path
    columns: ColumnMapping | None = None
    format: str | None = None
    schema: Path | Schema | None = None
    splits: Splits = Splits()
    context: CorpusContext = CorpusContext()
    word_count: bool = True
    name: str | None = None

    def load(self) -> Corpus:
        """Raises BadInput naming file, row and column."""
        if not self.path.exists():
            raise BadInput("does not exist.", where=str(self.path), fix="Correct the path in the plan.")
        schema = self._schema()
        if self.format is not None:
            return self._load_format(schema)
        from ctxpriv.loaders.load import load_table

        return load_table(
            self.path,
            self.columns,
            name=self.name,
            schema=schema,
            splits=self.splits,
            context=self.context,
            add_word_count=self.word_count,
        )

    def _load_format(self, schema: Schema | None) -> Corpus:
        from ctxpriv.loaders.formats import FORMATS

        if self.format not in FORMATS:
            raise BadInput(
                f"there is no format {self.format!r}.",
                where="corpus, format",
                fix=did_you_mean(str(self.format), FORMATS),
            )
        settings: dict[str, Any] = {"splits": self.splits, "name": self.name, "schema": schema}
        if self.context != CorpusContext():
            settings["context"] = self.context
        return FORMATS[self.format].load(self.path, **{k: v for k, v in settings.items() if v is not None})

    def _schema(self) -> Schema | None:
        if isinstance(self.schema, Path):
            from ctxpriv.loaders.schema_file import read_schema

            return read_schema(self.schema)
        return self.schema

    def to_dict(self) -> dict[str, Any]:
        schema = (
            self.schema.to_dict() if isinstance(self.schema, Schema) else self.schema and str(self.schema)
        )
        out = {
            "path": str(self.path),
            "name": self.name,
            "format": self.format,
            "columns": self.columns and self.columns.to_dict(),
            "schema": schema or "observed",
        }
        return {k: v for k, v in out.items() if v is not None} | {
            "splits": asdict(self.splits),
            "context": asdict(self.context),
            "word_count": self.word_count,
        }


@dataclass(frozen=True)
class SampleCorpus:
    """A corpus that ships with ctxpriv, with its declared schema."""

    sample: str
    splits: Splits = Splits()

    def load(self) -> Corpus:
        from ctxpriv.loaders.samples import load_sample

        return load_sample(self.sample, splits=self.splits)

    def to_dict(self) -> dict[str, Any]:
        return {"sample": self.sample, "splits": asdict(self.splits)}


@dataclass(frozen=True)
class WorkspaceCorpus:
    """A corpus that the workspace keeps, as it is there now."""

    key: str

    def to_dict(self) -> dict[str, Any]:
        return {"workspace": self.key}


CorpusSource = FileCorpus | SampleCorpus | WorkspaceCorpus


def source_from(data: Any, where: str, base: Path) -> CorpusSource:
    """Reads the `corpus:` part of a plan. Raises BadInput with the key path."""
    check_keys(data, KEYS, where)
    kinds = [k for k in ("path", "sample", "workspace") if data.get(k) is not None]
    if len(kinds) != 1:
        raise BadInput("needs exactly one of `path`, `sample`, `workspace`.", where=where)
    if kinds == ["workspace"]:
        _only(data, ("workspace",), where)
        return WorkspaceCorpus(a_text(data["workspace"], f"{where}.workspace"))
    splits = _splits(data.get("splits") or {}, f"{where}.splits")
    if kinds == ["sample"]:
        _only(data, ("sample", "splits"), where)
        return SampleCorpus(a_text(data["sample"], f"{where}.sample"), splits)
    return _file(data, where, base, splits)


def _file(data: Any, where: str, base: Path, splits: Splits) -> FileCorpus:
    columns, fmt = data.get("columns"), data.get("format")
    if (columns is None) == (fmt is None):
        raise BadInput(
            "needs either `columns` or `format`.",
            where=where,
            fix="`columns: {text: NAME}` says which column holds the text.",
        )
    word_count = data.get("word_count", True)
    if word_count not in (True, False):
        raise BadInput("is neither true nor false.", where=f"{where}.word_count")
    context = check_keys(
        data.get("context") or {}, tuple(CorpusContext.__dataclass_fields__), f"{where}.context"
    )
    return FileCorpus(
        base / a_text(data["path"], f"{where}.path"),
        _columns(columns, f"{where}.columns") if columns is not None else None,
        a_text(fmt, f"{where}.format") if fmt is not None else None,
        _schema(data.get("schema", "observed"), f"{where}.schema", base),
        splits,
        CorpusContext(**{k: a_text(v, f"{where}.context.{k}") for k, v in context.items()}),
        word_count,
        a_text(data["name"], f"{where}.name") if data.get("name") is not None else None,
    )


def _columns(data: Any, where: str) -> ColumnMapping:
    from ctxpriv.loaders.mapping import ColumnMapping

    check_keys(data, tuple(ColumnMapping.__dataclass_fields__), where, required=("text",))
    single = {k: a_text(v, f"{where}.{k}") for k, v in data.items() if k != "attributes" and v is not None}
    attributes = data.get("attributes")
    return ColumnMapping(
        **single, attributes=None if attributes is None else names(attributes, f"{where}.attributes")
    )


def _schema(data: Any, where: str, base: Path) -> Path | Schema | None:
    if isinstance(data, str):
        return None if data == "observed" else base / data
    check_keys(data, ("attributes", "coarsenings"), where, required=("attributes",))
    for i, attribute in enumerate(data["attributes"]):
        check_keys(
            attribute,
            ("name", "values", "description", "provenance", "rationale"),
            f"{where}.attributes[{i}]",
            required=("name", "values"),
        )
        _values(attribute["values"], f"{where}.attributes[{i}].values")
        for key in ("name", "description", "provenance", "rationale"):
            a_text(attribute.get(key, ""), f"{where}.attributes[{i}].{key}")
    for i, coarsening in enumerate(data.get("coarsenings") or []):
        check_keys(
            coarsening,
            ("attribute", "buckets", "mapping", "origin"),
            f"{where}.coarsenings[{i}]",
            required=("attribute", "buckets", "mapping"),
        )
        place = f"{where}.coarsenings[{i}]"
        _values(coarsening["buckets"], f"{place}.buckets")
        if len(coarsening["buckets"]) > MAX_BUCKETS:
            raise BadInput(
                f"has {len(coarsening['buckets'])} buckets; at most {MAX_BUCKETS} are allowed.",
                where=f"{place}.buckets",
            )
        if not isinstance(coarsening["mapping"], Mapping):
            raise BadInput("is not a set of `value: bucket` lines.", where=f"{place}.mapping")
        for key in ("attribute", "origin"):
            a_text(coarsening.get(key, ""), f"{place}.{key}")
    return Schema.from_dict({**data, "coarsenings": data.get("coarsenings") or []})


def _values(data: Any, where: str) -> None:
    """Raises BadInput unless it is a list of texts and numbers. YAML reads a bare yes or no as
    true or false, which would match no cell."""
    if not isinstance(data, list):
        raise BadInput(f"is {kind_of(data)}, not a list.", where=where, fix="Write `[first, second]`.")
    for i, value in enumerate(data):
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise BadInput(f"is {kind_of(value)}, not text.", where=f"{where}[{i}]", fix="Put it in quotes.")


def _splits(data: Any, where: str) -> Splits:
    check_keys(data, tuple(Splits.__dataclass_fields__), where)
    try:
        return replace(Splits(), **data)
    except BadInput as error:
        raise BadInput(error.what, where=inside(where, error), fix=error.fix) from None


def _only(data: Any, keys: tuple[str, ...], where: str) -> None:
    for key in data:
        if key not in keys:
            raise BadInput(f"{key!r} has no meaning beside `{keys[0]}`.", where=where, fix="Remove it.")
