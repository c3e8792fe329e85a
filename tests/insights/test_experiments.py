"""Experiments of the page: run without a release, kept beside the corpus, gone with it."""

from __future__ import annotations

import pytest

from ctxpriv.errors import BadInput
from ctxpriv.files import WorkspaceFailed
from ctxpriv.insights.experiments import NAME, kept_experiments, run_experiments
from ctxpriv.insights.store import stored_insights
from ctxpriv.progress import Cancelled, CancelToken

QUICK = {"experiment": "size", "values": [1, 2], "epsilons": [1.0], "repeats": 2}


def test_they_are_kept_by_name_and_nothing_is_released_or_charged(study, workspace, roles) -> None:
    asked = study()
    (result,) = run_experiments(asked, [QUICK], workspace, roles)
    key = asked.corpus.key
    assert kept_experiments(workspace, key) == {"size": result}
    run_experiments(asked, [{"experiment": "k", "values": [1, 2], "repeats": 2}], workspace, roles)
    assert list(kept_experiments(workspace, key)) == ["size", "k"]
    assert stored_insights(workspace) == [] and workspace.ledger.lines() == []


def test_those_of_an_edited_corpus_are_not_shown_and_a_damaged_file_is_told(
    study, workspace, roles, corpus
) -> None:
    asked = study()
    run_experiments(asked, [QUICK], workspace, roles)
    key = asked.corpus.key
    workspace.save_corpus(key, corpus.subset(range(140)), "fewer records")
    assert kept_experiments(workspace, key) == {}
    path = workspace.root / "corpora" / key / NAME
    path.write_text('{"digest": "' + workspace.digest(key) + '"}')
    with pytest.raises(WorkspaceFailed, match="damaged"):
        kept_experiments(workspace, key)


def test_what_does_not_fit_is_told_before_anything_runs(study, workspace, roles) -> None:
    with pytest.raises(BadInput, match="no experiment is chosen"):
        run_experiments(study(), [], workspace, roles)
    with pytest.raises(BadInput, match="no experiment 'sizes'"):
        run_experiments(study(), [QUICK, "sizes"], workspace, roles)
    assert kept_experiments(workspace, study().corpus.key) == {}


def test_a_cancel_keeps_what_is_there(study, workspace, roles) -> None:
    asked, cancel = study(), CancelToken()

    def progress(stage: str, done: int, total: int) -> None:
        if stage.startswith("k:"):
            cancel.cancel()

    with pytest.raises(Cancelled):
        run_experiments(
            asked, [QUICK, {"experiment": "k", "repeats": 2}], workspace, roles,
            progress=progress, cancel=cancel,
        )  # fmt: skip
    assert list(kept_experiments(workspace, asked.corpus.key)) == ["size"]
