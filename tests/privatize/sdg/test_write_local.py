"""Recombination of donated texts: values, speakers, variety, determinism."""

from __future__ import annotations

import pandas as pd
import pytest

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.privatize.sdg.donors import ranked_donors
from ctxpriv.privatize.sdg.phrases import exchanges, with_values
from ctxpriv.privatize.sdg.pieces import Shape, sentences
from ctxpriv.privatize.sdg.write_local import DonorRecombiner
from ctxpriv.progress import Cancelled, CancelToken
from ctxpriv.schema import Attribute, Coarsening, Schema


def test_writes_a_new_text_per_row_with_the_row_values(corpus) -> None:
    donated, rows = corpus.donated(), corpus.part("private").table
    written = DonorRecombiner().write(rows, donated, seed=1)
    assert len(written.texts) == len(rows) and not written.failures
    assert not set(written.texts) & set(donated.texts)
    for text, (_, row) in zip(written.texts, rows.iterrows(), strict=True):
        for city in ("Berlin", "Lagos", "Oslo"):
            assert city not in text or row["city"].startswith(city)
        for age in ("20", "35", "50"):
            assert age not in text or row["age"] == age


def test_keeps_to_donors_of_the_row_label(corpus) -> None:
    rows = corpus.part("private").table
    written = DonorRecombiner().write(rows, corpus.donated(), seed=1)
    for text, topic in zip(written.texts, rows["topic"], strict=True):
        assert ("soup" in text or "Bread" in text) <= (topic == "food")
        assert ("boss" in text or "pumps" in text) <= (topic == "work")


def test_the_same_seed_gives_the_same_and_another_differs(corpus) -> None:
    rows, donated = corpus.part("private").table, corpus.donated()
    first, again, other = (DonorRecombiner().write(rows, donated, seed=s).texts for s in (1, 1, 2))
    assert first == again != other


def test_variations_are_grouped_differ_and_keep_the_usual_length(corpus) -> None:
    donated, rows = corpus.donated(), corpus.part("private").table.iloc[:10]
    generator = DonorRecombiner()
    texts = generator.write(rows, donated, seed=1).texts
    for round_ in range(6):
        varied = generator.vary(texts, rows, donated, variations=3, seed=round_).texts
        assert len(varied) == 30
        for i, text in enumerate(texts):
            mine = varied[3 * i : 3 * i + 3]
            assert text not in mine and len(set(mine)) == 3
        texts = varied[::3]
    lengths = [len(sentences(t)) for t in texts]
    assert min(lengths) >= 2 and max(lengths) <= 8  # donated texts have 5


def test_an_embedder_steers_the_choice_of_partners(corpus, embedder) -> None:
    rows, donated = corpus.part("private").table, corpus.donated()
    plain, steered = (DonorRecombiner(e).write(rows, donated, seed=1).texts for e in (None, embedder))
    assert embedder.embedded == len(donated) and plain != steered


def test_conversations_keep_their_speakers_in_turn() -> None:
    schema = Schema((Attribute("stage", ("start",)),))
    texts = tuple(
        "\n".join(
            f"{who}: {word} {i}.{k}." for k in range(4) for who, word in (("Agent", "Well"), ("Buyer", "Yes"))
        )
        for i in range(5)
    )
    opening = "Buyer: Hello 9.\n" + texts[0].replace("0.", "9.")
    values = pd.DataFrame({"stage": ["start"] * 6})
    donated = DonatedExamples((*texts, opening), values, schema, "stage")
    generator = DonorRecombiner()
    written = generator.write(values, donated, seed=2).texts
    varied = generator.vary(written, values, donated, variations=4, seed=3).texts
    assert not set(written) & set(donated.texts)
    for text in (*written, *varied):
        speakers = [line.split(":")[0] for line in text.splitlines()]
        assert all(a != b for a, b in zip(speakers, speakers[1:], strict=False)), text


def test_label_only_rows_and_rows_without_columns_work(corpus) -> None:
    donated = corpus.donated()
    for rows in (pd.DataFrame({"topic": ["food", "work"]}), pd.DataFrame(index=range(2))):
        assert len(set(DonorRecombiner().write(rows, donated, seed=0).texts)) == 2


def test_no_donors_is_an_error_that_says_what_to_do(corpus) -> None:
    none = corpus.part("test").donated()
    with pytest.raises(BadInput, match="share of 0.2"):
        DonorRecombiner().write(corpus.table, none, seed=0)


def test_one_short_donor_still_gives_texts() -> None:
    schema = Schema((Attribute("a", ("x",)),))
    one = DonatedExamples(("Only this.",), pd.DataFrame({"a": ["x"]}), schema)
    assert DonorRecombiner().write(one.values, one, seed=0).texts == ("Only this.",)


def test_cancel_and_speed(corpus) -> None:
    token = CancelToken()
    token.cancel()
    generator = DonorRecombiner()
    assert generator.calls_per_second() > 0 and generator.tokens_per_text(90) == (0, 0)
    with pytest.raises(Cancelled):
        generator.write(corpus.table, corpus.donated(), seed=0, cancel=token)


def test_the_nearest_donors_come_first_and_the_label_counts_most(corpus) -> None:
    donated, rows = corpus.donated(), corpus.part("private").table.iloc[:5]
    ranked = ranked_donors(rows, donated, seed=0)
    for order, (_, row) in zip(ranked, rows.iterrows(), strict=True):
        differs = [donated.values.iloc[d]["topic"] != row["topic"] for d in order]
        assert differs == sorted(differs)
    alike = donated.schema.coarsen(donated.values.iloc[[ranked[0][0]]])
    assert (alike.iloc[0] == donated.schema.coarsen(rows).iloc[0]).sum() >= 2


def test_coarsened_values_count_as_equal_within_a_bucket() -> None:
    schema = Schema(
        (Attribute("n", ("1", "2", "3")),),
        {"n": Coarsening("n", {"1": "low", "2": "low", "3": "high"}, ("low", "high"))},
    )
    donated = DonatedExamples(("three", "two"), pd.DataFrame({"n": ["3", "2"]}), schema)
    assert ranked_donors(pd.DataFrame({"n": ["1"]}), donated, seed=0)[0].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        ("I left Berlin, Germany.", "Berlin, Germany", "Lagos, Nigeria", "I left Lagos, Nigeria."),
        ("Berlin is loud.", "Berlin, Germany", "Lagos, Nigeria", "Lagos is loud."),
        ("Berliners and Berlin", "Berlin, Germany", "Lagos, Nigeria", "Berliners and Lagos"),
        ("At fifty-six, I", "56", "34", "At thirty-four, I"),
        ("room 156", "56", "34", "room 156"),
        ("I am an engineer.", "engineer", "nurse", "I am a nurse."),
        ("Nurse by day", "nurse", "engineer", "Engineer by day"),
        ("We said nothing", "Not stated", "nurse", "We said nothing"),
        ("Nurse by day", "nurse", "Other values", "Nurse by day"),  # a bucket that nobody would write
        ("a low wall", "low", "high", "a low wall"),
    ],
)
def test_phrases_of_values_are_exchanged(text: str, old: str, new: str, expected: str) -> None:
    assert with_values(text, {"x": old}, {"x": new}) == expected


def test_exchanges_do_not_chain() -> None:
    old, new = {"a": "Berlin", "b": "Lagos"}, {"a": "Lagos", "b": "Oslo"}
    assert with_values("Berlin to Lagos", old, new) == "Lagos to Oslo"
    assert exchanges("Oslo", "Oslo") == ()


def test_sentences_are_not_cut_at_abbreviations() -> None:
    assert sentences("Dr. Who came. He left! (Why?) E.g. J. Smith knows…") == [
        "Dr. Who came.",
        "He left!",
        "(Why?)",
        "E.g. J. Smith knows…",
    ]
    assert sentences("它很好。我喜欢。") == ["它很好。", "我喜欢。"]


def test_prose_with_a_colon_is_no_conversation() -> None:
    assert Shape.of(["Rotterdam: fence.\nSantos is nice.\nNo more.", "Plain."]).lead == ""


@pytest.mark.parametrize("told", ["Oslo", "Europe"])
def test_donors_are_ranked_by_buckets_whether_a_row_tells_the_value_or_the_bucket(told: str) -> None:
    towns = {"Lagos": "Africa", "Berlin": "Europe", "Oslo": "Europe", "Kano": "Africa"}
    schema = Schema(
        (Attribute("city", tuple(towns)),), {"city": Coarsening("city", towns, ("Africa", "Europe"))}
    )
    donated = DonatedExamples(
        ("a", "b", "c"), pd.DataFrame({"city": ["Lagos", "Berlin", "Kano"]}), schema, None
    )
    for seed in range(8):  # ties are broken at random: only the bucket may decide
        assert ranked_donors(pd.DataFrame({"city": [told]}), donated, seed=seed)[0][0] == 1
