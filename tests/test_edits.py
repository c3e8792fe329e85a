from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from ctxpriv.context import Approval, Audience, Judgement, Partition
from ctxpriv.corpus import Corpus
from ctxpriv.edits import (
    ValueEdit,
    adopted,
    all_private,
    described,
    filled,
    judged,
    labelled,
    moved,
    renamed_audience,
    with_attributes,
    with_other_schema,
    with_values,
    without_attribute,
)
from ctxpriv.errors import BadInput
from ctxpriv.loaders.samples import Preset
from ctxpriv.project import ProjectState
from ctxpriv.schema import NOT_STATED, OTHER, Attribute, Coarsening, Schema


@pytest.fixture
def corpus() -> Corpus:
    schema = Schema(
        (Attribute("town", ("Bonn", "Köln", "Ulm", OTHER)), Attribute("topic", ("work", "home"))),
        {
            "town": Coarsening(
                "town",
                {"Bonn": "Rhine", "Köln": "Rhine", "Ulm": "Danube", OTHER: OTHER},
                ("Rhine", "Danube", OTHER),
                "shipped",
            )
        },
    )
    table = pd.DataFrame({"town": ["Bonn", "Ulm", "Köln"], "topic": ["work", "home", "work"]}, dtype=object)
    return Corpus(
        "c", ("1", "2", "3"), ("a", "b", "c"), table, schema, np.asarray(["private"] * 3, object), "topic"
    )


def test_a_renamed_attribute_keeps_values_coarsening_and_label(corpus):
    out = described(corpus, {"town": ("city", "where"), "topic": ("subject", "what")})
    assert out.schema.names == ("city", "subject") and out.label == "subject"
    assert out.table["city"].tolist() == ["Bonn", "Ulm", "Köln"]
    assert out.schema.coarsenings["city"].attribute == "city" and out.schema["city"].description == "where"


@pytest.mark.parametrize("name", ["", "topic"])
def test_an_empty_or_double_name_is_refused(corpus, name):
    with pytest.raises(BadInput):
        described(corpus, {"town": (name, "")})


def test_a_renamed_value_moves_its_records_and_keeps_the_bucket(corpus):
    edits = [
        ValueEdit("Bonn", "Bonn am Rhein", "Rhine"),
        ValueEdit("Köln", "Köln", "Rhine"),
        ValueEdit("Ulm", "Ulm", "Danube"),
        ValueEdit(OTHER, OTHER, OTHER),
    ]
    out = with_values(corpus, "town", edits)
    assert out.table["town"].tolist() == ["Bonn am Rhein", "Ulm", "Köln"]
    assert out.schema.coarsenings["town"].mapping["Bonn am Rhein"] == "Rhine"
    assert out.schema.coarsenings["town"].origin == "by hand"
    assert corpus.table["town"].tolist()[0] == "Bonn"


def test_swapping_two_names_swaps_the_records(corpus):
    edits = [
        ValueEdit("Bonn", "Köln"),
        ValueEdit("Köln", "Bonn"),
        ValueEdit("Ulm", "Ulm"),
        ValueEdit(OTHER, OTHER),
    ]
    assert with_values(corpus, "town", edits).table["town"].tolist() == ["Köln", "Ulm", "Bonn"]


def test_a_removed_value_becomes_other_and_is_counted(corpus):
    edits = [
        ValueEdit("Bonn", "Bonn"),
        ValueEdit("Köln", "Köln"),
        ValueEdit("Ulm", ""),
        ValueEdit(OTHER, OTHER),
    ]
    out = with_values(corpus, "town", edits)
    assert out.table["town"].tolist() == ["Bonn", OTHER, "Köln"]
    assert out.outside == {"town": 1} and "town" not in out.schema.coarsenings


def test_removing_a_value_in_use_without_other_is_refused(corpus):
    with pytest.raises(BadInput):
        with_values(corpus, "topic", [ValueEdit("work", "work")])


def test_an_untouched_coarsening_keeps_its_origin(corpus):
    mapping = corpus.schema.coarsenings["town"].mapping
    out = with_values(corpus, "town", [ValueEdit(v, v, mapping[v]) for v in corpus.schema["town"].values])
    assert out.schema.coarsenings["town"].origin == "shipped"


def test_retouched_buckets_still_tell_that_private_values_shaped_them(corpus):
    old = replace(corpus.schema.coarsenings["town"], origin="quantiles: private values")
    seen = replace(corpus, schema=corpus.schema.with_coarsening(old))
    edits = [ValueEdit(v, v, "Ulm" if v == "Ulm" else old.mapping[v]) for v in old.mapping]
    out = with_values(seen, "town", edits).schema.coarsenings["town"]
    assert out.mapping["Ulm"] == "Ulm" and out.reads_private_values


def test_half_a_coarsening_is_refused(corpus):
    edits = [ValueEdit(v, v, "Rhine" if v == "Bonn" else "") for v in corpus.schema["town"].values]
    with pytest.raises(BadInput):
        with_values(corpus, "town", edits)


def test_new_attributes_say_nothing_until_filled(corpus):
    out = with_attributes(corpus, [Attribute("mood", ("glad", "sad"), provenance="prompted")])
    assert out.table["mood"].tolist() == [NOT_STATED] * 3
    full = filled(out, pd.DataFrame({"mood": ["glad", "sad", NOT_STATED]}))
    assert full.table["mood"].tolist() == ["glad", "sad", NOT_STATED]
    with pytest.raises(BadInput):
        filled(out, pd.DataFrame({"mood": ["glad"]}))


def test_the_label_goes_with_its_attribute_and_the_last_one_stays(corpus):
    out = without_attribute(corpus, "topic")
    assert out.label is None and out.schema.names == ("town",)
    with pytest.raises(BadInput):
        without_attribute(out, "town")
    assert labelled(out, "town").label == "town"


# ---- audiences

AUDIENCE = Audience("vendor", "an ML vendor", "train a classifier")


def test_a_preset_leaves_unknown_attributes_private_and_unapproved():
    preset = Preset(
        AUDIENCE,
        Partition("vendor", ("topic",), ("town",)),
        {"topic": "needed", "town": "personal"},
        "written for this project",
    )
    schema = Schema(tuple(Attribute(n, ("a", "b")) for n in ("town", "topic", "mood")))
    state = adopted(ProjectState(), preset, schema)
    partition = state.partitions["vendor"]
    assert (
        partition.public == ("topic",)
        and partition.private == ("town", "mood")
        and partition.approval is None
    )
    assert state.judgements["vendor"][2].samples == 0


def test_a_preset_s_coarsened_attribute_is_private_where_there_are_no_buckets(corpus):
    preset = Preset(
        AUDIENCE,
        Partition("vendor", ("topic",), (), coarsened=("town",)),
        {"topic": "needed", "town": "the region is enough"},
        "written for this project",
    )
    bucketed = corpus.schema.with_coarsening(
        Coarsening("town", dict.fromkeys(corpus.schema["town"].values, "somewhere"), ("somewhere",))
    )
    assert adopted(ProjectState(), preset, bucketed).partitions["vendor"].coarsened == ("town",)
    state = adopted(ProjectState(), preset, corpus.schema.without_coarsening("town"))
    assert state.partitions["vendor"].private == ("town",)
    assert "no buckets" in state.judgements["vendor"][0].reason


def test_judging_and_moving_void_an_approval(corpus):
    state = ProjectState(audiences=(AUDIENCE,))
    state = judged(
        state,
        "vendor",
        [Judgement("town", "private", "r", 1.0, 3), Judgement("topic", "public", "r", 1.0, 3)],
    )
    state = state.with_partition(state.partitions["vendor"].approved(Approval("A. B.", "2026-11-29")))
    assert state.approved == ("vendor",)
    plain = corpus.schema.without_coarsening("town")
    out = moved(state, plain, "vendor", {"town": "public"})
    with pytest.raises(BadInput, match="no buckets"):
        moved(state, plain, "vendor", {"town": "coarsened"})
    assert out.approved == () and set(out.partitions["vendor"].public) == {"topic", "town"}
    assert all_private(state, "vendor", ("town", "topic")).partitions["vendor"].private == ("town", "topic")


def test_a_renamed_audience_takes_its_decisions_along():
    state = ProjectState(audiences=(AUDIENCE, Audience("other", "x", "y")))
    state = judged(state, "vendor", [Judgement("town", "private", "r", 1.0, 3)])
    out = renamed_audience(state, "vendor", "lab")
    assert out.partitions["lab"].audience == "lab" and "vendor" not in out.judgements
    with pytest.raises(BadInput):
        renamed_audience(state, "vendor", "other")


def test_another_schema_keeps_what_is_named_and_the_values_that_still_fit(corpus):
    town = Attribute("town", ("Ulm", "Bonn"), provenance="prompted")
    mood = Attribute("mood", ("good", "bad", NOT_STATED))
    out = with_other_schema(corpus, (mood, town))
    assert out.schema.names == ("mood", "town") and out.label is None
    assert set(out.table["mood"]) == {NOT_STATED}
    fits = [v if v in town.values else NOT_STATED for v in corpus.table["town"]]
    assert out.table["town"].tolist() == fits and out.schema["town"].provenance == "prompted"
    kept = with_other_schema(corpus, (mood, town), keep=("town",))
    assert (
        kept.schema.names == ("town", "mood") and kept.table["town"].tolist() == corpus.table["town"].tolist()
    )
    assert kept.schema["town"] == corpus.schema["town"] and "town" in kept.schema.coarsenings
    with pytest.raises(BadInput, match="no attribute"):
        with_other_schema(corpus, ())


def test_moving_an_attribute_of_an_audience_that_is_gone_is_told(corpus):
    """A second browser tab may still show it."""
    with pytest.raises(BadInput, match="'vendor'.*no decisions"):
        moved(ProjectState(), corpus.schema, "vendor", {"town": "private"})


@pytest.mark.parametrize(
    ("values", "side"), [(("HIV", "cancer", NOT_STATED), "private"), (("work", "garden"), "public")]
)
def test_another_attribute_of_the_same_name_starts_private(corpus, values, side):
    """A proposed schema may use a name that was public for other facts."""
    state = ProjectState(audiences=(AUDIENCE,)).with_partition(Partition("vendor", ("topic",), ("town",)))
    other = corpus.schema.with_attribute(Attribute("topic", values))
    assert state.under_schema(other, corpus.schema).partitions["vendor"].side("topic") == side
