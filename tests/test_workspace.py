"""What is kept on disk: round trips, undo, approvals, kills at any moment, broken disks."""

from __future__ import annotations

import contextlib
import errno
import json
import os
import stat
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from ctxpriv.context import Approval, Audience, CorpusContext, Judgement, Partition
from ctxpriv.corpus import Corpus
from ctxpriv.errors import BadInput
from ctxpriv.files import DiskFull, WorkspaceFailed, write_text
from ctxpriv.model_choice import ModelChoice
from ctxpriv.project import ProjectState
from ctxpriv.schema import Attribute, Coarsening, Schema
from ctxpriv.workspace import Workspace

YES = Approval("R. Viewer", "2026-11-29", "looked at it")


def corpus(n: int = 6, name: str = "Tiny") -> Corpus:
    schema = Schema(
        (Attribute("age", ("20", "30", "40", "Not stated")), Attribute("topic", ("a", "b"), "what it is on")),
        {
            "age": Coarsening(
                "age",
                {"20": "young", "30": "old", "40": "old", "Not stated": "Not stated"},
                ("young", "old", "Not stated"),
            )
        },
    )
    table = pd.DataFrame({"age": ["20", "30", "40"] * (n // 3), "topic": ["a", "b", "a"] * (n // 3)})
    texts = tuple(f"text {i} with\u2028odd\nbreaks and ümlaut" for i in range(n))
    splits = np.array((["private"] * n)[: n - 2] + ["test", "donated"], object)
    return Corpus(
        name,
        tuple(f"r{i}" for i in range(n)),
        texts,
        table,
        schema,
        splits,
        "topic",
        tuple(f"a{i % 2}" for i in range(n)),
        CorpusContext("posters", "forum", "consent"),
        {"age": 1},
    )


def state() -> ProjectState:
    audience = Audience("Vendor", "an ML vendor", "training")
    return ProjectState(context=corpus().context).with_audience(
        audience, Partition("Vendor", ("topic",), ("age",), YES)
    )


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace(tmp_path / "ws")


def test_a_corpus_comes_back_as_it_was(workspace: Workspace) -> None:
    there = corpus()
    key = workspace.add_corpus(there)
    back = Workspace(workspace.root).corpus(key)
    assert back.digest == there.digest
    assert back.texts == there.texts and back.authors == there.authors and back.context == there.context
    assert back.schema.to_dict() == there.schema.to_dict() and back.outside == {"age": 1}
    assert back.codes().tolist() == there.codes().tolist()
    (entry,) = workspace.corpora()
    assert (entry.key, entry.name, entry.n_records) == (key, "Tiny", 6)


def test_the_same_corpus_keeps_its_key_and_another_gets_its_own(workspace: Workspace) -> None:
    key = workspace.add_corpus(corpus())
    assert workspace.add_corpus(corpus()) == key
    assert workspace.add_corpus(corpus(9)) != key
    assert len(workspace.corpora()) == 2


def test_content_added_again_after_an_edit_is_a_second_corpus(workspace: Workspace) -> None:
    key = workspace.add_corpus(corpus())
    workspace.save_corpus(key, replace(corpus(), label=None), "No label")
    again = workspace.add_corpus(corpus())
    assert again != key and workspace.corpus(again).label == "topic" and workspace.corpus(key).label is None


def test_state_comes_back_as_it_was(workspace: Workspace) -> None:
    key = workspace.add_corpus(corpus())
    full = replace(
        state(),
        description="d",
        workload="w",
        models=ModelChoice(generator="local", trusted_hosts=("box",)),
        judgements={"Vendor": (Judgement("age", "private", "because", 1.0, 3),)},
        settings={"epsilon": [1.0]},
    )
    workspace.save_state(key, full, "All of it")
    assert Workspace(workspace.root).state(key) == full


def test_undo_and_redo_walk_through_corpus_and_state(workspace: Workspace) -> None:
    key = workspace.add_corpus(corpus())
    workspace.save_state(key, state(), "Audience added")
    workspace.save_corpus(key, corpus().with_schema(corpus().schema.without_coarsening("age")), "No buckets")
    assert [what for _, what in workspace.history(key)] == ["Corpus added", "Audience added", "No buckets"]

    assert workspace.undo(key).partitions["Vendor"].approval == YES
    assert "age" in workspace.corpus(key).schema.coarsenings
    assert workspace.undo(key).audiences == ()
    with pytest.raises(BadInput, match="nothing to undo"):
        workspace.undo(key)
    workspace.redo(key)
    assert workspace.redo(key).partitions["Vendor"].approval is None
    assert "age" not in workspace.corpus(key).schema.coarsenings
    with pytest.raises(BadInput, match="nothing to redo"):
        workspace.redo(key)


def test_an_edit_after_undo_drops_what_could_be_redone_and_its_files(workspace: Workspace) -> None:
    key = workspace.add_corpus(corpus())
    workspace.save_corpus(key, corpus(9), "More records")
    parts = workspace.root / "corpora" / key / "parts"
    assert len(list(parts.iterdir())) == 4
    workspace.undo(key)
    workspace.save_state(key, state(), "Audience added")
    assert [what for _, what in workspace.history(key)] == ["Corpus added", "Audience added"]
    assert len(list(parts.iterdir())) == 2
    assert len(list((parts.parent / "versions").iterdir())) == 2
    assert workspace.corpus(key).digest == corpus().digest


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.with_attribute(Attribute("age", ("20", "30", "40", "50", "Not stated"))),
        lambda s: s.without_coarsening("age"),
        lambda s: s.with_attribute(replace(s["topic"], description="something else")),
    ],
)
def test_any_schema_change_voids_approvals(workspace: Workspace, change) -> None:
    key = workspace.add_corpus(corpus())
    workspace.save_state(key, state(), "Approved")
    workspace.save_corpus(key, corpus().with_schema(change(corpus().schema)), "Schema edited")
    assert workspace.state(key).approved == ()


def test_new_attributes_start_private_and_gone_ones_leave(workspace: Workspace) -> None:
    key = workspace.add_corpus(corpus())
    judged = state().with_judgements("Vendor", (Judgement("topic", "public", "r", 1.0, 3),))
    workspace.save_state(key, judged, "Approved")
    wider = corpus().schema.with_attribute(Attribute("city", ("Rome", "Not stated")))
    table = corpus().table.assign(city="Rome")
    workspace.save_corpus(key, corpus().with_schema(wider.only(["age", "city"]), table), "Topic out, city in")
    partition = workspace.state(key).partitions["Vendor"]
    assert (partition.public, partition.private) == ((), ("age", "city"))
    assert workspace.state(key).judgements["Vendor"] == ()


@pytest.mark.parametrize(
    "change",
    [
        lambda c: replace(c, table=c.table.assign(age="20")),
        lambda c: replace(c, label=None if c.label else "topic"),
        lambda c: replace(c, splits=np.asarray(["private"] * len(c), object)),
    ],
)
def test_an_approval_ends_with_the_records_it_was_given_for(workspace: Workspace, change) -> None:
    """The checks before it saw other values, or other private records."""
    key = workspace.add_corpus(corpus())
    workspace.save_state(key, state(), "Approved")
    workspace.save_corpus(key, change(corpus()), "Corrected")
    assert workspace.state(key).approved == ()


def test_an_approval_outlives_a_new_name_of_the_corpus(workspace: Workspace) -> None:
    key = workspace.add_corpus(corpus())
    workspace.save_state(key, state(), "Approved")
    workspace.save_corpus(key, replace(corpus(), name="another name"), "Renamed")
    assert workspace.state(key).approved == ("Vendor",)


@pytest.mark.parametrize(
    "change",
    [
        lambda s: replace(s, audiences=(Audience("Vendor", "a broker", "resale"),)),
        lambda s: replace(s, context=CorpusContext("patients", "clinic", "law")),
        lambda s: replace(s, partitions={"Vendor": Partition("Vendor", ("age",), ("topic",), YES)}),
    ],
)
def test_an_approval_carried_over_to_another_flow_is_void(workspace: Workspace, change) -> None:
    key = workspace.add_corpus(corpus())
    workspace.save_state(key, state(), "Approved")
    assert workspace.save_state(key, change(state()), "Changed").approved == ()
    assert workspace.state(key).approved == ()


def test_a_new_approval_of_a_changed_flow_holds(workspace: Workspace) -> None:
    key = workspace.add_corpus(corpus())
    workspace.save_state(key, state(), "Approved")
    changed = replace(state(), audiences=(Audience("Vendor", "a broker", "resale"),))
    again = changed.with_partition(changed.partitions["Vendor"].approved(Approval("R. Viewer", "2026-11-30")))
    assert workspace.save_state(key, again, "Approved again").approved == ("Vendor",)


def test_a_partition_must_cover_the_schema(workspace: Workspace) -> None:
    key = workspace.add_corpus(corpus())
    bad = state().with_partition(Partition("Vendor", (), ("age",)))
    with pytest.raises(BadInput, match="topic"):
        workspace.save_state(key, bad, "Bad")
    assert workspace.state(key).audiences == ()


def test_changed_audience_loses_judgements_and_approval() -> None:
    before = state().with_judgements("Vendor", (Judgement("age", "private", "r", 1.0, 3),))
    after = before.with_audience(Audience("Vendor", "an ML vendor", "advertising"))
    assert after.judgements == {} and after.approved == ()
    assert before.with_audience(before.audiences[0]) == before


@pytest.mark.parametrize("moment", range(8))
def test_a_kill_at_any_moment_leaves_the_old_or_the_new_state(
    workspace: Workspace, monkeypatch, moment: int
) -> None:
    """Every file operation of an edit is a moment to die at."""
    key = workspace.add_corpus(corpus())
    workspace.save_state(key, state(), "Before")
    calls = {"n": 0}

    class Killed(BaseException):
        pass

    def dying(real):
        def wrapped(*args, **kwargs):
            if calls["n"] == moment:
                raise Killed
            calls["n"] += 1
            return real(*args, **kwargs)

        return wrapped

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", dying(os.replace))
        patch.setattr(os, "fsync", dying(os.fsync))
        patch.setattr(Path, "unlink", dying(Path.unlink))
        with contextlib.suppress(Killed):
            workspace.save_corpus(key, corpus(9), "After")
    fresh = Workspace(workspace.root)
    assert fresh.corpus(key).digest in (corpus().digest, corpus(9).digest)
    assert fresh.history(key)[-1][1] in ("Before", "After")
    fresh.save_state(key, fresh.state(key).with_settings(x=1), "Life goes on")
    assert fresh.state(key).settings == {"x": 1}


def _no_space(*args, **kwargs):
    raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


def test_a_full_disk_is_said_and_loses_nothing(workspace: Workspace, monkeypatch) -> None:
    key = workspace.add_corpus(corpus())
    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", _no_space)
        with pytest.raises(DiskFull, match="disk is full"):
            workspace.save_state(key, state(), "Too much")
        with pytest.raises(DiskFull):
            workspace.add_corpus(corpus(9))
    assert workspace.state(key).audiences == ()
    assert len(workspace.corpora()) == 1
    assert not list(workspace.root.rglob("*.tmp"))


def test_a_read_only_disk_is_said(tmp_path: Path, monkeypatch) -> None:
    def read_only(*args, **kwargs):
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "fsync", read_only)
    with pytest.raises(WorkspaceFailed, match="read-only"):
        Workspace(tmp_path / "ws")


def test_a_file_in_the_way_is_said(tmp_path: Path) -> None:
    (tmp_path / "ws").write_text("in the way")
    with pytest.raises(WorkspaceFailed, match="a file is where a folder must be"):
        Workspace(tmp_path / "ws")


def test_damaged_files_are_named(workspace: Workspace) -> None:
    key = workspace.add_corpus(corpus())
    folder = workspace.root / "corpora" / key
    part = next((folder / "parts").iterdir())
    part.write_text(part.read_text("utf-8").replace("r0", "r9", 1).replace("20", "30", 1), "utf-8")
    with pytest.raises(WorkspaceFailed, match="damaged"):
        workspace.corpus(key)
    (folder / "timeline.json").write_text("{")
    with pytest.raises(WorkspaceFailed, match="timeline.json.*damaged"):
        workspace.corpora()


def test_another_format_is_refused(tmp_path: Path) -> None:
    Workspace(tmp_path / "ws")
    (tmp_path / "ws" / "workspace.json").write_text(json.dumps({"format": 99}))
    with pytest.raises(WorkspaceFailed, match="format"):
        Workspace(tmp_path / "ws")


def test_everything_is_for_the_owner_alone(workspace: Workspace) -> None:
    key = workspace.add_corpus(corpus())
    workspace.save_state(key, state(), "Approved")
    write_text(workspace.cache_file("answers"), "x")
    for path in [workspace.root, *workspace.root.rglob("*")]:
        if path.suffix != ".lock":  # empty files
            assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


@pytest.mark.parametrize("key", ["../x", "", "A", "nope"])
def test_unknown_keys_are_messages(workspace: Workspace, key: str) -> None:
    with pytest.raises(BadInput):
        workspace.corpus(key)


def test_a_removed_corpus_is_gone(workspace: Workspace) -> None:
    key = workspace.add_corpus(corpus())
    workspace.remove_corpus(key)
    assert workspace.corpora() == []
    assert not [p for p in workspace.root.rglob("*") if "jsonl" in p.name]


def test_default_folder_comes_from_the_environment(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("CTXPRIV_WORKSPACE", str(tmp_path / "here"))
    assert Workspace().root == tmp_path / "here"
