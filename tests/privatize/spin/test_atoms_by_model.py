"""Atoms that a model proposes from a description."""

from __future__ import annotations

import pytest

from ctxpriv.errors import BadInput, ModelFailed
from ctxpriv.models.base import Answer
from ctxpriv.privatize.spin.atoms_by_model import atoms_by_model, proposed
from ctxpriv.progress import Cancelled, CancelToken


def topics(*labels: object, text: str = "words") -> dict:
    return {"topics": [{"label": label, "description": text} for label in labels]}


def test_labels_come_in_order_with_repeats_merged_and_bad_ones_counted(scripted_model) -> None:
    model = scripted_model(
        lambda p: topics("late fees", "Late  Fees!", "...", "x" * 121, "rude staff", 7, "**a**")
    )
    got = proposed("complaints to a bank", 3, model)
    assert got.atoms.labels == ("late fees", "rude staff", "**a**")
    assert got.atoms.sources == ("model",) and (got.merged, got.dropped) == (1, 3)
    assert "1 repeated and 3 unusable" in got.told()
    assert model.calls == 1 and "complaints to a bank" in model.prompts[0].user


def test_it_asks_again_for_what_is_lacking_and_stops_in_the_end(scripted_model) -> None:
    model = scripted_model(lambda p: topics(f"label {p.seed}", "label x"))
    assert atoms_by_model("d", 60, model).labels == (
        "label 0",
        "label x",
        *(f"label {i}" for i in range(1, 9)),
    )
    assert model.calls == 9 and all(p.schema["properties"]["topics"]["maxItems"] == 25 for p in model.prompts)


@pytest.mark.parametrize(
    "value", [[], "text", {"topics": "none"}, {"topics": [1, None, {"label": None}]}, {"other": []}, 3]
)
def test_an_answer_of_any_shape_raises_only_model_failed(scripted_model, value: object) -> None:
    with pytest.raises(ModelFailed, match="no usable atom"):
        atoms_by_model("d", 5, scripted_model(lambda p: value))


def test_the_reasons_are_told_when_nothing_is_usable(scripted_model) -> None:
    model = scripted_model(lambda p: Answer(failure="cut off" if p.seed else "not JSON"))
    with pytest.raises(ModelFailed, match=r"not JSON \(1\), cut off \(2\)"):
        atoms_by_model("d", 5, model)


def test_one_failure_does_not_lose_the_others(scripted_model) -> None:
    model = scripted_model(lambda p: topics("a label") if p.seed else Answer(failure="not JSON"))
    got = proposed("d", 1, model)
    assert got.atoms.labels == ("a label",) and got.failures == {"not JSON": 1}
    assert "not JSON (1)" in got.told()


def test_it_needs_a_description_and_can_be_cancelled(scripted_model) -> None:
    model = scripted_model(lambda p: topics("a"))
    with pytest.raises(BadInput, match="no description"):
        atoms_by_model("  ", 5, model)
    with pytest.raises(BadInput, match="no atom"):
        atoms_by_model("d", 0, model)
    token = CancelToken()
    token.cancel()
    with pytest.raises(Cancelled):
        atoms_by_model("d", 5, model, cancel=token)
