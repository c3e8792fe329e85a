"""Studies from corpus to comparison: reuse, resumption, failures, and what the ledger then says."""

from __future__ import annotations

import errno
import hashlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ctxpriv import files
from ctxpriv.context import Approval, Audience, CorpusContext, Judgement, Partition
from ctxpriv.corpus import Corpus
from ctxpriv.corpus_source import WorkspaceCorpus
from ctxpriv.errors import BadInput, ModelFailed
from ctxpriv.evaluate.settings import EvaluationSettings
from ctxpriv.models.base import ModelIdentity
from ctxpriv.privatize.sdg.methods import MAPLE, SDGCI, AugPE
from ctxpriv.progress import Cancelled, CancelToken
from ctxpriv.roles import Roles, Written
from ctxpriv.run_store import RunFolder
from ctxpriv.runner import RUNS, StudyStopped, plan_study, run_study
from ctxpriv.schema import Attribute, Schema
from ctxpriv.study import Study, StudyAudience
from ctxpriv.workspace import Workspace

YES = Approval("R. Viewer", "2026-11-29", "Made up for the tests.")


class HashEmbedderDouble:
    """Unit vectors from a hash of the text; counts how many texts it was given."""

    identity = ModelIdentity("local", "hash embedder double")
    dimension = 8

    def __init__(self) -> None:
        self.texts = 0

    def embed(self, texts, *, progress=None, cancel=None) -> np.ndarray:
        self.texts += len(texts)
        seeds = [int.from_bytes(hashlib.sha256(t.encode()).digest()[:4]) for t in texts]
        vectors = np.stack([np.random.default_rng(s).normal(size=8) for s in seeds]).astype(np.float32)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)


@dataclass
class GeneratorDouble:
    """Numbered texts. `dies_at`: the call at which it raises; `asks`: called before each."""

    dies_at: int = -1
    error: Exception = field(default_factory=lambda: ModelFailed("The model server is gone."))
    calls: int = 0
    identity = ModelIdentity("local", "generator double")

    def _call(self, n: int, what: str) -> Written:
        if self.calls == self.dies_at:
            raise self.error
        self.calls += 1
        return Written(tuple(f"{what} {self.calls} {i}" for i in range(n)))

    def write(self, rows, donated, *, seed, progress=None, cancel=None) -> Written:
        return self._call(len(rows), "written")

    def vary(
        self, texts: Sequence[str], rows, donated, *, variations, seed, progress=None, cancel=None
    ) -> Written:
        return self._call(len(texts) * variations, "varied")

    def tokens_per_text(self, mean_words: float) -> tuple[int, int]:
        return 0, 0

    def calls_per_second(self) -> float:
        return 100.0


class ClassifierDouble:
    identity = ModelIdentity("local", "classifier double")

    def classify(self, schema, context, *, samples=3, progress=None, cancel=None) -> tuple[Judgement, ...]:
        return tuple(
            Judgement(n, "private" if n == "age" else "public", "because", 1.0, samples) for n in schema.names
        )


def corpus(n: int = 60) -> Corpus:
    rng = np.random.default_rng(5)
    schema = Schema(
        (Attribute("age", ("young", "old")), Attribute("sex", ("f", "m")), Attribute("topic", ("a", "b")))
    )
    table = pd.DataFrame({a.name: rng.choice(a.values, n) for a in schema.attributes}).astype(object)
    splits = np.array(
        (["private"] * (n // 2)) + ["test"] * (n // 4) + ["donated"] * (n - n // 2 - n // 4), object
    )
    return Corpus(
        "Tiny",
        tuple(f"r{i}" for i in range(n)),
        tuple(f"SECRET{i} words" for i in range(n)),
        table,
        schema,
        splits,
        "topic",
        context=CorpusContext("posters", "a forum", "consent"),
    )


SETTINGS = EvaluationSettings(bootstrap=10, refits=5, mauve_resamples=1)
VENDOR = StudyAudience(
    Audience("Vendor", "an ML vendor", "training"), Partition("Vendor", ("sex", "topic"), ("age",), YES)
)
BROKER = StudyAudience(
    Audience("Broker", "a broker", "resale"), Partition("Broker", ("topic",), ("age", "sex"), YES)
)
METHODS = (
    SDGCI(n_synthetic=20, evolution_rounds=1, variations=2),
    MAPLE(n_synthetic=20, evolution_rounds=1, variations=2),
    AugPE(n_synthetic=20, evolution_rounds=1, variations=2),
)


def study(audiences=(VENDOR, BROKER), methods=METHODS, **changes) -> Study:
    return Study(
        "Test", WorkspaceCorpus("later"), tuple(audiences), tuple(methods), evaluation=SETTINGS, **changes
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "ws")


def here(workspace: Workspace, what: Study) -> Study:
    return what.on_workspace_corpus(workspace.add_corpus(corpus()))


def roles(**changes) -> Roles:
    return Roles(HashEmbedderDouble(), GeneratorDouble(**changes), None, ClassifierDouble())


def test_every_method_is_run_and_evaluated_for_every_audience(workspace: Workspace) -> None:
    seen = []
    comparison = run_study(
        here(workspace, study()), workspace, roles=roles(), progress=lambda *a: seen.append(a)
    )
    assert comparison.failures == ()
    assert {(r.audience, r.method) for r in comparison.runs} == {
        (a, m) for a in ("Vendor", "Broker") for m in ("SDG-CI", "MAPLE", "Aug-PE")
    }
    # Two for SDG-CI, one for each of the methods that all audiences share.
    assert [e.audience for e in workspace.ledger.lines()] == [
        "Vendor",
        "Broker",
        "all audiences",
        "all audiences",
    ]
    shared = [r.run_id for r in comparison.runs if r.method == "MAPLE"]
    assert len(shared) == 2 and len(set(shared)) == 1
    assert [s[1:] for s in seen if s[0] == RUNS] == [(i, 4) for i in range(5)]
    run = comparison.to_json_dict()["audiences"]["Broker"]["runs"][0]
    assert run["epsilon"] == 1.0 and run["seed_free"] and run["n_private"] == 30 and run["n_released"] == 20
    assert run["seconds"]["evaluation"] > 0 and run["model"]["generator"]["name"] == "generator double"
    for text in ("SECRET", "words"):
        assert text not in json.dumps(comparison.to_json_dict())


def test_asking_again_costs_nothing(workspace: Workspace) -> None:
    what = here(workspace, study())
    first = run_study(what, workspace, roles=roles())
    again = roles(dies_at=0)
    second = run_study(what, workspace, roles=again)
    assert second.to_json_dict() == first.to_json_dict()
    assert again.generator.calls == 0 and again.embedder.texts == 0
    assert len(workspace.ledger.lines()) == 4


def test_going_back_to_an_earlier_epsilon_costs_nothing(workspace: Workspace) -> None:
    one, ten = METHODS[0], replace(METHODS[0], epsilon=10.0)
    for config in (one, ten):
        run_study(here(workspace, study(methods=(config,))), workspace, roles=roles())
    back = roles(dies_at=0)
    run_study(here(workspace, study(methods=(one,))), workspace, roles=back)
    assert back.generator.calls == 0 and len(workspace.ledger.lines()) == 4
    key = workspace.corpora()[0].key
    assert {r.epsilon for r in workspace.comparison(key).runs} == {1.0, 10.0}


@pytest.mark.parametrize(
    "change",
    [
        lambda s: replace(s, seed=1),
        lambda s: replace(s, methods=(replace(METHODS[0], variations=3),)),
        lambda s: replace(
            s, audiences=(replace(VENDOR, partition=Partition("Vendor", ("topic",), ("age", "sex"), YES)),)
        ),
    ],
)
def test_what_decides_the_result_makes_a_new_run(workspace: Workspace, change) -> None:
    base = here(workspace, study(audiences=(VENDOR,), methods=METHODS[:1]))
    run_study(base, workspace, roles=roles())
    run_study(change(base), workspace, roles=roles())
    assert len(workspace.ledger.lines()) == 2


def test_an_approval_or_other_metrics_make_no_new_run(workspace: Workspace) -> None:
    unapproved = replace(VENDOR, partition=replace(VENDOR.partition, approval=None))
    base = here(workspace, study(audiences=(unapproved,)))
    run_study(base, workspace, roles=roles())
    settings = replace(SETTINGS, group_attribute="sex")
    later = run_study(
        replace(base, audiences=(VENDOR,), evaluation=settings), workspace, roles=roles(dies_at=0)
    )
    assert later.failures == () and len(workspace.ledger.lines()) == 3
    assert all(r.release["partition"]["approval"]["name"] == "R. Viewer" for r in later.runs)


class Killed(BaseException):
    """The process dies: nothing after it runs."""


@pytest.mark.parametrize("moment", range(24))
def test_a_kill_at_any_write_is_resumed_without_paying_twice(
    workspace: Workspace, monkeypatch, moment: int
) -> None:
    """Every file that a run writes is a moment to die at, just before and just after it."""
    what = here(workspace, study(audiences=(VENDOR,), methods=METHODS[:1]))
    real, count = files.write_bytes, {"n": 0}

    def dying(path: Path, data: bytes) -> None:
        if "runs" in path.parts:
            count["n"] += 1
            if count["n"] - 1 == moment // 2:
                if moment % 2:
                    real(path, data)
                raise Killed
        real(path, data)

    with monkeypatch.context() as patch:
        patch.setattr(files, "write_bytes", dying)
        with pytest.raises(Killed):
            run_study(what, workspace, roles=roles())
    (stored,) = workspace.runs(what.corpus.key) or [None]
    assert stored is None or stored.status in ("interrupted", "done")

    comparison = run_study(what, Workspace(workspace.root), roles=roles())
    assert len(comparison.runs) == 1 and comparison.failures == ()
    lines = workspace.ledger.lines()
    whole = [e for e in lines if "/" not in e.run_id]
    assert len(whole) == 1
    # A stage that began and was lost may have drawn noise, so it is paid for again; nothing else is.
    for extra in (e for e in lines if "/" in e.run_id):
        assert extra.run_id.endswith("again-1") and extra.rho < whole[0].rho
    assert workspace.runs(what.corpus.key)[0].status == "done"


def test_a_model_that_disappears_stops_the_rest_and_keeps_the_finished(workspace: Workspace) -> None:
    what = here(workspace, study())
    dying = roles(dies_at=3)  # in the second run
    with pytest.raises(StudyStopped, match="server is gone") as stopped:
        run_study(what, workspace, roles=dying)
    kept = stopped.value.comparison
    assert [(r.audience, r.method) for r in kept.runs] == [("Vendor", "SDG-CI")]
    assert [(f.audience, f.method, f.message.startswith("Not run")) for f in kept.failures] == [
        ("Broker", "SDG-CI", False),
        ("Vendor", "MAPLE", True),
        ("Broker", "MAPLE", True),
        ("Vendor", "Aug-PE", True),
        ("Broker", "Aug-PE", True),
    ]
    assert [r.status for r in workspace.runs(what.corpus.key)] == ["done", "failed"]

    assert run_study(what, workspace, roles=roles()).failures == ()
    assert len(workspace.ledger.lines()) == 4


def test_one_run_that_fails_does_not_stop_the_others(workspace: Workspace) -> None:
    bad = replace(METHODS[0], n_synthetic=20, epsilon=2.0)
    what = here(workspace, study(audiences=(VENDOR,), methods=(bad, *METHODS)))
    broken = roles(dies_at=0, error=ValueError("SECRET7 words"))
    comparison = run_study(what, workspace, roles=broken)
    assert len(comparison.runs) == 0 and len(comparison.failures) == 4
    message = comparison.failures[0].message
    assert "ValueError in test_runner.py, line" in message and "SECRET" not in message
    with pytest.raises(ValueError):
        run_study(what, workspace, roles=broken, debug=True)
    for path in workspace.root.rglob("*"):
        if path.is_file() and "parts" not in path.parts:
            assert "SECRET7" not in path.read_text("utf-8")


def test_a_full_disk_stops_with_a_message_and_keeps_the_finished(workspace: Workspace, monkeypatch) -> None:
    what = here(workspace, study())
    real = RunFolder.save_release

    def full_at_the_second(folder: RunFolder, release) -> None:
        if release.audience == "Broker":
            monkeypatch.setattr(os, "fsync", full)
        real(folder, release)

    def full(handle):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(RunFolder, "save_release", full_at_the_second)
        with pytest.raises(StudyStopped, match="disk is full") as stopped:
            run_study(what, workspace, roles=roles())
    monkeypatch.undo()
    assert [r.audience for r in stopped.value.comparison.runs] == ["Vendor"]
    assert run_study(what, workspace, roles=roles()).failures == ()
    assert len([e for e in workspace.ledger.lines() if "/" not in e.run_id]) == 4


def test_cancel_keeps_what_is_finished(workspace: Workspace) -> None:
    what, token = here(workspace, study()), CancelToken()

    def watch(stage: str, done: int, total: int) -> None:
        if stage == RUNS and done == 1:
            token.cancel()

    with pytest.raises(Cancelled):
        run_study(what, workspace, roles=roles(), progress=watch, cancel=token)
    assert [r.status for r in workspace.runs(what.corpus.key)] == ["done"]
    assert len(workspace.comparison(what.corpus.key).runs) == 1


def test_cancel_inside_a_run_is_not_a_failure(workspace: Workspace) -> None:
    what = here(workspace, study(audiences=(VENDOR,), methods=METHODS[:1]))
    stopping = roles(dies_at=1, error=Cancelled("stop"))
    with pytest.raises(Cancelled):
        run_study(what, workspace, roles=stopping)
    (run,) = workspace.runs(what.corpus.key)
    assert run.status == "cancelled" and run.release is None
    run_study(what, workspace, roles=roles())
    assert len(workspace.ledger.lines()) == 1


def test_a_partition_that_does_not_fit_stops_before_anything_is_paid(workspace: Workspace) -> None:
    bad = replace(VENDOR, partition=Partition("Vendor", ("topic",), ("age",), YES))
    with pytest.raises(BadInput, match="says nothing about.*sex"):
        run_study(here(workspace, study(audiences=(bad,))), workspace, roles=roles())
    assert workspace.ledger.lines() == []


def test_classified_audiences_are_unreviewed_and_not_exportable(workspace: Workspace) -> None:
    what = here(workspace, study(audiences=(StudyAudience(VENDOR.audience),), methods=METHODS[:1]))
    comparison = run_study(what, workspace, roles=roles())
    block = comparison.to_json_dict()["audiences"]["Vendor"]
    assert (
        block["partition"] == {"public": ["sex", "topic"], "private": ["age"]} and block["reviewed"] is None
    )
    state = workspace.state(what.corpus.key)
    assert state.approved == () and len(state.judgements["Vendor"]) == 3


def test_a_study_adds_its_audiences_but_changes_none(workspace: Workspace) -> None:
    what = here(workspace, study(methods=METHODS[:1]))
    run_study(what, workspace, roles=roles())
    key = what.corpus.key
    assert workspace.state(key).approved == ("Vendor", "Broker")
    moved = replace(VENDOR, partition=Partition("Vendor", ("topic",), ("age", "sex")))
    run_study(replace(what, audiences=(moved,)), workspace, roles=roles())
    assert workspace.state(key).partitions["Vendor"].public == ("sex", "topic")
    # Compare shows runs under the partitions as they are in the project.
    assert {tuple(r.release["partition"]["public"]) for r in workspace.comparison(key).of("Vendor")} == {
        ("sex", "topic")
    }


def test_runs_under_an_earlier_schema_are_kept_but_not_compared(workspace: Workspace) -> None:
    what = here(workspace, study(methods=METHODS[:1]))
    run_study(what, workspace, roles=roles())
    key = what.corpus.key
    schema = corpus().schema.with_attribute(Attribute("sex", ("f", "m", "Not stated")))
    workspace.save_corpus(key, corpus().with_schema(schema), "Another value")
    assert len(workspace.runs(key)) == 2 and workspace.comparison(key).runs == ()


def test_a_plan_touches_nothing_and_knows_what_is_finished(workspace: Workspace) -> None:
    what = here(workspace, study())
    planned = plan_study(what, workspace, roles=roles(dies_at=0))
    assert [p.finished for p in planned] == [False] * 4 and workspace.ledger.lines() == []
    assert [p.run.title for p in planned][:3] == [
        "SDG-CI, ε = 1, Vendor",
        "SDG-CI, ε = 1, Broker",
        "MAPLE, ε = 1, all audiences",
    ]
    run_study(replace(what, methods=METHODS[:1]), workspace, roles=roles())
    assert [p.finished for p in plan_study(what, workspace, roles=roles())] == [True, True, False, False]


def test_a_run_that_another_process_works_on_is_left_alone(workspace: Workspace) -> None:
    what = here(workspace, study(audiences=(VENDOR,), methods=METHODS[:1]))
    (planned,) = plan_study(what, workspace, roles=roles())
    with RunFolder(workspace.run_folder(planned.run.run_id)).work.lock():
        comparison = run_study(what, workspace, roles=roles())
    assert "Another ctxpriv process" in comparison.failures[0].message
    assert workspace.ledger.lines() == []


def test_an_approval_despite_warnings_without_a_reason_runs_nothing(workspace: Workspace) -> None:
    """Two texts an author: check (d) warns, whatever else does."""
    authors = tuple(f"a{i // 2}" for i in range(60))
    key = workspace.add_corpus(replace(corpus(), authors=authors))
    silent = replace(VENDOR, partition=VENDOR.partition.approved(Approval("R. Viewer", "2026-11-29", " ")))
    what = study([silent], METHODS[:1]).on_workspace_corpus(key)
    with pytest.raises(BadInput, match="'Vendor'.*no reason.*people with several texts"):
        run_study(what, workspace, roles=roles())
    assert workspace.ledger.lines() == [] and workspace.state(key).audiences == ()
    told = run_study(study([VENDOR], METHODS[:1]).on_workspace_corpus(key), workspace, roles=roles())
    assert len(told.runs) == 1
