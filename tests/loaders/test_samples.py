from __future__ import annotations

import json

import pytest

from ctxpriv.corpus import Splits
from ctxpriv.errors import BadInput
from ctxpriv.loaders.checks import corpus_warnings
from ctxpriv.loaders.formats import fit_preset
from ctxpriv.loaders.samples import (
    FOLDER_VARIABLE,
    load_sample,
    paper_presets,
    sample,
    samples,
    samples_folder,
)
from ctxpriv.loaders.schema_file import read_schema
from ctxpriv.schema import COARSEN_ABOVE

COUNTS = {"forum": 450, "biomed": 200, "home_calls": 180, "complaints": 460, "reviews": 420}


def test_the_five_samples_are_there_with_card_schema_and_presets() -> None:
    assert list(samples()) == list(COUNTS)
    for name, found in samples().items():
        card = found.card_path.read_text("utf-8")
        assert (
            found.title in card and f"{COUNTS[name]}" in card and "Known biases" in card and "Licence" in card
        )
        assert len(found.presets) >= 2 and found.context.subject and found.context.transmission_principle


@pytest.mark.parametrize("name", COUNTS)
def test_a_sample_fits_its_declared_schema(name) -> None:
    corpus = load_sample(name)
    facts = corpus.facts()
    card = sample(name).card_path.read_text("utf-8")
    assert len(corpus) == COUNTS[name] and corpus.outside == {}
    assert min(facts.n_private, facts.n_test, facts.n_donated) > 30
    assert corpus.codes().shape == (len(corpus), len(corpus.schema.names))
    for attribute in corpus.schema.attributes:
        assert attribute.provenance == "declared" and attribute.description
        coarse = corpus.schema.coarse_values(attribute.name)
        assert attribute.name == corpus.label or len(coarse) <= COARSEN_ABOVE
        if attribute.name in corpus.schema.coarsenings:
            assert len(coarse) <= 5 and corpus.schema.coarsenings[attribute.name].origin == "shipped"
        assert f"`{attribute.name}`" in card
    if corpus.authors:
        for author in set(corpus.authors):
            assert len({s for a, s in zip(corpus.authors, corpus.splits, strict=True) if a == author}) == 1


@pytest.mark.parametrize("name", COUNTS)
def test_presets_judge_every_attribute_with_a_reason(name) -> None:
    schema = load_sample(name).schema
    names = schema.names
    for preset in sample(name).presets:
        preset.partition.check(schema)
        assert preset.partition.warnings() == [] and preset.partition.approval is None
        assert set(preset.reasons) == set(names) and all(r.endswith(".") for r in preset.reasons.values())
        assert preset.audience.recipient and preset.audience.purpose and preset.origin


def test_the_paper_s_partitions_are_the_paper_s() -> None:
    forum = {p.audience.name: p.partition for p in paper_presets("reddit")}
    assert {n: (len(p.private), len(p.public)) for n, p in forum.items()} == {
        "ML vendor": (5, 6),
        "Re-post on another channel": (3, 8),
        "Advertiser": (9, 2),
    }
    assert set(forum["ML vendor"].private) == {
        "age",
        "city_country",
        "birth_city_country",
        "income",
        "relationship_status",
    }
    assert set(forum["Re-post on another channel"].private) == {"sex", "age", "birth_city_country"}
    assert set(forum["Advertiser"].public) == {"topic", "word_count"}
    (release,) = paper_presets("biorxiv")
    assert set(release.partition.private) == {"model_organism", "disease_mention", "sample_size"}
    audit = next(p for p in paper_presets("realestate") if p.audience.name == "Internal audit")
    assert {"location", "home_size", "household"} <= set(audit.partition.private)
    assert audit.partition.coarsened == ("buying_amount",)  # the expert of App. H: a band, not the figure
    with pytest.raises(BadInput, match="no dataset 'twitter'"):
        paper_presets("twitter")


def test_a_preset_fitted_to_other_attributes_keeps_unjudged_ones_private() -> None:
    preset = fit_preset(paper_presets("reddit")[0], ("age", "sex", "shoe_size"))
    assert preset.partition.public == ("sex",) and preset.partition.private == ("age", "shoe_size")
    assert "does not judge" in preset.reasons["shoe_size"]


def test_what_a_text_reveals_refers_to_attributes_of_the_forum() -> None:
    personal = set(load_sample("forum").schema.names) - {"topic", "word_count"}
    for line in sample("forum").path.read_text("utf-8").splitlines():
        reveals = json.loads(line)["reveals"]
        assert set(reveals) <= personal and set(reveals.values()) <= {"open", "hint"}


def test_other_splits_are_followed() -> None:
    assert load_sample("reviews", splits=Splits(0.8, 0.1, 0.1, 3)).facts().n_private == pytest.approx(
        336, abs=22
    )


def test_samples_carry_no_surprise_warnings() -> None:
    assert corpus_warnings(load_sample("complaints")) == []


def test_an_unknown_sample_and_a_missing_folder_say_what_to_do(monkeypatch, tmp_path) -> None:
    with pytest.raises(BadInput, match="no sample corpus 'twitter'.*forum"):
        load_sample("twitter")
    monkeypatch.setenv(FOLDER_VARIABLE, str(tmp_path))
    with pytest.raises(BadInput, match=FOLDER_VARIABLE):
        samples_folder()


def test_schema_files_expand_ranges_and_refuse_contradictions(tmp_path) -> None:
    path = tmp_path / "s.yaml"

    def schema(text: str):
        path.write_text(text, "utf-8")
        return read_schema(path)

    found = schema(
        "attributes:\n- name: age\n  buckets: {young: 18..20, old: [21..22, 99]}\n- "
        "{name: x, values: [1, 'no']}\n"
    )
    assert found["age"].values == ("18", "19", "20", "21", "22", "99") and found["x"].values == ("1", "no")
    assert found.coarsenings["age"].members("old") == ("21", "22", "99")
    for text, message in [
        ("attributes: 3", "no list `attributes`"),
        ("attributes: [{values: [a]}]", "without a name"),
        ("attributes: [{name: a, value: [a]}]", "unknown key 'value'"),
        ("attributes: [{name: a, buckets: {A: [x], B: [x]}}]", "'x' is in two buckets"),
        ("attributes: [{name: a, values: [x, y], buckets: {A: [x]}}]", "'y' is in no bucket"),
        ("attributes: [{name: a, values: [x, y], buckets: {A: [x], x: [y]}}]", "'x' is also a value"),
        ("attributes: [{name: a, values: [x], buckets: {A: [x, y]}}]", "'y' is in a bucket but not"),
        ("attributes: [{name: a, buckets: {A: 1, B: 2, C: 3, D: 4, E: 5, F: 6}}]", "6 buckets"),
        ("attributes: [\n  {name: a\n", "s.yaml, line 3"),
    ]:
        with pytest.raises(BadInput, match=message):
            schema(text)
