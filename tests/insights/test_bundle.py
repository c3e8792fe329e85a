"""The zip of a summary: what is in it, what is not, and when it is refused."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from functools import partial

import pytest
from filelock import FileLock

from ctxpriv.context import Approval
from ctxpriv.errors import CtxprivError, NotReleasable
from ctxpriv.insights.bundle import card, card_text, export_insight, plan_csv
from ctxpriv.insights.outputs import release_of, write_insights
from ctxpriv.insights.runner import run_insights
from ctxpriv.privacy.ledger import Ledger
from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.semantic_plan import plan_of

YES = Approval("R. Viewer", "2026-11-30", "")


@pytest.fixture
def result(study, workspace, roles):
    return run_insights(study(), workspace, roles=roles).runs[0]


def test_a_bundle_holds_words_plan_and_card_and_marks_the_ledger(result, workspace, tmp_path) -> None:
    path = export_insight(release_of(result), tmp_path / "out.zip", workspace.ledger, YES)
    with zipfile.ZipFile(path) as archive:
        assert sorted(archive.namelist()) == ["card.json", "card.md", "plan.csv", "plan.json", "summary.txt"]
        facts = json.loads(archive.read("card.json"))
        told = archive.read("card.md").decode()
        plan = json.loads(archive.read("plan.json"))
    assert workspace.ledger.lines()[0].released
    assert facts["guarantee"]["epsilon"] == 1
    assert "overlap" not in json.dumps(facts)  # nothing that was measured against private records
    assert "R. Viewer" in told
    assert "values of the donated records" in told
    assert "as TF-IDF read it" in told
    assert len(plan["sketch"]) == len(result.measurement.atoms)
    assert facts["ledger_line"] == workspace.ledger.lines()[0].card_id in told


def test_nothing_outside_is_a_digest_of_the_records(study, workspace, roles, corpus, tmp_path) -> None:
    """By a run's id, whoever knows all records but one could try out the last: without any noise."""
    approved = [{"name": "A", "approved_by": {"name": "R", "date": "2026-11-30"}}]
    texts = (*corpus.texts[:99], "Another text.", *corpus.texts[100:])
    there = {"workspace": workspace.add_corpus(replace(corpus, name="other", texts=texts))}
    names = []
    for i, plan in enumerate((study(audiences=approved), study(audiences=approved, corpus=there))):
        found = run_insights(plan, workspace, roles=roles)
        written = write_insights(found, workspace, tmp_path / str(i), bundles=True)
        (path,) = (p for p in written if p.suffix == ".zip")
        names.append(path.name)
        with zipfile.ZipFile(path) as archive:
            told = "".join(archive.read(n).decode() for n in archive.namelist())
        digests = (found.runs[0].run_id, *found.runs[0].corpus.values())
        assert not [d for d in digests if len(d) > 8 and d[:6] in told + path.name]
    assert names[0] == names[1]


def test_a_baselines_card_tells_of_what_it_counted(study, workspace, roles, corpus, tmp_path) -> None:
    read_off = tuple(replace(a, provenance="observed") for a in corpus.schema.attributes)
    seen = replace(corpus, schema=replace(corpus.schema, attributes=read_off))
    asked = study(
        corpus={"workspace": workspace.add_corpus(seen)},
        methods=["DP-SPIN", {"method": "DP category histogram", "column": "region"}, "DP keyword histogram",
                 "URANIA-style"],
        measure={"size": 2, "k": 2, "unit": "user", "bound": 2, "denominator": 40, "delta": 1e-3},
    )  # fmt: skip
    found = {r.title: release_of(r) for r in run_insights(asked, workspace, roles=roles).runs}
    spin, regions, keywords, clusters = (card_text(card(r, YES, "x")) for r in found.values())
    read = "without differential privacy"
    assert f"may be made of was read off all records {read}: theme." in spin
    assert f"Which values are counted was read off all records {read}: region." in regions
    assert "2 of 6 concepts" in spin and "add at most 2 to the sketch" in spin
    for told in (regions, keywords, clusters):
        assert "concepts" not in told.split("## How to read it")[1].split("Support in words")[0]
        assert "TF-IDF similarity" not in told and "count as 2 at most" in told
        assert "values of the schema, or words of donated texts" in told
    assert "2 of 2 values or words that were counted" in regions
    assert read not in keywords + clusters


def test_a_reference_never_leaves(study, workspace, roles, tmp_path) -> None:
    (run,) = run_insights(study(methods=["Non-private top-L"]), workspace, roles=roles).runs
    with pytest.raises(NotReleasable, match="must stay here"):
        export_insight(release_of(run), tmp_path / "out.zip", workspace.ledger, YES)
    assert not list(tmp_path.glob("*.zip"))


def test_nothing_leaves_unapproved_or_uncharged(result, workspace, tmp_path) -> None:
    with pytest.raises(NotReleasable, match="nobody has approved"):
        export_insight(release_of(result), tmp_path / "out.zip", workspace.ledger, None)
    with pytest.raises(NotReleasable, match="not in the ledger"):
        export_insight(release_of(result), tmp_path / "out.zip", Ledger(None), YES)
    assert not workspace.ledger.lines()[0].released
    assert not list(tmp_path.glob("*.zip"))


def test_rejected_drafts_stay_with_the_curator(result) -> None:
    release = release_of(result)
    assert "attempts" not in json.dumps(card(release, YES, "x"))


def test_names_on_the_card_are_text(result) -> None:
    release = replace(release_of(result), audience="<b>x</b> ![p](http://e.org/p.png) | y")
    told = card_text(card(release, replace(YES, name="[me](http://e.org)"), "x"))
    assert "<b>" not in told.replace("\\<b", "")
    assert "![p](" not in told
    assert "[me](" not in told


def test_a_label_is_no_formula_in_a_spreadsheet() -> None:
    atoms = AtomSet((Atom("=1+1 late fee"), Atom("＝2+2 late fee")))
    plan = plan_of(
        atoms, {0: 3.0, 1: 2.0}, sketch=[3.0, 2.0], unit="record", bound=1, denominator=10, law="Laplace",
        noise_scale=1.0, mechanism="x", size=1,
    )  # fmt: skip
    assert ",'=1+1 late fee," in plan_csv(plan) and ",'＝2+2 late fee," in plan_csv(plan)


@pytest.mark.parametrize("name", ["no/out.zip", ".", "x" * 300])
def test_where_nothing_can_be_written_a_message_says_so(result, workspace, tmp_path, name) -> None:
    with pytest.raises(CtxprivError, match="Nothing was exported"):
        export_insight(release_of(result), tmp_path / name, workspace.ledger, YES)
    assert not list(tmp_path.glob("*.zip")) and not list(tmp_path.glob(".*"))


def test_a_ledger_that_is_held_is_said_to_be(result, workspace, tmp_path, monkeypatch) -> None:
    monkeypatch.setattr("ctxpriv.privacy.ledger.FileLock", partial(held_at_once, FileLock))
    with FileLock(str(workspace.root / "ledger.jsonl.lock")), pytest.raises(CtxprivError, match="holds the"):
        export_insight(release_of(result), tmp_path / "out.zip", workspace.ledger, YES)
    assert not list(tmp_path.glob("*.zip")) and not workspace.ledger.lines()[0].released


def held_at_once(lock, path, timeout):
    return lock(path, timeout=0)


def test_a_headless_run_leaves_its_files_and_bundles_only_what_was_approved(
    study, workspace, roles, tmp_path
) -> None:
    audiences = [{"name": "A", "approved_by": {"name": "R", "date": "2026-11-30"}}, "B"]
    methods = ["DP-SPIN", "Non-private top-L"]
    found = run_insights(study(audiences=audiences, methods=methods), workspace, roles=roles)
    written = write_insights(found, workspace, tmp_path / "out", bundles=True)
    names = [p.relative_to(tmp_path / "out").as_posix() for p in written]
    assert all(p.exists() for p in written)
    assert {"insights.json", "table.csv", "README.md"} <= set(names)
    zips = [n for n in names if n.endswith(".zip")]
    assert len(zips) == 1
    assert zips[0].startswith("bundles/A/DP-SPIN-Laplace-eps1")
    told = (tmp_path / "out" / "README.md").read_text()
    assert "must stay here" in told
    assert "nobody has approved" in told
    assert json.loads((tmp_path / "out" / "insights.json").read_text())["curator_only"]


def test_a_large_delta_is_warned_of_where_there_is_one(study, workspace, roles) -> None:
    measure = {"size": 3, "denominator": 50, "delta": 0.02}
    methods = ["DP-SPIN", {"method": "DP-SPIN", "mechanism": "gaussian"}]
    laplace, gaussian = run_insights(study(measure=measure, methods=methods), workspace, roles=roles).runs
    assert not any("Delta is large" in told for told in laplace.guarantee.sentences())
    assert any("Delta is large" in told for told in gaussian.guarantee.sentences())
