"""Another method is its own folder and one line in the registry: a toy one goes all the way."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass

import numpy as np
import pandas as pd
import pytest

from ctxpriv import figures
from ctxpriv.cli import main
from ctxpriv.context import Approval
from ctxpriv.corpus import Corpus
from ctxpriv.models.base import ModelIdentity
from ctxpriv.outputs import write_outputs
from ctxpriv.privacy.guarantee import empirical
from ctxpriv.privacy.ledger import LedgerEntry
from ctxpriv.privatize.plan import RunPlan
from ctxpriv.privatize.registry import METHODS, MethodEntry
from ctxpriv.privatize.release import Release
from ctxpriv.roles import Roles
from ctxpriv.run_store import RunFolder, for_audience
from ctxpriv.runner import plan_study, run_study
from ctxpriv.schema import Attribute, Schema
from ctxpriv.study import Study
from ctxpriv.workspace import Workspace


@dataclass(frozen=True)
class Redaction:
    """A toy: every text becomes its first word, the same for all audiences."""

    mark: str = "[…]"

    name = "Redaction"
    family = "rewritten"
    protects = "default partition"
    played_by = ("embedder",)

    def to_dict(self):
        return {"method": self.name, **asdict(self)}

    def plan(self, facts, partition, roles):
        return RunPlan(
            self.name, partition.audience, "No guarantee.", None, None, None, (), None, 0, 0, 0, None
        )

    def run(self, corpus, partition, roles, *, ledger, run_id, checkpoint, seed, progress, cancel):
        private = corpus.part("private")
        inf = float("inf")
        ledger.charge(
            LedgerEntry(run_id, corpus.digest, partition.audience, partition.public, partition.private,
                        self.name, "none", inf, inf, 0.0, "declared", empirical=True)
        )  # fmt: skip
        shown = [n for n in corpus.schema.names if n in partition.public]
        texts = [f"{t.split()[0]} {self.mark}" for t in private.texts]
        records = pd.concat([pd.DataFrame({"text": texts}, dtype=object), private.table[shown]], axis=1)
        return Release(
            self.name, partition.audience, partition, self.to_dict(), empirical(self.name), records,
            n_private=len(private), origin=tuple(range(len(private))),
        )  # fmt: skip


class EmbedderDouble:
    """Test double: unit vectors by length of the text."""

    identity, dimension = ModelIdentity("local", "length embedder (test double)"), 2

    def embed(self, texts, **_):
        angle = np.array([len(t) % 7 for t in texts], np.float32)
        return np.stack([np.cos(angle), np.sin(angle)], axis=1).astype(np.float32)


@pytest.fixture
def study(monkeypatch, tmp_path):
    monkeypatch.setitem(METHODS, "Redaction", MethodEntry.of(Redaction, "#000000", "A toy for this test."))
    rng, n = np.random.default_rng(0), 120
    schema = Schema((Attribute("town", ("Bonn", "Ulm")), Attribute("topic", ("work", "home"))))
    table = pd.DataFrame({a.name: rng.choice(a.values, n) for a in schema.attributes}).astype(object)
    texts = tuple(f"{r.topic} from {r.town} {i}" for i, r in table.iterrows())
    splits = np.array(["private"] * 60 + ["test"] * 30 + ["donated"] * 30, object)
    corpus = Corpus("tiny", tuple(map(str, range(n))), texts, table, schema, splits, "topic")
    workspace = Workspace(tmp_path / "ws")
    sides = {"public": ["topic"], "private": ["town"]}
    approved = {"name": "R. Viewer", "date": "2026-11-30", "note": "made up"}
    audiences = [
        {"name": n, "recipient": "r", "purpose": "p", **sides, "approved_by": approved} for n in ("A", "B")
    ]
    data = {
        "corpus": {"workspace": workspace.add_corpus(corpus)},
        "audiences": audiences,
        "methods": [{"method": "Redaction", "mark": "…"}],
        "evaluation": {"bootstrap": 10, "refits": 5, "mauve_resamples": 1},
        "default_partition": sides,
    }
    return Study.from_dict(json.loads(json.dumps(data))), workspace


def test_a_new_method_goes_all_the_way(study, tmp_path, capsys):
    study, workspace = study
    roles = Roles(EmbedderDouble(), None)
    (planned,) = plan_study(study, workspace, roles=roles)
    assert planned.run.title == "Redaction, all audiences"
    comparison = run_study(study, workspace, roles=roles, debug=True)
    assert not comparison.failures
    assert [(r.audience, r.method, r.epsilon) for r in comparison.runs] == [
        ("A", "Redaction", None), ("B", "Redaction", None),
    ]  # fmt: skip
    assert len({r.run_id for r in comparison.runs}) == 1, "one release for both"
    stored = json.loads(json.dumps(comparison.to_json_dict(), allow_nan=False))
    assert stored["audiences"]["A"]["runs"][0]["epsilon"] is None
    written = write_outputs(comparison, workspace, tmp_path / "out", bundles=True)
    assert [p.name for p in written if p.suffix == ".zip"] and figures.radar(comparison, "A", None)
    assert main(["ledger", "--workspace", str(workspace.root)]) == 0
    assert "no formal guarantee" in capsys.readouterr().out


def test_real_values_that_an_audience_may_not_have_are_not_exported(study):
    """A release for the default partition is not fit for an audience with a stricter one."""
    study, workspace = study
    comparison = run_study(study, workspace, roles=Roles(EmbedderDouble(), None), debug=True)
    release = RunFolder(workspace.run_folder(comparison.runs[0].run_id)).release()
    approval = Approval("R. Viewer", "2026-11-30")
    for_audience(release, release.partition.approved(approval)).check_exportable()
    strict = release.partition.moved("topic", "private").approved(approval)
    with pytest.raises(Exception, match="values of topic as they are"):
        for_audience(release, strict).check_exportable()
