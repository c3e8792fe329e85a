from __future__ import annotations

import pytest

from ctxpriv.classify.expert import (
    ExpertReview,
    Opinion,
    apply_expert,
    compare_expert,
    load_expert,
    template_csv,
)
from ctxpriv.context import Approval, Partition
from ctxpriv.errors import BadInput
from ctxpriv.schema import Attribute, Coarsening, Schema

NAMES = ("age", "city", "income", "topic")
SCHEMA = Schema(tuple(Attribute(n, ("a", "b"), f"About {n}.") for n in NAMES)).with_coarsening(
    Coarsening("city", {"a": "x", "b": "x"}, ("x",))
)
AUDIENCES = ("Ads", "Audit")


def load(text: str, name="expert.csv", encoding="utf-8"):
    return load_expert(text.encode(encoding), name, SCHEMA, AUDIENCES)


def test_comma_semicolon_bom_spellings_and_empty_lines():
    comma = load("attribute,audience,side,note\nage,Ads,PRIVATE.,\ncity,Ads,generalised,metro only\n,,,\n")
    semicolon = load(
        "Note;Decision;Audience;Attribute\n;private;Ads;age\nmetro only;public when coarsened; Ads ;city\n",
        encoding="utf-8-sig",
    )
    assert comma.opinions == semicolon.opinions
    assert comma.opinions == (
        Opinion("age", "Ads", "private"),
        Opinion("city", "Ads", "coarsened", "metro only"),
    )


def test_a_file_may_be_a_path_and_lines_without_a_side_are_not_judged(tmp_path):
    path = tmp_path / "review.csv"
    path.write_text("attribute,audience,side\nage,Ads,\ncity,Audit,public\n")
    review = load_expert(path, path.name, SCHEMA, AUDIENCES)
    assert review == ExpertReview("review.csv", (Opinion("city", "Audit", "public"),), unjudged=1)
    assert ExpertReview.from_dict(review.to_dict()) == review


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("attribute,audience,side\nagee,Ads,public\n", r"row 1, field attribute: .* Did you mean 'age'\?"),
        ("attribute,audience,side\nage,ads,public\n", r"row 1, field audience: .* Did you mean 'Ads'\?"),
        ("attribute,audience,side\nage,Ads,secret?\n", "row 1, field side: is no side. Use one of public"),
        ("attribute,audience,decision\nage,Ads,not private\n", "row 1, field decision: is no side"),
        (
            "attribute,audience,side\nage,Ads,public\ncity,Ads,public\nage,Ads,private\n",
            "row 3: judges 'age' for 'Ads' again, after row 1",
        ),
        ("attribute,audience,side\n,Ads,public\n", "row 1, field attribute: is empty"),
        ("attribute,audience,note\nage,Ads,x\n", "expert.csv: has no column 'side'"),
        ("audience,side\nAds,public\n", "has no column 'attribute'"),
        ("attribute,audience,side,decision\nage,Ads,public,private\n", "two columns for the same thing"),
        ("attribute,audience,side\n", "holds no records"),
        ("", "is empty"),
    ],
)
def test_what_cannot_be_used_is_named_by_row_and_field(text, message):
    with pytest.raises(BadInput, match=message) as caught:
        load(text)
    assert "agee" not in str(caught.value) and "secret" not in str(caught.value)  # no cell is quoted


def test_other_kinds_of_files_are_refused(tmp_path):
    with pytest.raises(BadInput, match="not a CSV"):
        load("[]", name="expert.json")
    with pytest.raises(BadInput, match="UTF-8"):
        load_expert("attribute;side\nä".encode("latin-1"), "expert.csv", SCHEMA, AUDIENCES)
    with pytest.raises(BadInput, match="does not exist"):
        load_expert(tmp_path / "none.csv", "none.csv", SCHEMA, AUDIENCES)


REVIEW = ExpertReview(
    "expert.csv",
    (
        Opinion("age", "Ads", "public", "harmless"),
        Opinion("city", "Ads", "coarsened", "metro"),
        Opinion("income", "Ads", "private"),
        Opinion("topic", "Ads", "public"),
        Opinion("topic", "Gone", "public"),
    ),
)


def test_agreement_as_in_app_h_and_what_we_disclose_first():
    partitions = {
        "Audit": Partition("Audit", NAMES, ()),
        "Ads": Partition("Ads", ("city", "income", "topic"), ("age",)),
    }
    [ads] = compare_expert(REVIEW, partitions)  # nothing on Audit; Gone has no partition
    assert (ads.audience, ads.covered, ads.exact, ads.agree) == ("Ads", 4, 1, 2)
    assert [(d.attribute, d.ours, d.expert, d.discloses) for d in ads.disagreements] == [
        ("income", "public", "private", True),
        ("city", "public", "coarsened", False),
        ("age", "private", "public", False),
    ]
    assert ads.disagreements[1].note == "metro"
    assert ads.sentence() == (
        "Ads: agreement on 2 of 4 attributes, with a clarification on 1 (coarsened or not). "
        "1 disclosed here but private to the expert."
    )


def test_attributes_that_the_partition_does_not_know_are_left_out():
    [ads] = compare_expert(REVIEW, {"Ads": Partition("Ads", ("topic",), ("income",))})
    assert (ads.covered, ads.exact, ads.disagreements) == (2, 2, ())
    assert ads.sentence() == "Ads: agreement on 2 of 2 attributes."
    [none] = compare_expert(REVIEW, {"Ads": Partition("Ads", ("other",), ())})
    assert "judged none" in none.sentence()


def test_applying_moves_the_sides_and_voids_the_approval():
    partition = Partition("Ads", ("city", "income", "topic"), ("age",), Approval("A", "2026-11-30"))
    applied = apply_expert(partition, REVIEW, SCHEMA)
    assert applied.approval is None
    assert {n: applied.side(n) for n in NAMES} == {
        "age": "public",
        "city": "coarsened",
        "income": "private",
        "topic": "public",
    }
    assert (
        apply_expert(partition, ExpertReview("e", ()), SCHEMA) == partition
    )  # nothing moves, still approved
    assert compare_expert(REVIEW, {"Ads": applied})[0].exact == 4
    with pytest.raises(BadInput, match="no buckets"):
        apply_expert(partition, REVIEW, SCHEMA.without_coarsening("city"))


def test_the_template_comes_back_and_runs_no_formula():
    hostile = Schema(
        (Attribute("=1+1", ("v",), "@SUM(A1)"), Attribute('plain; "quoted"', ("v",), "two\nlines"))
    )
    data = template_csv(hostile, ["-ads", "Audit"])
    assert data.startswith(b"\xef\xbb\xbf") and b"public" not in data
    lines = data.decode("utf-8-sig").split("\r\n")
    assert lines[1] == "'=1+1,'@SUM(A1),'-ads,,"
    filled = data.decode("utf-8-sig").replace(",,\r\n", ",private,\r\n").encode()
    review = load_expert(filled, "t.csv", hostile, ["-ads", "Audit"])
    assert [(o.attribute, o.audience) for o in review.opinions] == [
        (n, a) for a in ("-ads", "Audit") for n in hostile.names
    ]
    untouched = load_expert(data, "t.csv", hostile, ["-ads", "Audit"])
    assert untouched.opinions == () and untouched.unjudged == 4


def test_decisions_on_attributes_that_are_gone_are_passed_over():
    """The schema may change after the file was loaded; the comparison passes them over as well."""
    review = load("attribute,audience,side\nage,Ads,private\ncity,Ads,coarsened\n")
    left = SCHEMA.only(["age"])
    ours = Partition("Ads", ("age",), (), Approval("A", "2026-11-30"))
    applied = apply_expert(ours, review, left)
    assert applied.private == ("age",) and applied.approval is None
    assert compare_expert(review, {"Ads": ours})[0].covered == 1


def test_a_note_as_long_as_a_file_is_refused():
    """It would be kept in every version of the project."""
    with pytest.raises(BadInput, match="row 1, field note: .* longer than 2000"):
        load(f"attribute,audience,side,note\nage,Ads,private,{'x' * 2001}\n")
