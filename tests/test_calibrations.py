from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import pytest

from ctxpriv import cli
from ctxpriv.calibrations import NAME, identity_key, load_calibrations, save_calibration
from ctxpriv.classify.by_norms import NormsClassifier
from ctxpriv.classify.calibrate import FILE_VARIABLE, RatedFlow, calibrate
from ctxpriv.context import Judgement
from ctxpriv.files import WorkspaceFailed
from ctxpriv.models.base import ModelIdentity
from ctxpriv.workspace import Workspace

FLOWS = (RatedFlow("your age", "an advertiser", "marketing", -50.0),)


@pytest.fixture
def workspace(tmp_path):
    return Workspace(tmp_path / "w")


def test_the_last_calibration_of_each_classifier_is_kept(workspace):
    assert load_calibrations(workspace) == {}
    first = calibrate(NormsClassifier(), FLOWS, source="a.jsonl")
    again = replace(first, source="b.jsonl")
    other = replace(first, identity=ModelIdentity("ollama", "llama3.1:8b", "abc"))
    for calibration in (first, other, again):
        save_calibration(workspace, calibration)
    assert load_calibrations(workspace) == {
        identity_key(NormsClassifier().identity): again,
        "ollama:llama3.1:8b:abc": other,
    }


@pytest.mark.parametrize("content", ["{", "[1]", '{"a": {"n": 1}}', '{"a": 3}'])
def test_a_damaged_file_is_named(workspace, content):
    (workspace.root / NAME).write_text(content)
    with pytest.raises(WorkspaceFailed, match=NAME):
        load_calibrations(workspace)


def test_the_command_prints_the_figures_and_keeps_them(workspace, tmp_path, capsys, monkeypatch):
    file = tmp_path / "rated.csv"
    file.write_text(
        "information_type,recipient,purpose,human_rating\n"
        "your age,an advertiser,marketing,-50\n"
        "your health,your doctor,treatment,-20\n"
        "what you search for,a circus,fun,10\n"
    )
    assert cli.main(["calibrate", str(file), "--workspace", str(workspace.root)]) == cli.OK
    out = capsys.readouterr().out
    assert "on 3 rated flows it takes people's side in 1, where calling everything private would in 2" in out
    assert "people -20, public in 100% of samples: your health -> your doctor, for: treatment" in out
    assert "your age" not in out  # only where it differs from people
    [kept] = load_calibrations(workspace).values()
    assert (kept.source, kept.samples, kept.identity) == ("rated.csv", 1, NormsClassifier().identity)
    monkeypatch.setenv(FILE_VARIABLE, str(file))
    assert cli.main(["calibrate", "--workspace", str(workspace.root)]) == cli.OK


@pytest.mark.parametrize(("model", "spec"), [("language", "auto"), ("gguf:some.gguf", "gguf:some.gguf")])
def test_the_command_asks_the_language_model_that_is_named(
    workspace, tmp_path, capsys, monkeypatch, model, spec
):
    choices = []

    class UnsureDouble(NormsClassifier):
        """Test double of a classifier that never gives a usable answer."""

        identity = ModelIdentity("local", "unsure double")

        def classify(self, schema, context, *, samples=3, progress=None, cancel=None):
            choices.append(samples)
            return (Judgement("information", "private", "", 0.0, 0),)

    def roles(choice, workspace):
        choices.append((choice.language_model, choice.classifier))
        return SimpleNamespace(classifier=UnsureDouble())

    monkeypatch.setattr("ctxpriv.casting.study_roles", roles)
    file = tmp_path / "rated.csv"
    file.write_text("information_type,recipient,purpose,human_rating\nage,a shop,sale,-5\n")
    command = ["calibrate", str(file), "--model", model, "--samples", "2", "--workspace", str(workspace.root)]
    assert cli.main(command) == cli.SOME_FAILED
    assert choices == [(spec, "model"), 2]
    out = capsys.readouterr().out
    assert "no usable answer on any of the 1 rated flows" in out and "people -5, no answer: age" in out


def test_the_command_names_a_missing_file(workspace, tmp_path, capsys):
    code = cli.main(["calibrate", str(tmp_path / "none.jsonl"), "--workspace", str(workspace.root)])
    assert code == cli.BAD_INPUT and "none.jsonl: does not exist." in capsys.readouterr().err
