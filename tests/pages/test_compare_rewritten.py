"""Compare with rewritten records beside synthetic ones."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from ctxpriv.evaluate.attacks.attack import CLASSIFIER, CLASSIFY, Attack
from ctxpriv.evaluate.report import METRICS, Metric, Report
from ctxpriv.privacy.guarantee import empirical
from ctxpriv.privatize.release import Release
from ctxpriv.run_store import RunFolder

HOSTILE = "![x](http://example.invalid/x.png) <b>bold</b>"


def attack(name: str, leak: float, *, who: str = "double", same: bool = False) -> Attack:
    rows = {
        "town": {"accuracy": leak, "low": leak, "high": leak, "majority": 0.3, "unprotected": 0.9, "n": 3},
        "job": {"accuracy": None, "majority": None, "unprotected": None, "n": 0, "unknown": 3},
    }
    figures = (Metric(leak, 0.1, 0.9, 3), Metric(0.3), Metric(leak - 0.3), Metric(0.9))
    none = Metric.not_computed("no record kept its label and public values")
    identity = {"kind": "local", "name": who, "digest": "", "place": "this machine"}
    return Attack(name, identity, *figures, none, n=3, unknown=3, per_attribute=rows, same_as_evaluator=same)


def store(
    workspace, key: str, method: str, run_id: str, *attacks: Attack, survivors: int = 0, origin=(0, 1, 2)
) -> None:
    """A finished rewriting run as the runner leaves it, with made-up figures."""
    corpus, partition = workspace.corpus(key), workspace.state(key).partitions["vendor"]
    records = pd.DataFrame(
        {"text": [f"{HOSTILE} of row {row}" for row in origin], "topic": ["work", "home", "work"]}
    )
    release = Release(
        method,
        "vendor",
        partition,
        {"max_rounds": 10},
        empirical(method),
        records,
        36,
        origin=origin,
        outcome={"records": 4, "released": 3, "safe": 2, "withheld": {"model failed": 1}},
    )
    metrics = {name: Metric(0.5, 0.4, 0.6, 3) for name in METRICS}
    rows = [[i, "town"] for i in range(survivors)]
    rewriting = {
        "public_kept": Metric(0.8, 0.7, 0.9, 3, detail={"reader": "double"}),
        "label_kept": Metric.not_computed("no original tells its label"),
        "withheld": Metric(0.25, n=4, detail={"why": {HOSTILE: 1}}),
        "survivors": Metric(survivors / 3, n=3, detail={"records": survivors, "rows": rows}),
    }
    report = Report(method, "vendor", None, metrics, attacks=attacks, rewriting=rewriting)
    meta = {"run_id": run_id, "corpus_key": key, "digest": corpus.digest, "method": method, "config": {}}
    folder = RunFolder(workspace.run_folder(run_id))
    folder.work.begin(meta | {"epsilon": None, "audience": "vendor", "seed": 0})
    folder.save_release(release)
    folder.save_report("test", "vendor", partition, report)
    folder.work.end("done")


@pytest.fixture
def both(compared):
    """(workspace, key) with two synthetic and two rewritten releases."""
    workspace, key = compared
    store(workspace, key, "ANON-CI", "c" * 20, attack(CLASSIFIER, 0.4), attack(CLASSIFY, 0.5, same=True))
    store(
        workspace, key, "RUPTA", "d" * 20, attack(CLASSIFIER, 0.6, who=HOSTILE), survivors=2, origin=(0, 2, 5)
    )
    return workspace, key


@pytest.fixture
def rewritten(both, visit):
    app = visit("compare")
    return app.segmented_control(key="family_vendor").set_value("rewritten").run()


def frame(app, column: str) -> pd.DataFrame:
    return next(d.value for d in app.dataframe if column in d.value.columns)


def test_synthetic_records_come_first_and_alone(both, visit):
    app = visit("compare")
    assert not app.exception and not app.error
    assert list(frame(app, "metric").columns) == ["metric", "SDG-CI", "MAPLE"]
    assert app.segmented_control(key="family_vendor").value == "synthetic"


def test_without_rewritten_records_nothing_is_to_be_chosen(compared, visit):
    app = visit("compare")
    assert [c.label for c in app.segmented_control] == ["Audience", "ε", "Picture"]


def test_rewritten_records_have_no_epsilon_to_choose(rewritten, words):
    assert not rewritten.exception and not rewritten.error, words(rewritten)
    assert list(frame(rewritten, "metric").columns) == ["metric", "ANON-CI", "RUPTA"]
    assert "ε" not in [c.label for c in rewritten.segmented_control]
    assert "Over every ε run so far" not in words(rewritten)


def test_only_rewritten_records_are_shown_without_asking(approved, visit):
    workspace, key = approved
    store(workspace, key, "ANON-CI", "c" * 20)
    app = visit("compare")
    assert not app.exception and not app.error
    assert list(frame(app, "metric").columns) == ["metric", "ANON-CI"]
    assert "was attacked" in " ".join(str(c.value) for c in app.caption)


def test_attacks_stand_beside_majority_and_originals(rewritten):
    table = frame(rewritten, "advantage removed")
    first = table.iloc[0]
    assert (first["method"], first["leak"]) == ("ANON-CI", "0.400 (0.100 to 0.900)")
    assert (first["majority"], first["originals"], first["advantage removed"]) == ("0.300", "0.900", "83%")
    assert first["leak when useful"].startswith("not computed")
    assert table["same as evaluator"].tolist() == ["no", "yes", "no"]


def test_every_attribute_has_its_row_also_where_nothing_was_read(rewritten):
    table = frame(rewritten, "attribute")
    job = table[(table["attribute"] == "job") & (table["method"] == "RUPTA")].iloc[0]
    assert pd.isna(job["leak"]) and job["unread answers"] == 3


def test_an_adversary_that_judged_the_rewriting_is_named_as_such(rewritten, words):
    assert "the very model that judged" not in words(rewritten)
    rewritten.segmented_control(key="attack_vendor").set_value(CLASSIFY).run()
    assert "the very model that judged" in words(rewritten)


def test_rewriting_figures_and_who_was_withheld(rewritten, words):
    table = frame(rewritten, "figure").set_index("figure")
    assert table["ANON-CI"].tolist()[0] == "0.800 (0.700 to 0.900)"
    assert "not computed: no original tells its label" in table["ANON-CI"].tolist()
    assert "ANON-CI withheld: ![x](http://example.invalid" in words(rewritten)


def test_surviving_values_are_a_warning_before_the_export(rewritten, words):
    assert "stands word for word" not in words(rewritten)
    rewritten.selectbox(key="bundle_method").set_value("RUPTA").run()
    assert "In 2 released texts of 3 a private value stands word for word: town (2)" in words(rewritten)


def test_the_bundle_says_that_there_is_no_guarantee(rewritten, words):
    assert "no formal privacy guarantee" in words(rewritten)
    rewritten.button(key="make_bundle").click().run()
    assert "is not in the ledger" in words(rewritten)


def test_hostile_words_are_text(rewritten):
    drawn = [*rewritten.markdown, *rewritten.caption, *rewritten.info, *rewritten.warning]
    assert not [m for m in drawn if "![x](http" in str(m.value)]
    assert any(HOSTILE in t.value for t in rewritten.text)


def test_rewrites_of_one_record_stand_side_by_side(rewritten, words):
    def texts(number: int) -> list[str]:
        app = rewritten.number_input(key="record_number").set_value(number).run()
        return [t.value for t in app.text if "of row" in t.value]

    assert rewritten.number_input(key="record_number").max == 4  # of rows 0, 1, 2 and 5
    assert texts(1) == [f"{HOSTILE} of row 0"] * 2
    assert texts(2) == [f"{HOSTILE} of row 1"]
    assert "Withheld, or not chosen to be rewritten" in words(rewritten)
    assert texts(3) == [f"{HOSTILE} of row 2"] * 2
    assert texts(4) == [f"{HOSTILE} of row 5"]


def test_an_adversary_below_the_majority_was_led_astray(approved, visit, words):
    workspace, key = approved
    astray = replace(attack(CLASSIFIER, 0.1), advantage=Metric(-0.2, -0.3, -0.1, 3))
    store(workspace, key, "ANON-CI", "c" * 20, replace(astray, unprotected=Metric(0.4)))
    app = visit("compare")
    assert "worse than one who never reads" in words(app)
    assert frame(app, "advantage removed").iloc[0]["advantage removed"] == "all"


def test_the_choice_is_remembered(rewritten):
    app = rewritten.switch_page("pages/corpus.py").run().switch_page("pages/compare.py").run()
    assert app.segmented_control(key="family_vendor").value == "rewritten"
