"""Reviews, approvals with open warnings, and what findings look like to others."""

from __future__ import annotations

import json

import pytest

from ctxpriv.classify.checks.collusion import collude
from ctxpriv.classify.checks.finding import CheckSettings, count, listed, percent
from ctxpriv.classify.checks.review import approve, require_reasons, review
from ctxpriv.context import Approval
from ctxpriv.errors import BadInput
from ctxpriv.privacy.ledger import Ledger
from ctxpriv.progress import Cancelled, CancelToken

SIGNED = Approval("R. Meyer", "2026-11-30")
REASONED = Approval("R. Meyer", "2026-11-30", "The recipient has both already.")


@pytest.fixture
def leaky(make):
    """`copy` tells `secret`; few values, so that nobody stands out; one text an author."""
    columns = {"copy": [0, 1, 2] * 40, "secret": [0, 1, 2] * 40, "other": [0] * 120}
    return make.corpus(columns, authors=[f"u{i}" for i in range(120)])


def test_a_review_has_the_three_checks_and_its_warnings(leaky, make):
    found = review(leaky, make.sides("copy other", "secret"))
    assert [f.check for f in found.findings] == ["inference", "uniqueness", "authors"]
    assert [f.check for f in found.open_warnings] == ["inference"]
    assert not review(leaky, make.sides("other", "secret copy")).open_warnings


def test_a_flip_changes_the_warning(leaky, make):
    partition = make.sides("copy other", "secret")
    assert review(leaky, partition).open_warnings
    assert not review(leaky, partition.moved("copy", "private")).open_warnings


def test_approving_despite_a_warning_needs_a_reason(leaky, make):
    partition = make.sides("copy other", "secret")
    found = review(leaky, partition)
    for blank in (SIGNED, Approval("R. Meyer", "2026-11-30", " \n")):
        with pytest.raises(BadInput) as caught:
            approve(partition, found, blank)
    assert "vendor" in str(caught.value)
    assert "Write why you approve despite: guessing the private attributes." in str(caught.value)
    assert approve(partition, found, REASONED).approval == REASONED


def test_without_warnings_a_name_is_enough(leaky, make):
    partition = make.sides("other", "secret copy")
    assert approve(partition, review(leaky, partition), SIGNED).approval == SIGNED


def test_a_review_of_other_sides_is_not_taken(leaky, make):
    partition = make.sides("copy other", "secret")
    with pytest.raises(BadInput, match="Run the checks again"):
        approve(partition.moved("secret", "public"), review(leaky, partition), REASONED)


def test_studies_need_reasons_only_where_somebody_approved_despite_a_warning(leaky, make):
    warned, fine = make.sides("copy other", "secret"), make.sides("other", "secret copy", audience="lab")
    require_reasons(leaky, [warned, fine.approved(SIGNED), warned.approved(REASONED)])
    with pytest.raises(BadInput, match="vendor.*open warning"):
        require_reasons(leaky, [fine.approved(SIGNED), warned.approved(SIGNED)])


def test_findings_are_plain_json(leaky, make):
    for found in review(leaky, make.sides("copy other", "secret")).findings:
        told = found.to_dict()
        assert json.loads(json.dumps(told, allow_nan=False)) == {**told, "rows": list(told["rows"])}
    both = {
        "x": make.sides("copy other", "secret", audience="x"),
        "y": make.sides("other", "copy secret", audience="y"),
    }
    json.dumps(collude(leaky, both, Ledger(None), list(both)).to_dict(), allow_nan=False)


def test_no_value_of_a_record_is_told(make):
    columns = {"copy": ["zebra", "yak"] * 40, "secret": ["xerus", "wolf"] * 40}
    authors = [f"author-{i // 2}" for i in range(80)]
    found = review(make.corpus(columns, authors=authors), make.sides("copy", "secret"))
    assert found.open_warnings
    told = json.dumps([f.to_dict() for f in found.findings])
    assert not any(word in told for word in ("zebra", "yak", "xerus", "wolf", "author-", "text 1"))


@pytest.mark.parametrize("public", ["", "a", "a b c"])
@pytest.mark.parametrize("n", [1, 2, 30])
def test_every_shape_of_partition_gets_its_sentences(make, public, n):
    columns = {"a": range(n), "b": [0] * n, "c": [i % 2 for i in range(n)]}
    private = " ".join(a for a in "abc" if a not in public.split())
    found = review(make.corpus(columns, authors=["one"] * n), make.sides(public, private))
    assert all(f.sentence.endswith(".") for f in found.findings)
    assert all(f.suggestion.endswith(".") for f in found.open_warnings)


def test_cancel_stops(leaky, make):
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        review(leaky, make.sides("copy other", "secret"), cancel=token)


def test_settings_are_checked():
    for wrong in ({"k": 1}, {"gain": 0}, {"small_groups": 1}, {"folds": 1.5}, {"chance": "low"}):
        with pytest.raises(BadInput, match="checks"):
            CheckSettings(**wrong)


def test_words():
    assert [percent(x) for x in (0, 0.0004, 0.004, 0.123, 0.996, 1)] == [
        "0 %",
        "below 0.1 %",
        "0.4 %",
        "12 %",
        "over 99 %",
        "100 %",
    ]
    assert (count(1, "record"), count(1200, "record")) == ("1 record", "1,200 records")
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b", "c"]) == "a, b and c"
    assert listed(list("abcdef")) == "a, b, c, d and 2 more"
