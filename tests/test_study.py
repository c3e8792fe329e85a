"""Plan files: what they say, and what they may not say."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from ctxpriv.context import ALL_AUDIENCES, Approval, Partition
from ctxpriv.corpus_source import FileCorpus, SampleCorpus, WorkspaceCorpus
from ctxpriv.errors import BadInput
from ctxpriv.privatize.registry import METHODS
from ctxpriv.schema import Schema
from ctxpriv.study import Study

PLAN = """
kind: comparison
name: Two audiences
corpus:
  path: data/notes.jsonl
  columns: {text: body, label: topic, author: who, attributes: [topic, age]}
  schema: observed
  splits: {private: 0.5, test: 0.25, donated: 0.25, seed: 3}
  context: {subject: patients, sender: a clinic, transmission_principle: consent}
audiences:
  - name: Vendor
    recipient: an ML vendor
    purpose: training
    public: [topic, word_count]
    private: [age]
    approved_by: {name: R. Viewer, date: 2026-11-29, note: fine}
  - {name: Broker, recipient: a broker, purpose: resale, classify: true}
methods:
  - SDG-CI
  - {method: Aug-PE, evolution_rounds: 3, epsilon: 2}
epsilon: [0.5, inf]
n_synthetic: 40
models: {generator: local}
evaluation: {group_attribute: age, bootstrap: 50}
seed: 7
"""


def plan(tmp_path: Path, change=None) -> Path:
    data = yaml.safe_load(PLAN)
    if change:
        change(data)
    path = tmp_path / "plan.yaml"
    path.write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True), "utf-8")
    return path


def test_a_plan_says_what_it_says(tmp_path: Path) -> None:
    study = Study.from_yaml(plan(tmp_path))
    assert study.name == "Two audiences" and study.seed == 7
    assert isinstance(study.corpus, FileCorpus)
    assert study.corpus.path == tmp_path / "data/notes.jsonl"  # relative to the plan
    assert study.corpus.columns.text == "body" and study.corpus.columns.attributes == ("topic", "age")
    assert study.corpus.schema is None and study.corpus.splits.seed == 3
    assert study.corpus.context.sender == "a clinic"
    vendor, broker = study.audiences
    assert vendor.partition.approval == Approval("R. Viewer", "2026-11-29", "fine")
    assert vendor.partition.private == ("age",) and broker.partition is None
    assert [(m.name, m.epsilon, m.n_synthetic) for m in study.methods] == [
        ("SDG-CI", 0.5, 40),
        ("SDG-CI", math.inf, 40),
        ("Aug-PE", 2.0, 40),
    ]
    assert study.methods[2].evolution_rounds == 3
    assert study.models.generator == "local" and study.evaluation.bootstrap == 50


def test_a_study_comes_back_from_json_as_it_was(tmp_path: Path) -> None:
    study = Study.from_yaml(plan(tmp_path))
    stored = json.loads(json.dumps(study.to_dict(), allow_nan=False))
    assert Study.from_dict(stored) == study
    moved = study.on_workspace_corpus("notes-1")
    assert Study.from_dict(moved.to_dict()) == moved and moved.corpus == WorkspaceCorpus("notes-1")


def test_an_approved_default_partition_comes_back(tmp_path: Path) -> None:
    """A job keeps its study as JSON and is resumed from it."""
    study = Study.from_yaml(plan(tmp_path))
    approved = Partition("Vendor", ("topic",), ("age",), Approval("N. N.", "2026-11-30"))
    again = Study.from_dict(json.loads(json.dumps(replace(study, default_partition=approved).to_dict())))
    assert again.default_partition.same_sides(approved) and again.default_partition.approval is None


def test_absolute_paths_schemas_and_samples(tmp_path: Path) -> None:
    def change(data):
        data["corpus"]["path"] = str(tmp_path / "x.csv")
        data["corpus"]["schema"] = {"attributes": [{"name": "age", "values": ["1", "2"]}]}

    source = Study.from_yaml(plan(tmp_path, change)).corpus
    assert source.path == tmp_path / "x.csv" and isinstance(source.schema, Schema)
    path = plan(tmp_path, lambda d: d["corpus"].update(schema="s.yaml"))
    assert Study.from_yaml(path).corpus.schema == tmp_path / "s.yaml"
    path = plan(tmp_path, lambda d: d.update(corpus={"sample": "forum"}))
    assert Study.from_yaml(path).corpus == SampleCorpus("forum")


def test_the_name_defaults_to_the_files(tmp_path: Path) -> None:
    assert Study.from_yaml(plan(tmp_path, lambda d: d.pop("name"))).name == "plan"


@pytest.mark.parametrize(
    "change, told",
    [
        (lambda d: d.update(epsilons=[1]), r"plan\.yaml: unknown key 'epsilons'\. Did you mean 'epsilon'\?"),
        (
            lambda d: d["corpus"].update(colums={}),
            r"plan\.yaml, corpus: unknown key 'colums'\. Did you mean 'columns'\?",
        ),
        (
            lambda d: d["corpus"]["columns"].update(lable="x"),
            r"corpus\.columns: unknown key 'lable'.*'label'",
        ),
        (lambda d: d["corpus"]["splits"].update(tset=1), r"corpus\.splits: unknown key 'tset'.*'test'"),
        (
            lambda d: d["corpus"]["context"].update(subjet="x"),
            r"corpus\.context: unknown key 'subjet'.*'subject'",
        ),
        (
            lambda d: d["audiences"][1].update(recipent="x"),
            r"audiences\[1\]: unknown key 'recipent'.*'recipient'",
        ),
        (
            lambda d: d["audiences"][0]["approved_by"].update(day=1),
            r"audiences\[0\]\.approved_by: unknown key 'day'",
        ),
        (lambda d: d["methods"][1].update(evolution_round=1), r"methods\[1\], Aug-PE.*'evolution_rounds'"),
        (lambda d: d["models"].update(genrator="local"), r"models: unknown key 'genrator'.*'generator'"),
        (lambda d: d["evaluation"].update(boot=1), r"evaluation: unknown key 'boot'"),
        (
            lambda d: d["methods"].append("SDGCI"),
            r"methods\[2\]: there is no method 'SDGCI'\. Did you mean 'SDG-CI'\?",
        ),
        (lambda d: d["methods"].append(3), r"methods\[2\]: is a number"),
        (lambda d: d.update(kind="audit"), r"kind: 'audit' is no kind of study"),
        (lambda d: d.update(epsilon=[0]), r"epsilon\[0\]: ε must be a number above 0"),
        (lambda d: d.update(epsilon=["lots"]), r"epsilon\[0\]: ε must be a number above 0"),
        (lambda d: d.update(epsilon=-1.0), r"epsilon\[0\]"),
        (lambda d: d.update(epsilon=True), r"epsilon\[0\]"),
        (lambda d: d.update(epsilon=[]), r"epsilon: is empty"),
        (lambda d: d.update(n_synthetic=0), r"n_synthetic: is not a whole number of at least 1"),
        (lambda d: d.update(seed="x"), r"seed: is not a whole number"),
        (lambda d: d.pop("corpus"), r"the key 'corpus' is missing"),
        (lambda d: d.update(methods=[]), r"names no method"),
        (lambda d: d.update(audiences=[]), r"names no audience"),
        (lambda d: d["audiences"].append(dict(d["audiences"][1])), r"two audiences share the name 'Broker'"),
        (lambda d: d["audiences"][1].pop("classify"), r"audiences\[1\]: the key 'public' is missing"),
        (
            lambda d: d["audiences"][0].update(classify=True),
            r"audiences\[0\]: has both `classify: true` and `public`",
        ),
        (lambda d: d["audiences"][0].update(private=["age", "topic"]), r"'topic'.* both public and private"),
        (
            lambda d: d["audiences"][0].update(private=["age", "age"]),
            r"audiences\[0\]\.private: 'age' is listed twice",
        ),
        (lambda d: d["audiences"][0].update(private=[1]), r"audiences\[0\]\.private\[0\]: is a number"),
        (lambda d: d["audiences"][0]["approved_by"].update(date="soon"), r"approved_by\.date: is not a date"),
        (lambda d: d["audiences"][0]["approved_by"].pop("name"), r"approved_by: the key 'name' is missing"),
        (lambda d: d["corpus"].update(sample="forum"), r"corpus: needs exactly one of"),
        (lambda d: d["corpus"].pop("path"), r"corpus: needs exactly one of"),
        (lambda d: d["corpus"].update(format="yelp"), r"corpus: needs either `columns` or `format`"),
        (lambda d: d["corpus"]["columns"].pop("text"), r"corpus\.columns: the key 'text' is missing"),
        (lambda d: d["corpus"]["splits"].update(private=0.9), r"corpus\.splits: shares"),
        (lambda d: d["corpus"]["splits"].update(seed="x"), r"corpus\.splits\.seed: is not a whole number"),
        (
            lambda d: d.update(corpus={"workspace": "k", "columns": {}}),
            r"'columns' has no meaning beside `workspace`",
        ),
        (lambda d: d.update(models={"generator": "best"}), r"models, generator: 'best' cannot play"),
        (lambda d: d["evaluation"].update(mauve_seeds=1), r"plan\.yaml, evaluation: mauve_seeds"),
        (lambda d: d["methods"][1].update(evolution_rounds="three"), r"methods\[1\]"),
    ],
)
def test_what_cannot_be_meant_is_an_error_with_its_place(tmp_path: Path, change, told: str) -> None:
    with pytest.raises(BadInput, match=told):
        Study.from_yaml(plan(tmp_path, change))


@pytest.mark.parametrize(
    "text, told",
    [
        ("", "not a set of"),
        ("- a\n- b\n", "is a list"),
        ("corpus: [\n", "not valid YAML"),
        ("just words", "is text"),
    ],
)
def test_files_that_are_no_plans(tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "odd.yaml"
    path.write_text(text)
    with pytest.raises(BadInput, match=rf"odd\.yaml.*{told}"):
        Study.from_yaml(path)


def test_missing_files_are_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="gone.yaml"):
        Study.from_yaml(tmp_path / "gone.yaml")
    with pytest.raises(BadInput, match="notes.jsonl: does not exist"):
        Study.from_yaml(plan(tmp_path)).corpus.load()


PLANS = Path(__file__).resolve().parents[1] / "data_samples" / "plans"
COMPARISONS = [p for p in sorted(PLANS.glob("*.yaml")) if "\nkind: insights\n" not in p.read_text()]


@pytest.mark.parametrize("path", COMPARISONS, ids=lambda p: p.stem)
def test_shipped_plans_fit_their_corpora(path: Path) -> None:
    study = Study.from_yaml(path)
    corpus = study.corpus.load()
    for entry in study.audiences:
        entry.partition.check(corpus.schema)
        assert entry.partition.approval is not None
    (family,) = {m.family for m in study.methods}
    assert {m.name for m in study.methods} == {n for n, e in METHODS.items() if e.family == family}
    sizes = [m.n_synthetic if family == "synthetic" else m.n_records for m in study.methods]
    assert max(sizes) <= corpus.facts().n_private


@pytest.mark.parametrize("name", ["forum", "biomed", "home_calls", "complaints", "reviews"])
def test_shipped_plans_say_what_the_samples_say(name: str) -> None:
    """The same corpus, so that app and command line share runs, and the presets' audiences."""
    from ctxpriv.loaders.samples import load_sample, sample

    study = Study.from_yaml(PLANS / f"{name}.yaml")
    assert study.corpus.load().digest == load_sample(name).digest
    presets = {p.audience: (set(p.partition.public), set(p.partition.private)) for p in sample(name).presets}
    assert presets == {
        a.audience: (set(a.partition.public), set(a.partition.private)) for a in study.audiences
    }
    assert study.evaluation.group_attribute == sample(name).group_attribute


def test_named_formats_are_used_and_unknown_ones_named(tmp_path: Path) -> None:
    rows = [
        {
            "business_id": "b",
            "stars": i % 5 + 1,
            "text": f"made up review {i}",
            "review_id": f"r{i}",
            "user_id": f"u{i % 9}",
            "useful": 0,
            "funny": 0,
            "cool": 0,
            "date": "2024-01-01",
        }
        for i in range(40)
    ]
    (tmp_path / "yelp.jsonl").write_text("".join(json.dumps(r) + "\n" for r in rows))

    def change(data, name="yelp"):
        data["corpus"] = {"path": "yelp.jsonl", "format": name, "splits": {"seed": 5}}

    corpus = Study.from_yaml(plan(tmp_path, change)).corpus.load()
    assert len(corpus) == 40 and "word_count" in corpus.schema.names
    with pytest.raises(BadInput, match="no format 'yelpp'.*Did you mean 'yelp'"):
        Study.from_yaml(plan(tmp_path, lambda d: change(d, "yelpp"))).corpus.load()


def minimal() -> dict:
    vendor = {"name": "Vendor", "recipient": "r", "purpose": "p", "public": ["a"], "private": ["b"]}
    return {"corpus": {"sample": "forum"}, "audiences": [vendor], "methods": ["MAPLE"]}


def test_methods_without_epsilon_are_taken_once(tmp_path: Path) -> None:
    data = {**minimal(), "methods": ["ANON-CI", "MAPLE"], "epsilon": [1, 2], "n_synthetic": 5}
    methods = Study.from_dict(data).methods
    assert [m.name for m in methods] == ["ANON-CI", "MAPLE", "MAPLE"]
    with pytest.raises(BadInput, match="no formal guarantee"):
        Study.from_dict({**minimal(), "methods": [{"method": "ANON-CI", "epsilon": 1}]})


def test_the_default_partition_is_an_audience_or_sides_of_its_own() -> None:
    data = minimal()
    (entry,) = Study.from_dict(data).audiences
    named = Study.from_dict({**data, "default_partition": entry.name})
    assert named.default_partition.same_sides(entry.partition)
    assert named.default_partition.audience == ALL_AUDIENCES and named.default_partition.approval is None
    assert Study.from_dict(named.to_dict()) == named
    own = Study.from_dict({**data, "default_partition": {"public": ["a"], "private": ["b"]}})
    assert own.default_partition.private == ("b",)
    assert Study.from_dict(data).default_partition is None
    with pytest.raises(BadInput, match="no audience 'nobody'"):
        Study.from_dict({**data, "default_partition": "nobody"})
