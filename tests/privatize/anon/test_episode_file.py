from __future__ import annotations

from ctxpriv.privatize.anon.episode import CANCELLED, SAFE_AND_USEFUL, Decision, Episode, Round
from ctxpriv.privatize.anon.episode_file import EpisodeFile


def episode(row: int, stop: str = SAFE_AND_USEFUL, text: str = "Ünï\ncode") -> Episode:
    decision = Decision("town", "Ulm", "Ulm", True, "same words", 1.0)
    first = Round(0, "I live in Ulm.", privacy=(decision,), spans={"town": ("Ulm",)}, leaked=("town",))
    second = Round(1, text, added=(("topic", "work"),), memory={"rung": [1]})
    return Episode(row, f"r{row}", (first, second), 1, stop, seconds=0.5)


def test_what_is_kept_comes_back(tmp_path):
    for file in (EpisodeFile(tmp_path / "run" / "episodes.jsonl"), EpisodeFile(None)):
        for row in (3, 1):
            file.append(episode(row))
        assert list(file) == [episode(1), episode(3)]
        assert file.rows() == (1, 3) and file.of(3) == episode(3) and file.of(2) is None


def test_the_last_episode_of_a_record_counts(tmp_path):
    file = EpisodeFile(tmp_path / "episodes.jsonl")
    file.append(episode(1, CANCELLED))
    file.append(episode(2))
    file.append(episode(1, text="again"))
    assert [e.stop for e in file] == [SAFE_AND_USEFUL, SAFE_AND_USEFUL]
    assert file.of(1).released.text == "again"


def test_a_line_that_a_kill_cut_is_passed_over_and_harms_no_other(tmp_path):
    path = tmp_path / "episodes.jsonl"
    file = EpisodeFile(path)
    file.append(episode(1))
    with path.open("ab") as out:
        out.write(b'{"row": 2, "rounds": [')
    assert file.rows() == (1,)
    file.append(episode(2))
    assert file.rows() == (1, 2) and file.of(2) == episode(2)


def test_text_that_utf8_cannot_say_is_kept(tmp_path):
    file = EpisodeFile(tmp_path / "episodes.jsonl")
    file.append(episode(1, text="lone \ud800 surrogate"))
    assert "surrogate" in file.of(1).released.text


def test_a_round_is_safe_only_when_all_is_known():
    assert Round(1, "x").safe and not Round(0, "x").safe
    assert not Round(1, "x", leaked=("town",)).safe
    assert not Round(1, "x", survivors=("town",)).safe
    assert not Round(1, "x", unknown=("town",)).safe and not Round(1, "x", unknown=("town",)).usable
    assert not Round(1, "", "cut off").usable
