"""An insights study: which summaries of one corpus are released, to whom, at which ε.

kind: insights
name: What people complain about
corpus: {...}                    # as in a comparison
only: {state: [VA, MD]}          # optional: records with these values alone (a region, a period)
atoms: {taxonomy: [product, issue, sub_issue], m: 50}
measure: {k: 3, size: 10, floor: 0.05, assign: tfidf, weights: scores, unit: record, bound: 1,
          relation: add/drop, denominator: 300, delta: 1e-4}
audiences:                       # optional; left out: one release for all audiences
  - {name: Regulator, recipient: ..., purpose: ..., withhold: [some label],
     approved_by: {name: ..., date: 2026-11-30}}
methods: [DP-SPIN, {method: DP-SPIN, mechanism: gaussian}, DP keyword histogram, Non-private top-L]
epsilon: [0.5, 1, 2, 4]
words: {mode: display, attempts: 3}
experiments: [mechanisms, probe]  # curator-only, see docs/insights.md
judge: false                     # a language model's opinion of each summary
models: {...}
seed: 0                          # of public choices and of models, never of noise
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar, get_args

from ctxpriv.context import ALL_AUDIENCES, Approval
from ctxpriv.corpus_source import CorpusSource, WorkspaceCorpus, source_from
from ctxpriv.errors import BadInput
from ctxpriv.insights.atom_recipe import AtomRecipe
from ctxpriv.method_lists import configs_from
from ctxpriv.model_choice import ModelChoice
from ctxpriv.privatize.spin.atoms import AtomSet
from ctxpriv.privatize.spin.measurement import Measurement
from ctxpriv.privatize.spin.registry import INSIGHTS, insight_from
from ctxpriv.privatize.spin.summary import Mode
from ctxpriv.privatize.spin.verbalise import ATTEMPTS
from ctxpriv.strict import a_list, a_text, check_keys, kind_of, names, whole_number
from ctxpriv.study import an_approval

KIND = "insights"
KEYS = (
    "kind",
    "name",
    "corpus",
    "only",
    "atoms",
    "measure",
    "audiences",
    "methods",
    "epsilon",
    "words",
    "experiments",
    "judge",
    "models",
    "seed",
)
MEASURE = ("k", "size", "floor", "assign", "weights", "unit", "bound", "relation", "denominator", "delta")


@dataclass(frozen=True)
class InsightAudience:
    """Who gets the summary. Atoms in `withhold` (labels) are not measured for it at all."""

    name: str = ALL_AUDIENCES
    recipient: str = ""
    purpose: str = ""
    withhold: tuple[str, ...] = ()
    approval: Approval | None = None

    def to_dict(self) -> dict[str, Any]:
        out = {
            "name": self.name,
            "recipient": self.recipient,
            "purpose": self.purpose,
            "withhold": list(self.withhold),
        }
        return out | ({"approved_by": asdict(self.approval)} if self.approval else {})


@dataclass(frozen=True)
class Words:
    """How plans are put into words: the mode, and how often a decoder may try."""

    mode: Mode = "display"
    attempts: int = ATTEMPTS

    def __post_init__(self) -> None:
        if self.mode not in get_args(Mode):
            raise BadInput(
                f"{self.mode!r} is unknown.",
                where="words, mode",
                fix=f"Choose one of {', '.join(get_args(Mode))}.",
            )
        whole_number(self.attempts, "words, attempts", least=1)


@dataclass(frozen=True)
class InsightStudy:
    """`methods` holds one config per method and ε. `measure` holds settings of `Measurement` as given;
    δ and the denominator are 1/n and n where they are left out. `experiments` are names and settings as
    `experiments.choice.experiment_from` gives them. Raises BadInput when nothing is to be done."""

    name: str
    corpus: CorpusSource
    atoms: AtomRecipe
    methods: tuple[Any, ...]
    audiences: tuple[InsightAudience, ...] = (InsightAudience(),)
    measure: Mapping[str, Any] = field(default_factory=dict)
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    words: Words = Words()
    experiments: tuple[Mapping[str, Any], ...] = ()
    judge: bool = False
    models: ModelChoice = ModelChoice()
    seed: int = 0

    kind: ClassVar[str] = KIND

    def __post_init__(self) -> None:
        where = f"study {self.name!r}"
        listed = [a.name for a in self.audiences]
        if not listed:
            raise BadInput("names no audience.", where=where, fix="Add one, or leave the key out.")
        if twice := sorted({n for n in listed if listed.count(n) > 1}):
            raise BadInput(f"two audiences share the name {twice[0]!r}.", where=where, fix="Rename one.")
        if not self.methods and not self.experiments:
            raise BadInput("names no method.", where=where, fix=f"Choose from {', '.join(INSIGHTS)}.")
        check_keys(self.measure, MEASURE, f"{where}, measure")

    def measurement(self, atoms: AtomSet, n_units: int) -> Measurement:
        """What is measured on `atoms`; `n_units` stands in for δ = 1/n and the denominator."""
        settings = {"delta": 1 / max(n_units, 2), "denominator": max(n_units, 1), **self.measure}
        return Measurement(atoms, **settings)

    @property
    def unit(self) -> str:
        return self.measure.get("unit", "record")

    @staticmethod
    def from_dict(data: Any, *, where: str = "study", base: Path | None = None) -> InsightStudy:
        """The reverse of `to_dict`, and what `kinds.kind.study_from_yaml` reads.

        Paths are relative to `base`. Raises BadInput naming the key path for anything that cannot be used.
        """
        check_keys(data, KEYS, where, required=("corpus", "atoms"))
        if data.get("kind") != KIND:
            raise BadInput(f"is not {KIND!r}.", where=f"{where}, kind")
        base = base or Path.cwd()
        methods = data.get("methods") or []
        words = check_keys(data.get("words") or {}, ("mode", "attempts"), f"{where}, words")
        measure = check_keys(data.get("measure") or {}, MEASURE, f"{where}, measure")
        if data.get("judge", False) not in (True, False):
            raise BadInput("is neither true nor false.", where=f"{where}, judge")
        return InsightStudy(
            a_text(data.get("name", ""), f"{where}, name"),
            source_from(data["corpus"], f"{where}, corpus", base),
            AtomRecipe.from_dict(data["atoms"], f"{where}, atoms", base),
            configs_from({**data, "methods": methods}, where, INSIGHTS, insight_from),
            _audiences(data.get("audiences"), f"{where}, audiences"),
            {k: _setting(v, f"{where}, measure.{k}") for k, v in measure.items() if v is not None},
            _only(data.get("only") or {}, f"{where}, only"),
            Words(**words),
            _experiments(data.get("experiments") or [], f"{where}, experiments"),
            bool(data.get("judge")),
            ModelChoice.from_dict(data.get("models") or {}, f"{where}, models"),
            whole_number(data.get("seed", 0), f"{where}, seed"),
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, with absolute paths."""
        return {
            "kind": KIND,
            "name": self.name,
            "corpus": self.corpus.to_dict(),
            "only": {k: list(v) for k, v in self.only.items()},
            "atoms": self.atoms.to_dict(),
            "measure": dict(self.measure),
            "audiences": [a.to_dict() for a in self.audiences],
            "methods": [m.to_dict() for m in self.methods],
            "words": asdict(self.words),
            "experiments": [dict(e) for e in self.experiments],
            "judge": self.judge,
            "models": self.models.to_dict(),
            "seed": self.seed,
        }

    def on_workspace_corpus(self, key: str) -> InsightStudy:
        """The same study on a corpus that the workspace keeps."""
        return replace(self, corpus=WorkspaceCorpus(key))


def _setting(value: Any, where: str) -> str | int | float:
    """A plain value; `Measurement` says which it can use. YAML reads 1e-4, without a point, as text."""
    if where.endswith(".delta"):
        try:
            value = float(value)
        except (TypeError, ValueError, OverflowError):
            raise BadInput("is not a number.", where=where, fix="Write for instance 1.0e-4.") from None
    if not isinstance(value, (str, int, float)):
        raise BadInput(f"is {kind_of(value)}, not one plain value.", where=where)
    return value


def _audiences(data: Any, where: str) -> tuple[InsightAudience, ...]:
    if data is None:
        return (InsightAudience(),)
    return tuple(_audience(item, f"{where}[{i}]") for i, item in enumerate(a_list(data, where)))


def _audience(data: Any, where: str) -> InsightAudience:
    data = {"name": data} if isinstance(data, str) else data
    check_keys(data, ("name", "recipient", "purpose", "withhold", "approved_by"), where, required=("name",))
    told = [a_text(data.get(k) or "", f"{where}.{k}") for k in ("name", "recipient", "purpose")]
    if not told[0].strip():
        raise BadInput("an audience needs a name.", where=f"{where}.name")
    approval = an_approval(data["approved_by"], f"{where}.approved_by") if data.get("approved_by") else None
    return InsightAudience(*told, names(data.get("withhold") or [], f"{where}.withhold"), approval)


def _only(data: Any, where: str) -> dict[str, tuple[str, ...]]:
    if not isinstance(data, Mapping):
        raise BadInput("is no set of `attribute: [values]` lines.", where=where)
    return {a_text(k, where): names(v, f"{where}.{k}") for k, v in data.items()}


def _experiments(data: Any, where: str) -> tuple[Mapping[str, Any], ...]:
    from ctxpriv.privatize.spin.experiments.choice import experiment_from

    return tuple(experiment_from(e, f"{where}[{i}]") for i, e in enumerate(a_list(data, where)))
