from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from ctxpriv.context import Partition
from ctxpriv.corpus import Corpus
from ctxpriv.evaluate.attacks.adversary import Adversary, Originals
from ctxpriv.evaluate.attacks.attack import CLASSIFIER
from ctxpriv.evaluate.report import REWRITING
from ctxpriv.evaluate.rewriting import Kept, rewriting_figures, what_was_kept
from ctxpriv.evaluate.settings import EvaluationSettings
from ctxpriv.models.base import ModelIdentity
from ctxpriv.privacy.guarantee import empirical
from ctxpriv.privatize.release import Release
from ctxpriv.rewriting_roles import Guessed
from ctxpriv.schema import Attribute, Coarsening, Schema
from ctxpriv.traces import must_not_stand

QUICK = EvaluationSettings(bootstrap=40)
PARTITION = Partition("vendor", ("topic", "job"), ("town", "born"), coarsened=("age",))
SCHEMA = Schema(
    (
        Attribute("topic", ("food", "work")),
        Attribute("job", ("baker", "nurse", "Not stated")),
        Attribute("town", ("Bonn", "Ulm", "Not stated")),
        Attribute("born", ("Bonn", "Ulm", "Not stated")),
        Attribute("age", ("25", "35")),
        Attribute("word_count", ("under 9 words", "9+ words")),
    ),
    {"age": Coarsening("age", {"25": "under 30", "35": "30 or more"}, ("under 30", "30 or more"))},
)
TEXTS = (
    "I bake bread in Bonn and I am 25",
    "My shift as a nurse in Ulm was long",
    "Dinner at the bakery was good",
    "The ward was quiet and I am 35",
)


class WordReaderDouble:
    """Tells an attribute's value where the text holds the word that stands for it."""

    identity = ModelIdentity("local", "word reader (test double)")
    words = {
        "bake": ("job", "baker"),
        "nurse": ("job", "nurse"),
        "ward": ("job", "nurse"),
        "Dinner": ("topic", "food"),
    }

    def answers(self, texts, brief, *, progress=None, cancel=None):
        out = []
        for text in texts:
            told = dict.fromkeys(brief.private, ())
            told |= {name: (value,) for word, (name, value) in self.words.items() if word in text}
            out.append(Guessed({n: g for n, g in told.items() if n in brief.private}))
        return out


@pytest.fixture
def originals() -> Originals:
    table = pd.DataFrame(
        {
            "topic": ["food", "work", "food", "work"],
            "job": ["baker", "nurse", "baker", "Not stated"],
            "town": ["Bonn", "Ulm", "Bonn", "Not stated"],
            "born": ["Bonn", "Bonn", "Ulm", "Ulm"],
            "age": ["25", "35", "25", "35"],
            "word_count": ["under 9 words"] * 4,
        },
        dtype=object,
    )
    splits = np.array(["private"] * 4, object)
    return Originals.of(Corpus("made up", tuple("abcd"), TEXTS, table, SCHEMA, splits, "topic"))


READER = Adversary(CLASSIFIER, WordReaderDouble())


def release(*texts: str, origin: tuple[int, ...] = (0, 1, 2, 3), **outcome) -> Release:
    records = pd.DataFrame({"text": list(texts)}, dtype=object)
    return Release(
        "ANON-CI", "vendor", PARTITION, {}, empirical("ANON-CI"), records, 4, origin=origin, outcome=outcome
    )


def figures(originals, given: Release, partition: Partition = PARTITION):
    kept = what_was_kept(READER, given, originals, partition)
    return rewriting_figures(given, originals, partition, kept, QUICK)


def test_every_figure_is_there_also_for_texts_that_did_not_change(originals):
    found = figures(originals, release(*TEXTS, records=4, safe=3, withheld={}))
    assert set(found) == set(REWRITING)
    assert found["public_kept"].value == found["label_kept"].value == 1.0
    assert found["share_changed"].value == found["added_facts"].value == 0.0
    assert found["readability"].value == 1.0
    assert (found["safe"].value, found["withheld"].value) == (0.75, 0.0)


def test_kept_is_told_only_of_what_the_originals_told(originals):
    """Two jobs are told ("bake" twice, "nurse" once); the fourth record has none to tell."""
    given = release("I make bread somewhere", "My shift as a nurse was long", "Dinner at the bakery", "Quiet")
    found = figures(originals, given)
    assert found["public_kept"].value == pytest.approx(2 / 3)
    assert found["public_kept"].detail["by_attribute"]["job"] == {"kept": pytest.approx(2 / 3), "n": 3}
    assert found["public_kept"].detail["by_attribute"]["age"] == {"kept": None, "n": 0}
    assert (found["label_kept"].value, found["label_kept"].n) == (1.0, 1)
    kept = what_was_kept(READER, given, originals, PARTITION)
    assert kept.useful.tolist() == [False, True, True, False]


def test_a_release_of_some_records_is_held_against_their_own_originals(originals):
    found = figures(originals, release("A nurse", origin=(1,)))
    assert found["public_kept"].value == 1.0
    assert figures(originals, release("A nurse", origin=(0,)))["public_kept"].value == 0.0


def test_a_private_label_and_an_unlabelled_corpus_say_so(originals):
    hidden = Partition("a", ("job",), ("topic", "town", "born", "age"))
    assert "is private for this audience" in figures(originals, release(*TEXTS), hidden)["label_kept"].missing


def test_nobody_to_read_what_was_kept(originals):
    found = rewriting_figures(release(*TEXTS), originals, PARTITION, "nothing is donated", QUICK)
    assert found["public_kept"].missing == found["label_kept"].missing == "nothing is donated"
    assert found["share_changed"].value == 0.0


def test_values_that_survive_are_found_whatever_a_model_said(originals):
    found = figures(originals, release("In bonn, 25", "Long shift", "I was born in Ulm", "Quiet"))
    survivors = found["survivors"]
    # "Bonn" is where the first lives and was born; "25" is finer than the bucket that is public.
    assert survivors.detail["rows"] == [[0, "town"], [0, "born"], [0, "age"], [2, "born"]]
    assert (survivors.value, survivors.detail["records"], survivors.detail["values"]) == (0.5, 2, 4)


def test_what_is_public_as_well_may_stand():
    record = {"topic": "food", "town": "Ulm", "born": "Ulm", "age": "25", "word_count": "9+ words"}
    sides = Partition("b", ("topic", "town"), ("born", "word_count", "job"), coarsened=("age",))
    assert must_not_stand(record, SCHEMA, sides) == {"age": "25"}
    hidden = Partition("c", ("topic",), ("born", "town", "age", "word_count", "job"))
    assert set(must_not_stand(record, SCHEMA, hidden)) == {"town", "born", "age"}


def test_a_fact_that_the_original_does_not_state_is_counted(originals):
    found = figures(originals, release(TEXTS[0], TEXTS[1], f"{TEXTS[2]}, said the nurse", TEXTS[3]))
    assert found["added_facts"].value == 0.25
    assert found["added_facts"].detail["by_attribute"] == {"job": 1}


def test_withheld_records_are_told_with_their_reasons(originals):
    outcome = {"records": 4, "safe": 1, "withheld": {"model failed": 1, "cut off": 1}}
    found = figures(originals, release("A nurse", "Quiet", origin=(1, 3), **outcome))
    assert (found["withheld"].value, found["withheld"].n) == (0.5, 4)
    assert found["withheld"].detail["why"] == {"model failed": 1, "cut off": 1}
    assert found["safe"].value == 0.5


def test_a_release_without_records_has_no_figures(originals):
    found = figures(originals, release(origin=(), records=4, withheld={"model failed": 4}))
    assert found["withheld"].value == 1.0
    for name in set(REWRITING) - {"withheld"}:
        assert found[name].value is None, name


def test_useful_without_anything_told():
    assert not Kept({}, 2).useful.any()
    told = Kept({"a": np.array([np.nan, 1.0, 1.0]), "b": np.array([np.nan, 0.0, 1.0])}, 3)
    assert told.useful.tolist() == [False, False, True]
