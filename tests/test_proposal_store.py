from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from filelock import FileLock, Timeout

from ctxpriv.corpus import Corpus
from ctxpriv.errors import BadInput
from ctxpriv.extract.agreement import FieldAgreement, Kappa
from ctxpriv.extract.coverage import Coverage
from ctxpriv.extract.quality import FieldQuality, SchemaQuality
from ctxpriv.files import WorkspaceFailed
from ctxpriv.proposal_store import JudgingSettings, ProposalStore, schema_id
from ctxpriv.schema import Attribute, Schema
from ctxpriv.schema_proposal import SchemaProposal
from ctxpriv.workspace import Workspace

SCHEMA = Schema((Attribute("town", ("Bonn", "Ulm", "Not stated"), provenance="prompted"),))
PAID = SchemaProposal("dp", SCHEMA, reads_private=True, epsilon=1.0, delta=1e-4, rho=0.02, run_id="a1")
QUALITY = SchemaQuality(
    (FieldQuality("town", 9, 2, 0.5, 0.7, 0.6),), 9, {"name": "m"},
    agreement=(FieldAgreement("town", 9, 1, Kappa(7, 0.6), Kappa(9, None, "same")),),
    coverage=Coverage(3.0, 2.5, 3.5, 9, {"cut off": 1}), failures={"cut off": 1},
)  # fmt: skip
SETTINGS = JudgingSettings("donated", 20, 10, 0, "m")


@pytest.fixture
def store(tmp_path) -> ProposalStore:
    workspace = Workspace(tmp_path)
    table = pd.DataFrame({"town": ["Bonn", "Ulm"]})
    splits = np.asarray(["private", "donated"], object)
    return ProposalStore(
        workspace, workspace.add_corpus(Corpus("c", ("a", "b"), ("x", "y"), table, SCHEMA, splits))
    )


def test_a_paid_proposal_survives_undo_and_a_restart(store):
    kept = store.keep(PAID)
    corpus = store.workspace.corpus(store.key)
    store.workspace.save_corpus(store.key, corpus.with_schema(SCHEMA), "edited")
    store.workspace.undo(store.key)
    again = ProposalStore(Workspace(store.workspace.root), store.key)
    assert [(k.id, k.proposal) for k in again.proposals()] == [(kept, PAID)]


def test_a_pass_that_has_given_something_is_pending_no_more(store):
    store.begin("a-1", {"epsilon": 1.0})
    store.begin("a-1", {"epsilon": 1.0})
    assert [(p.run_id, p.settings) for p in store.pending()] == [("a-1", {"epsilon": 1.0})]
    # The ledger may have charged a resumed pass under a further name.
    proposal = SchemaProposal("dp", SCHEMA, run_id="a-1#2")
    first, second = (store.keep(proposal, ended="a-1") for _ in range(2))
    assert first == second and len(store.proposals()) == 1 and store.pending() == ()


def test_the_same_proposal_is_kept_once_and_another_beside_it(store):
    first = store.keep(SchemaProposal("prompted", SCHEMA, seconds=9.0))
    assert store.keep(SchemaProposal("prompted", SCHEMA, seconds=0.1)) == first
    assert store.keep(SchemaProposal("prompted", SCHEMA, facts={"asked": 3})) != first
    assert store.keep(PAID) not in (first, store.keep(SchemaProposal("dp", SCHEMA, run_id="b2")))
    assert len(store.proposals()) == 4


def test_two_processes_do_not_work_on_one_pass(store):
    path = store.workspace.root / "locks" / "schema-1.lock"
    with store.working_on("schema-1"), pytest.raises(Timeout):
        FileLock(str(path), timeout=0).acquire()
    with FileLock(str(path), timeout=0):
        pass


def test_what_a_pass_paid_for_stays_when_it_is_given_up(store):
    for run_id in ("a-1", "b-2"):
        store.begin(run_id, {})
        store.checkpoint(run_id).save("released", [run_id])
    store.give_up("a-1")
    assert [p.run_id for p in store.pending()] == ["b-2"]
    assert [store.checkpoint(r).load("released") for r in ("a-1", "b-2")] == [["a-1"], ["b-2"]]
    with pytest.raises(BadInput, match="no run id"):
        store.checkpoint("../../x")


def test_figures_under_other_settings_never_stand_side_by_side(store):
    kept = store.keep(PAID)
    store.keep_quality(SETTINGS, kept, QUALITY)
    store.keep_quality(SETTINGS, schema_id(SCHEMA), QUALITY)
    assert store.judging().rows == {kept: QUALITY, schema_id(SCHEMA): QUALITY}
    other = JudgingSettings("private", 20, 10, 0, "m")
    store.keep_quality(other, kept, QUALITY)
    assert store.judging().settings == other and list(store.judging().rows) == [kept]


def test_removing_takes_the_figures_along_and_says_when_there_is_nothing(store):
    kept = store.keep(PAID)
    store.keep_quality(SETTINGS, kept, QUALITY)
    store.remove(kept)
    assert store.proposals() == () and store.judging().rows == {}
    with pytest.raises(BadInput, match="no such proposal"):
        store.remove(kept)


def test_an_empty_store_and_an_unknown_corpus(store):
    assert (store.proposals(), store.pending(), store.judging()) == ((), (), None)
    with pytest.raises(BadInput):
        ProposalStore(store.workspace, "nobody")


@pytest.mark.parametrize("broken", ["{", json.dumps({"proposals": [{}]}), json.dumps([1])])
def test_a_damaged_file_is_named(store, broken):
    store.keep(PAID)
    (store.workspace.root / "corpora" / store.key / "proposals.json").write_text(broken)
    with pytest.raises(WorkspaceFailed, match=r"proposals\.json.*damaged"):
        store.proposals()


def test_the_name_of_a_schema_follows_its_content():
    assert schema_id(SCHEMA) == schema_id(Schema.from_dict(SCHEMA.to_dict()))
    assert schema_id(SCHEMA) != schema_id(Schema((Attribute("town", ("Bonn", "Ulm")),)))
