"""The zip that leaves: what is in it, what is not, and when it is refused."""

from __future__ import annotations

import json
import zipfile
from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

from ctxpriv.context import Approval, Partition
from ctxpriv.errors import CtxprivError, NotReleasable
from ctxpriv.privacy.budget import Charge
from ctxpriv.privacy.guarantee import DP, FEATURE_DP, empirical, guarantee_from
from ctxpriv.privacy.ledger import Ledger, LedgerEntry
from ctxpriv.privacy.noise import OpenDPNoise
from ctxpriv.privatize.release import Release
from ctxpriv.release_bundle import card, card_text, export_bundle

PARTITION = Partition("ML vendor", ("topic",), ("age",), Approval("R. Viewer", "2026-11-29", "after a talk"))
CHARGE = Charge("votes", "discrete Gaussian", Fraction(1, 20), 1.0, 3.2)


class NonPrivateNoiseDouble:
    private = False
    name = "a test double"


def release(partition: Partition = PARTITION, noise=None, **changes) -> Release:
    guarantee = guarantee_from(
        "SDG-CI",
        FEATURE_DP,
        [CHARGE],
        1e-3,
        noise or OpenDPNoise(),
        conditional_on=("The schema is treated as fixed.",),
        **changes,
    )
    records = pd.DataFrame(
        {"text": ["made up\none", "made up two"], "topic": ["a", "b"], "age": ["old", "young"]}
    )
    return Release(
        "SDG-CI",
        "ML vendor",
        partition,
        {"method": "SDG-CI", "epsilon": 1.0},
        guarantee,
        records,
        30,
        {"generator": {"kind": "local", "name": "recombination", "digest": "", "place": "this machine"}},
        {"table": 1.0},
        ({"round": 0},),
        ("3 texts were dropped.",),
    )


def ledger(path: Path | None = None, **changes) -> Ledger:
    out = Ledger(path)
    out.charge(
        LedgerEntry(
            "run-1",
            "digest",
            "ML vendor",
            ("topic",),
            ("age",),
            "SDG-CI",
            "add/drop of one record",
            **{"rho": 0.05, "epsilon": 1.0, "delta": 1e-3, "schema_provenance": "declared", **changes},
        )
    )
    return out


def test_a_bundle_holds_records_and_card_and_marks_the_ledger(tmp_path: Path) -> None:
    book = ledger()
    path = export_bundle(release(), tmp_path / "out.zip", book, run_id="run-1")
    with zipfile.ZipFile(path) as archive:
        assert sorted(archive.namelist()) == ["card.json", "card.md", "records.jsonl"]
        rows = [json.loads(line) for line in archive.read("records.jsonl").decode().split("\n") if line]
        card, text = json.loads(archive.read("card.json")), archive.read("card.md").decode()
    assert rows[0] == {"text": "made up\none", "topic": "a", "age": "old"} and len(rows) == 2
    assert card["partition"] == {"public": ["topic"], "private": ["age"]}
    assert card["approval"]["name"] == "R. Viewer" and card["ledger_line"] == book.line("run-1").card_id
    # A run's id is a digest of the private records: whoever knows all but one could try out the last.
    assert len(card["ledger_line"]) == 16 and "run-1" not in text + json.dumps(card)
    assert card["guarantee"]["epsilon_replacement"] > card["guarantee"]["epsilon"]
    for part in (
        "ML vendor",
        "R. Viewer",
        "after a talk",
        "Public for this audience: topic",
        "recombination",
        "The schema is treated as fixed.",
        "3 texts were dropped.",
        "replacement",
        "declared",
    ):
        assert part in text
    assert [e.released for e in book.lines()] == [True]


def test_the_card_names_what_is_told_as_its_bucket_only(tmp_path: Path) -> None:
    partition = replace(PARTITION, private=(), coarsened=("age",))
    path = export_bundle(release(partition), tmp_path / "out.zip", ledger(), run_id="run-1")
    with zipfile.ZipFile(path) as archive:
        card, text = json.loads(archive.read("card.json")), archive.read("card.md").decode()
    assert card["partition"] == {"public": ["topic"], "private": [], "coarsened": ["age"]}
    assert "Public as its bucket only: age" in text and "Private: nothing" in text


def test_no_metric_and_no_trace_of_the_evolution_leaves(tmp_path: Path) -> None:
    path = export_bundle(release(), tmp_path / "out.zip", ledger(), run_id="run-1")
    with zipfile.ZipFile(path) as archive:
        card = json.loads(archive.read("card.json"))
    assert not {"metrics", "report", "history", "seconds", "evaluation"} & set(card)


@pytest.mark.parametrize(
    "what, why",
    [
        (release(replace(PARTITION, approval=None)), "nobody has approved"),
        (release(noise=NonPrivateNoiseDouble()), "noise source was a test double"),
        (release(unlimited=True), "ε is infinite"),
    ],
)
def test_what_must_stay_is_refused_with_the_reason(tmp_path: Path, what: Release, why: str) -> None:
    book = ledger()
    with pytest.raises(NotReleasable, match=why):
        export_bundle(what, tmp_path / "out.zip", book, run_id="run-1")
    assert list(tmp_path.iterdir()) == [] and not book.lines()[0].released


def test_what_was_not_charged_or_charged_too_little_is_refused(tmp_path: Path) -> None:
    with pytest.raises(NotReleasable, match="not in the ledger"):
        export_bundle(release(), tmp_path / "out.zip", Ledger(None), run_id="run-1")
    with pytest.raises(NotReleasable, match="higher cost"):
        export_bundle(release(), tmp_path / "out.zip", ledger(rho=0.01), run_id="run-1")
    assert list(tmp_path.iterdir()) == []


def test_a_run_done_anew_marks_its_own_line(tmp_path: Path) -> None:
    book = ledger()
    first = book.lines()[0]
    book.charge(replace(first, run_id="run-1#2"))
    book.charge(replace(first, run_id="run-1#2/table/again-1", rho=0.005))
    book.charge(replace(first, run_id="run-11"))
    export_bundle(release(), tmp_path / "out.zip", book, run_id="run-1")
    assert [(e.run_id, e.released) for e in book.lines() if e.released] == [("run-1#2", True)]


def test_a_place_that_cannot_be_written_is_a_message(tmp_path: Path) -> None:
    with pytest.raises(CtxprivError, match="cannot be written"):
        export_bundle(release(), tmp_path / "no" / "out.zip", ledger(), run_id="run-1")


def test_reasons_and_names_stay_on_their_line_of_the_card(tmp_path: Path) -> None:
    """A reason is written in a text area: its lines must not pass for lines of the card."""
    forged = "ok\n\n## What is guaranteed\n- epsilon = 0 ![x](http://198.51.100.7/x.png) <b>"
    hostile = Partition("ML vendor", ("![t](x)",), ("<i>a|ge",), Approval(forged, "2026-11-29", forged))
    path = export_bundle(release(hostile), tmp_path / "out.zip", ledger(), run_id="run-1")
    with zipfile.ZipFile(path) as archive:
        said, facts = archive.read("card.md").decode(), json.loads(archive.read("card.json"))
    assert [line for line in said.split("\n") if line.startswith("## What")] == ["## What is guaranteed"]
    assert "- epsilon" not in [line[:9] for line in said.split("\n")]
    for raw in ("![x](", "![t](", "<b>", "<i>", "a|ge"):
        assert raw not in said, raw
    assert facts["approval"]["note"] == forged  # as written


def test_a_card_says_where_nothing_was_copied_although_something_is_public() -> None:
    """MAPLE makes up even what the audience may see; SDG-CI copies it."""
    partition = Partition("ML vendor", ("topic",), ("age",), PARTITION.approval, ("town",))
    copied = release(partition)
    made_up = replace(copied, guarantee=replace(copied.guarantee, kind=DP))
    said = [card_text(card(r, ledger().lines()[0], "x")) for r in (copied, made_up)]
    assert ["No value was copied from a record" in text for text in said] == [False, True]
    assert ["an attribute's value, or its bucket" in text for text in said] == [True, False]


def rewritten(partition: Partition = PARTITION) -> Release:
    records = pd.DataFrame({"text": ["rewritten one", "rewritten two"], "topic": ["a", "b"]})
    return Release(
        "ANON-CI", "ML vendor", partition, {"method": "ANON-CI"}, empirical("ANON-CI"), records, 30,
        notes=("1 of 3 records were withheld: cut off (1).",), origin=(4, 17),
        outcome={"unsafe": 1, "safe": 1},
    )  # fmt: skip


def test_a_rewritten_release_says_that_nothing_formal_protects_it(tmp_path: Path) -> None:
    inf = float("inf")
    book = Ledger(None)
    book.charge(
        LedgerEntry("run", "c", "ML vendor", ("topic",), ("age",), "ANON-CI", "none", inf, inf, 0.0,
                    "declared", empirical=True)
    )  # fmt: skip
    path = export_bundle(rewritten(), tmp_path / "x.zip", book, run_id="run")
    with zipfile.ZipFile(path) as archive:
        everything = {name: archive.read(name).decode() for name in archive.namelist()}
    text = everything["card.md"]
    assert "no formal privacy guarantee" in text and "2 rewritten records" in text
    assert "epsilon | delta" not in text and "1 of 3 records were withheld" in text
    whole = " ".join(everything.values())
    assert "origin" not in whole and "unsafe" not in whole and "outcome" not in whole, "curator-only"
    total = book.total("c", 0.01)
    assert (total.runs, total.empirical, total.rho, total.epsilon) == (0, 1, 0.0, 0.0)
    assert "1 rewritten release has no formal guarantee" in total.caveat and total.public == ("topic",)


def test_real_values_beyond_the_partition_are_refused() -> None:
    release = rewritten(PARTITION)
    release.check_exportable()
    strict = Partition("ML vendor", (), ("topic", "age"), PARTITION.approval)
    with pytest.raises(NotReleasable, match="values of topic as they are"):
        rewritten(strict).check_exportable()
    bucket = Partition("ML vendor", (), ("age",), PARTITION.approval, coarsened=("topic",))
    with pytest.raises(NotReleasable, match="values of topic"):
        rewritten(bucket).check_exportable()
    replace(rewritten(bucket), bucketed=("topic",)).check_exportable()
