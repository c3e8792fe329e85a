"""The plumbing for real: twelve forum records through the loop, the embedded model in every role.

It is a stand-in that cannot rewrite, so nothing is said of how well: what it gives back must be
parsed, judged, kept, and either released or withheld with a reason.
"""

from __future__ import annotations

import pytest

from ctxpriv.casting import study_roles
from ctxpriv.loaders.samples import load_sample, sample
from ctxpriv.model_choice import ModelChoice
from ctxpriv.privacy.ledger import Ledger
from ctxpriv.privatize.anon.episode import STOPS
from ctxpriv.privatize.anon.episode_file import EPISODES
from ctxpriv.privatize.anon.loop import same_text
from ctxpriv.privatize.anon.methods import AnonCI
from ctxpriv.run_store import RunFolder
from ctxpriv.work_folder import FolderCheckpoint
from ctxpriv.workspace import Workspace

pytestmark = pytest.mark.embedded


def test_twelve_records(tmp_path):
    by_model = dict.fromkeys(("rewriter", "privacy_evaluator", "utility_evaluator"), "model")
    roles = study_roles(ModelChoice("embedded", **by_model), Workspace(tmp_path / "workspace"))
    corpus, partition = load_sample("forum"), sample("forum").presets[1].partition
    told, ledger = [], Ledger(None)
    release = AnonCI(n_records=12, max_rounds=1).run(
        corpus,
        partition,
        roles,
        ledger=ledger,
        run_id="run",
        checkpoint=FolderCheckpoint(tmp_path / "checkpoints", tmp_path),
        progress=lambda stage, done, total: told.append((done, total)),
    )
    assert (tmp_path / EPISODES).exists()
    episodes = list(RunFolder(tmp_path).episodes())
    assert len(episodes) == 12 and told[-1] == (12, 12)
    assert {e.stop for e in episodes} <= set(STOPS)
    assert all(e.why_withheld for e in episodes if e.chosen is None)
    private, used = corpus.part("private"), release.outcome["model"]
    assert len(release.texts) + sum(release.outcome["withheld"].values()) == 12
    for row, text in zip(release.origin, release.texts, strict=True):
        episode = next(e for e in episodes if e.row == row)
        assert text.strip() and episode.original == private.texts[row]
        assert not same_text(text, episode.original) or not episode.rounds[0].open
    # A rewrite, two evaluators twice each, five fields in calls of three; fewer after failures.
    assert used["calls"] >= 12 * 2 and used["completion_tokens"] > 0 and used["model_seconds"] > 0
    assert [line.mechanism for line in ledger.lines()] == ["ANON-CI"]
