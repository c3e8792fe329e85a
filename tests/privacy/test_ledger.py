from __future__ import annotations

import errno
import json
import math
from dataclasses import replace

import pytest

from ctxpriv.context import ALL_AUDIENCES
from ctxpriv.errors import BadInput
from ctxpriv.privacy.accounting import epsilon_from
from ctxpriv.privacy.ledger import DP_SCHEMA, Ledger, LedgerEntry

ENTRY = LedgerEntry(
    run_id="r1",
    corpus="c",
    audience="vendor",
    public=("topic", "sex"),
    private=("age",),
    mechanism="SDG-CI",
    relation="add/drop",
    rho=0.06,
    epsilon=1.0,
    delta=1e-3,
    schema_provenance="declared",
)


@pytest.fixture(params=["file", "memory"])
def ledger(request, tmp_path):
    return Ledger(tmp_path / "ledger.jsonl" if request.param == "file" else None)


def test_charge_is_idempotent_by_run(ledger):
    assert ledger.charge(ENTRY)
    assert not ledger.charge(ENTRY)
    assert len(ledger.lines()) == 1
    with pytest.raises(BadInput, match="another cost"):
        ledger.charge(replace(ENTRY, rho=0.07))


def test_a_line_gets_a_random_name_for_cards_that_stays(ledger):
    ledger.charge(ENTRY)
    ledger.charge(replace(ENTRY, run_id="r2"))
    ledger.charge(ENTRY)
    ledger.mark_released("r1")
    first, second = (line.card_id for line in ledger.lines())
    assert len(first) == len(second) == 16 and first != second
    assert [line.card_id for line in ledger.lines()] == [first, second]


def test_only_releases_count_and_they_compose(ledger):
    ledger.charge(ENTRY)
    ledger.charge(replace(ENTRY, run_id="r2", audience="advertiser", public=("word_count", "topic")))
    ledger.charge(replace(ENTRY, run_id="r3", audience="advertiser"))
    ledger.charge(replace(ENTRY, run_id="r4", corpus="other"))
    assert ledger.total("c", 1e-3).rho == 0
    for run in ("r1", "r2", "r4", "r2"):
        ledger.mark_released(run)
    both = ledger.total("c", 1e-3, ["vendor", "advertiser"])
    assert both.rho == pytest.approx(0.12)
    assert both.epsilon == pytest.approx(epsilon_from(0.12, 1e-3))
    assert set(both.public) == {"topic", "sex", "word_count"}
    assert both.runs == 2
    assert ledger.total("c", 1e-3, ["advertiser"]).rho == pytest.approx(0.06)
    assert [e.released for e in ledger.lines()] == [True, True, False, True]


def test_a_sum_over_users_and_records_is_said_to_hold_for_one_record(ledger):
    for run, relation in (("u1", "add/drop of one user"), ("u2", "add/drop of one user"), ("r", "add/drop")):
        ledger.charge(replace(ENTRY, run_id=run, relation=relation))
        ledger.mark_released(run)
        total = ledger.total("c", 1e-3)
        assert total.mixed == (run == "r") and ("one record, not for" in total.caveat) == total.mixed


def test_a_release_for_everybody_counts_for_each_audience(ledger):
    ledger.charge(ENTRY)
    ledger.charge(replace(ENTRY, run_id="r2", audience=ALL_AUDIENCES, public=(), mechanism="MAPLE"))
    for run in ("r1", "r2"):
        ledger.mark_released(run)
    total = ledger.total("c", 1e-3, ["vendor"])
    assert (total.runs, total.rho) == (2, pytest.approx(0.12))
    assert ledger.total("c", 1e-3, ["advertiser"]).runs == 1


def test_what_one_knows_by_its_bucket_and_another_as_it_is_is_known_as_it_is(ledger):
    ledger.charge(replace(ENTRY, coarsened=("town", "age"), private=()))
    ledger.charge(replace(ENTRY, run_id="r2", audience="advertiser", public=("town",)))
    for run in ("r1", "r2"):
        ledger.mark_released(run)
    assert ledger.total("c", 1e-3, ["vendor"]).coarsened == ("town", "age")
    both = ledger.total("c", 1e-3, ["vendor", "advertiser"])
    assert set(both.public) == {"topic", "sex", "town"} and both.coarsened == ("age",)
    assert ledger.lines()[0].coarsened == ("town", "age")


def test_an_uncharged_run_cannot_be_released(ledger):
    with pytest.raises(BadInput, match="not in the ledger"):
        ledger.mark_released("r1")


def test_infinite_epsilon_is_kept(ledger):
    ledger.charge(replace(ENTRY, epsilon=math.inf))
    assert ledger.lines()[0].epsilon == math.inf


def test_another_process_sees_the_same_lines(tmp_path):
    Ledger(tmp_path / "l.jsonl").charge(ENTRY)
    again = Ledger(tmp_path / "l.jsonl").lines()[0]
    assert replace(again, date="") == ENTRY
    assert again.date


def test_a_half_written_last_line_is_reported_and_kept_apart(tmp_path):
    path = tmp_path / "l.jsonl"
    ledger = Ledger(path)
    ledger.charge(ENTRY)
    whole = path.read_bytes()
    path.write_bytes(whole + whole[:50])
    assert ["line 2" in p for p in ledger.problems()] == [True]
    ledger.charge(replace(ENTRY, run_id="r2"))
    assert [e.run_id for e in ledger.lines()] == ["r1", "r2"]
    assert path.read_bytes().startswith(whole + whole[:50])
    with pytest.raises(BadInput, match="line 2"):
        ledger.total("c", 1e-3)


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\x1c", "\r", "\n", "\ud800"])
def test_names_with_any_line_separator_stay_one_line(tmp_path, mark):
    """`str.splitlines` cuts at all of them; a cut line would lose a cost."""
    path = tmp_path / "l.jsonl"
    entry = replace(ENTRY, audience=f"a{mark}b", public=(f"x{mark}y",))
    assert Ledger(path).charge(entry)
    assert not Ledger(path).charge(entry) and not Ledger(path).problems()
    assert Ledger(path).lines()[0].audience == f"a{mark}b"
    Ledger(path).mark_released("r1")
    assert Ledger(path).total("c", 1e-3).runs == 1


def test_a_full_disk_leaves_no_half_line(tmp_path, monkeypatch):
    path = tmp_path / "l.jsonl"
    Ledger(path).charge(ENTRY)

    def full(_):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(OSError):
        Ledger(path).charge(replace(ENTRY, run_id="r2"))
    monkeypatch.undo()
    assert [e.run_id for e in Ledger(path).lines()] == ["r1"] and not Ledger(path).problems()


def test_releases_on_the_same_records_count_under_any_schema(ledger):
    """An edited schema gives the corpus another digest, but the people are the same."""
    ledger.charge(replace(ENTRY, records="texts"))
    ledger.charge(replace(ENTRY, run_id="r2", corpus="c after an edit", records="texts", public=("town",)))
    ledger.charge(replace(ENTRY, run_id="r3", corpus="unrelated", records="other texts"))
    for run in ("r1", "r2", "r3"):
        ledger.mark_released(run)
    for digest in ("c", "c after an edit"):
        total = ledger.total(digest, 1e-3)
        assert (total.runs, total.rho) == (2, pytest.approx(0.12))
        assert set(total.public) == {"topic", "sex", "town"}
    assert ledger.total("unrelated", 1e-3).runs == 1


def test_releases_count_before_anything_was_run_on_the_edited_corpus(ledger):
    ledger.charge(replace(ENTRY, records="texts"))
    ledger.mark_released("r1")
    assert ledger.total("edited", 1e-3).runs == 0
    assert ledger.total("edited", 1e-3, records="texts").runs == 1


@pytest.mark.parametrize(
    "change", [{"public": ("topic",)}, {"private": ()}, {"delta": 1e-4}, {"corpus": "d"}]
)
def test_a_run_id_belongs_to_one_purpose(ledger, change):
    ledger.charge(ENTRY)
    with pytest.raises(BadInput, match="another cost or purpose"):
        ledger.charge(replace(ENTRY, **change))


SCHEMA_PASS = replace(
    ENTRY,
    run_id="schema",
    audience=ALL_AUDIENCES,
    public=(),
    mechanism=DP_SCHEMA,
    delta=1e-5,
    extra_delta=2e-5,
    records="texts",
    released=True,
)


def test_what_rho_does_not_pay_of_delta_is_added_to_the_total(ledger):
    ledger.charge(SCHEMA_PASS)  # released by the same line
    ledger.charge(replace(ENTRY, records="texts"))
    assert ledger.total("c", 1e-3).delta == pytest.approx(1e-3 + 2e-5)
    ledger.mark_released("r1")
    total = ledger.total("c", 1e-3, ["vendor"])
    assert (total.runs, total.rho) == (2, pytest.approx(0.12))
    assert total.epsilon == pytest.approx(epsilon_from(0.12, 1e-3))
    assert total.delta == pytest.approx(1e-3 + 2e-5)
    with pytest.raises(BadInput, match="another cost"):
        ledger.charge(replace(SCHEMA_PASS, extra_delta=3e-5))


def test_released_passes_that_found_attributes_are_found_by_their_records(ledger):
    ledger.charge(SCHEMA_PASS)
    ledger.charge(replace(SCHEMA_PASS, run_id="again", mechanism=f"{DP_SCHEMA}: drawn again"))
    ledger.charge(replace(SCHEMA_PASS, run_id="research", released=False))
    ledger.charge(replace(SCHEMA_PASS, run_id="others", records="other texts"))
    ledger.charge(replace(ENTRY, records="texts", released=True))
    assert [e.run_id for e in ledger.schema_runs("texts")] == ["schema", "again"]


def test_lines_written_before_there_was_an_extra_delta_are_read(tmp_path):
    path = tmp_path / "ledger.jsonl"
    Ledger(path).charge(ENTRY)
    line = json.loads(path.read_text("utf-8"))
    del line["extra_delta"], line["coarsened"]
    path.write_text(json.dumps(line) + "\n", "utf-8")
    assert Ledger(path).problems() == []
    assert Ledger(path).lines()[0].extra_delta == 0
    assert not Ledger(path).charge(ENTRY)


def test_releases_without_a_guarantee_are_counted_apart(ledger):
    ledger.charge(replace(ENTRY, rho=0.1, released=True))
    ledger.charge(
        replace(ENTRY, run_id="r2", rho=math.inf, epsilon=math.inf, delta=0.0, empirical=True, released=True)
    )
    total = ledger.total("c", 1e-3)
    assert (total.rho, total.runs, total.empirical) == (0.1, 1, 1) and total.epsilon < 10
    assert "this one leaves them out" in total.caveat
