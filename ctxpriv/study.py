"""A study: one corpus, some audiences, some methods at some ε. What a plan file says.

The same layout is read from YAML, kept with a job, and built by the app's pages:

    kind: comparison
    name: Forum comments for three audiences
    corpus:                      # one of path, sample, workspace
      path: ../forum.jsonl       # relative to the plan, or absolute
      columns: {text: text, label: topic, author: author_id}    # or  format: NAME
      schema: ../schemas/forum.yaml                             # or inline, or  observed
    audiences:
      - {name: ML vendor, recipient: ..., purpose: ..., public: [...], coarsened: [...], private: [...],
         approved_by: {name: ..., date: 2026-11-29, note: ...}}
      - {name: Advertiser, recipient: ..., purpose: ..., classify: true}
    methods: [SDG-CI, {method: Aug-PE, evolution_rounds: 3}]
    epsilon: [0.5, 1, inf]
    n_synthetic: 150
    default_partition: ML vendor   # whose sides methods for no audience in particular protect (RUPTA);
                                   # or its own  {public: [...], private: [...]}
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import date
from pathlib import Path
from typing import Any, ClassVar

from ctxpriv.context import ALL_AUDIENCES, SIDES, Approval, Audience, Partition
from ctxpriv.corpus_source import CorpusSource, WorkspaceCorpus, source_from
from ctxpriv.errors import BadInput
from ctxpriv.evaluate.settings import EvaluationSettings
from ctxpriv.method_lists import configs_from
from ctxpriv.model_choice import ModelChoice
from ctxpriv.privatize.method import takes
from ctxpriv.privatize.registry import METHODS, method_from
from ctxpriv.strict import a_list, a_text, check_keys, did_you_mean, inside, names, whole_number

KEYS = (
    "kind",
    "name",
    "corpus",
    "audiences",
    "methods",
    "epsilon",
    "n_synthetic",
    "models",
    "evaluation",
    "seed",
    "default_partition",
)
KIND = "comparison"


@dataclass(frozen=True)
class StudyAudience:
    """An audience with its partition, or with None: then the CI classifier is to propose one."""

    audience: Audience
    partition: Partition | None = None

    @property
    def name(self) -> str:
        return self.audience.name

    def to_dict(self) -> dict[str, Any]:
        out: dict[str, Any] = asdict(self.audience)
        if self.partition is None:
            return {**out, "classify": True}
        sides = self.partition.to_dict()
        approval = sides.pop("approval", None)
        return {**out, **sides, **({"approved_by": approval} if approval else {})}


@dataclass(frozen=True)
class Study:
    """`methods` holds one config per method and ε. Raises BadInput when nothing is to be done.

    `default_partition` is what audience-agnostic rewriting protects (paper Table 5); None leaves only
    the utility label public (see `runs.default_for`).
    """

    name: str
    corpus: CorpusSource
    audiences: tuple[StudyAudience, ...]
    methods: tuple[Any, ...]
    models: ModelChoice = ModelChoice()
    evaluation: EvaluationSettings = EvaluationSettings()
    seed: int = 0
    default_partition: Partition | None = None

    kind: ClassVar[str] = KIND

    def __post_init__(self) -> None:
        listed = [a.name for a in self.audiences]
        if not listed:
            raise BadInput("names no audience.", where=f"study {self.name!r}", fix="Add one.")
        if twice := sorted({n for n in listed if listed.count(n) > 1}):
            raise BadInput(
                f"two audiences share the name {twice[0]!r}.", where=f"study {self.name!r}", fix="Rename one."
            )
        if not self.methods:
            raise BadInput(
                "names no method.", where=f"study {self.name!r}", fix=f"Choose from {', '.join(METHODS)}."
            )

    @staticmethod
    def from_yaml(path: str | Path) -> Study:
        """Raises BadInput naming the file and the key path for anything that cannot be used."""
        from ctxpriv.loaders.schema_file import read_yaml

        path = Path(path)
        study = Study.from_dict(read_yaml(path), where=path.name, base=path.absolute().parent)
        return study if study.name else replace(study, name=path.stem)

    @staticmethod
    def from_dict(data: Any, *, where: str = "study", base: Path | None = None) -> Study:
        """The reverse of `to_dict`, and what `from_yaml` reads. Paths are relative to `base`."""
        check_keys(data, KEYS, where, required=("corpus", "audiences", "methods"))
        if (kind := data.get("kind", KIND)) != KIND:
            raise BadInput(
                f"{kind!r} is no kind of study.", where=f"{where}, kind", fix=f"Here, write {KIND!r}."
            )
        audiences = tuple(
            _audience(a, f"{where}, audiences[{i}]")
            for i, a in enumerate(a_list(data["audiences"], f"{where}, audiences"))
        )
        return Study(
            a_text(data.get("name", ""), f"{where}, name"),
            source_from(data["corpus"], f"{where}, corpus", base or Path.cwd()),
            audiences,
            _methods(data, where),
            ModelChoice.from_dict(data.get("models") or {}, f"{where}, models"),
            _evaluation(data.get("evaluation") or {}, f"{where}, evaluation"),
            whole_number(data.get("seed", 0), f"{where}, seed"),
            _default_partition(data.get("default_partition"), audiences, f"{where}, default_partition"),
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-able (ε = ∞ as "inf"), with absolute paths."""
        default = replace(self.default_partition, approval=None) if self.default_partition else None
        return {
            "kind": KIND,
            "name": self.name,
            "corpus": self.corpus.to_dict(),
            "audiences": [a.to_dict() for a in self.audiences],
            "methods": [method_dict(m) for m in self.methods],
            "models": self.models.to_dict(),
            "evaluation": self.evaluation.to_dict(),
            "seed": self.seed,
        } | ({"default_partition": default.to_dict()} if default else {})

    def on_workspace_corpus(self, key: str) -> Study:
        """The same study on a corpus that the workspace keeps."""
        return replace(self, corpus=WorkspaceCorpus(key))


def method_dict(config: Any) -> dict[str, Any]:
    """A method's settings as strict JSON: infinity becomes "inf"."""
    return _finite(config.to_dict())


def _finite(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {k: _finite(v) for k, v in value.items()}
    if isinstance(value, (list, tuple)):
        return [_finite(v) for v in value]
    return "inf" if isinstance(value, float) and math.isinf(value) else value


def _audience(data: Any, where: str) -> StudyAudience:
    known = ("name", "recipient", "purpose", *SIDES, "approved_by", "classify")
    check_keys(data, known, where, required=("name", "recipient", "purpose"))
    audience = Audience(*(a_text(data[k], f"{where}.{k}") for k in ("name", "recipient", "purpose")))
    given = [k for k in (*SIDES, "approved_by") if k in data]
    if data.get("classify", False) not in (True, False):
        raise BadInput("is neither true nor false.", where=f"{where}.classify")
    if data.get("classify"):
        if given:
            raise BadInput(
                f"has both `classify: true` and `{given[0]}`.", where=where, fix="Keep one of them."
            )
        return StudyAudience(audience)
    if missing := [k for k in ("public", "private") if k not in data]:
        raise BadInput(
            f"the key {missing[0]!r} is missing.",
            where=where,
            fix="List every attribute as public, coarsened or private, or write `classify: true`.",
        )
    approval = an_approval(data["approved_by"], f"{where}.approved_by") if data.get("approved_by") else None
    return StudyAudience(audience, Partition(audience.name, approval=approval, **_sides(data, where)))


def _sides(data: Mapping[str, Any], where: str) -> dict[str, tuple[str, ...]]:
    """The attributes of each side as listed in a plan."""
    listed_sides = {side: names(data.get(side) or [], f"{where}.{side}") for side in SIDES}
    for side, listed in listed_sides.items():
        if twice := sorted({n for n in listed if listed.count(n) > 1}):
            raise BadInput(f"{twice[0]!r} is listed twice.", where=f"{where}.{side}", fix="List it once.")
    return listed_sides


def _default_partition(data: Any, audiences: Sequence[StudyAudience], where: str) -> Partition | None:
    """The name of an audience of the study that has sides, or sides of its own."""
    if data is None:
        return None
    if isinstance(data, str):
        known = {a.name: a.partition for a in audiences if a.partition is not None}
        if data not in known:
            raise BadInput(
                f"there is no audience {data!r} with sides.", where=where, fix=did_you_mean(data, known)
            )
        return replace(known[data], audience=ALL_AUDIENCES, approval=None)
    check_keys(data, SIDES, where, required=("public", "private"))
    return Partition(ALL_AUDIENCES, **_sides(data, where))


def an_approval(data: Any, where: str) -> Approval:
    """`{name, date, note}` of a plan. Raises BadInput."""
    check_keys(data, ("name", "date", "note"), where, required=("name", "date"))
    day = data["date"]
    try:
        day = day if isinstance(day, date) else date.fromisoformat(day)
    except (TypeError, ValueError):
        raise BadInput("is not a date.", where=f"{where}.date", fix="Write it as 2026-11-29.") from None
    try:
        return Approval(a_text(data["name"], f"{where}.name"), day.isoformat(), str(data.get("note") or ""))
    except BadInput as error:
        raise BadInput(error.what, where=f"{where}.name", fix=error.fix) from None


def _methods(data: Mapping[str, Any], where: str) -> tuple[Any, ...]:
    records = data.get("n_synthetic")
    if records is not None:
        records = whole_number(records, f"{where}, n_synthetic", least=1)

    def also(config: type) -> dict[str, Any]:
        return {"n_synthetic": records} if records is not None and takes(config, "n_synthetic") else {}

    return configs_from(data, where, METHODS, method_from, also)


def _evaluation(data: Any, where: str) -> EvaluationSettings:
    check_keys(data, tuple(f.name for f in fields(EvaluationSettings)), where)
    try:
        return EvaluationSettings.from_dict(dict(data))
    except BadInput as error:
        raise BadInput(error.what, where=inside(where, error), fix=error.fix) from None
    except TypeError:
        raise BadInput("a setting has the wrong type.", where=where) from None
