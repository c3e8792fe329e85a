from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ctxpriv.models.base import Answer
from ctxpriv.privatize.anon.rewrite_answers import (
    as_written,
    is_cut,
    is_refusal,
    quoted,
    read_changes,
    read_rewrite,
    room_for,
    seed_of,
    with_changes,
)
from ctxpriv.rewriting_roles import REFUSED, UNREADABLE


def answered(value) -> Answer:
    return Answer(text="raw", parsed=value)


def test_a_rewrite_is_read():
    read = read_rewrite(answered({"rewrite": "  I live in a city.\n"}), "I live in Porto.")
    assert (read.text, read.failure) == ("I live in a city.", "")


@pytest.mark.parametrize("failure", ["cut off", "not JSON", "schema violated", "timed out", "empty"])
def test_a_failed_answer_keeps_its_reason_and_no_text(failure):
    read = read_rewrite(Answer(text='{"rewrite": "I live in', failure=failure), "I live in Porto.")
    assert (read.text, read.failure) == ("", failure)


@pytest.mark.parametrize(
    ("value", "failure"),
    [
        ({"rewrite": " \n\t"}, "empty"),
        ({"rewrite": None}, UNREADABLE),
        ({"rewrite": ["a"]}, UNREADABLE),
        ({"other": "a"}, UNREADABLE),
        ("just a text", UNREADABLE),
        (None, UNREADABLE),
    ],
)
def test_what_is_no_rewrite(value, failure):
    read = read_rewrite(answered(value), "I live in Porto.")
    assert (read.text, read.failure) == ("", failure)


@pytest.mark.parametrize("placeholder", ["...", "…", ' "..." '])
def test_the_example_of_the_prompt_is_no_rewrite(placeholder):
    assert read_rewrite(answered({"rewrite": placeholder}), "I live in Porto.").failure == UNREADABLE


REFUSALS = (
    "I'm sorry, but I can't assist with that request.",
    "I am sorry, I cannot rewrite texts about private people.",
    "Sorry, I won't do that.",
    "I cannot assist with this.",
    "I can’t help with that.",
    "As an AI language model, I do not process personal data.",
    "Es tut mir leid, aber ich kann diesen Text nicht umschreiben.",
    "Je suis désolé, mais je ne peux pas vous aider.",
    "Lo siento, no puedo ayudar con eso.",
    "Desculpe, não posso reescrever este texto.",
    "Mi dispiace, ma non posso aiutarti.",
    "Przepraszam, ale nie mogę tego zrobić.",
    "Üzgünüm, bu isteğe yardımcı olamam.",
    "抱歉，我无法完成这个请求。",
    "申し訳ありませんが、お手伝いできません。",
    "죄송하지만 도와드릴 수 없습니다.",
)


@pytest.mark.parametrize("text", REFUSALS)
def test_refusals_in_several_languages(text):
    assert is_refusal(text, "I live in Porto and drive a tram.")
    assert read_rewrite(answered({"rewrite": text}), "I live in Porto.").failure == REFUSED


@pytest.mark.parametrize(
    "text",
    [
        "Sorry for the long post. I live near the sea.",
        "I'm so sorry about your dog! We lost ours too.",
        "I can't help laughing when the tram stops.",
        "I cannot cook, so my wife does.",
        "My brother said: I'm sorry, but I can't assist with that.",
        "Lo siento mucho por tu perro.",
        "Es tut mir leid um deinen Hund.",
        "As an accountant I see this every day.",
    ],
)
def test_a_text_that_contains_sorry_is_no_refusal(text):
    assert not is_refusal(text, "Something else.")


def test_a_text_that_itself_begins_as_a_refusal_may_be_rewritten():
    original = "Sorry, I can't do that any more since my knee went in Porto."
    assert not is_refusal("Sorry, I can't do that any more since my knee went.", original)


def test_room_grows_with_the_text(scripted_model):
    model = scripted_model(lambda prompt: {})
    assert room_for("word " * 200, model) > 1.5 * 200
    assert room_for("", model) > 0


def test_seeds_differ_by_seed_round_and_text_and_are_stable():
    seeds = {seed_of(s, r, t) for s in (0, 1) for r in (1, 2) for t in ("a", "b", "a half \ud800")}
    assert len(seeds) == 12
    assert all(0 <= s < 2**31 for s in seeds)
    assert seed_of(3, 2, "x") == seed_of(3, 2, "x")


def changes(*pairs):
    return {"changes": [{"words": words, "instead": instead} for words, instead in pairs]}


def test_changes_are_read_in_order():
    read = read_changes(answered(changes(("since 1987", " for long "), ('"Porto"', "my city"))))
    assert read == (("since 1987", "for long"), ("Porto", "my city"))
    assert read_changes(answered(changes())) == ()


@pytest.mark.parametrize(
    "pair",
    [
        ("Porto", "Porto"),
        ("Porto", "the old town of Porto"),
        ("...", "..."),
        ("Porto", "..."),
        ("a", "b"),
        ("", "b"),
        ("Porto", None),
        (7, "b"),
    ],
)
def test_changes_that_hide_nothing_are_dropped(pair):
    assert read_changes(answered(changes(pair, ("1987", "then")))) == (("1987", "then"),)


@pytest.mark.parametrize(
    "value",
    [None, "text", {}, {"changes": "none"}, {"changes": {"Porto": "city"}}, changes(("Porto", "Porto"))],
)
def test_where_there_is_no_change_to_be_read(value):
    assert read_changes(answered(value)) is None
    assert read_changes(Answer(text="{}", failure="cut off")) is None


def test_names_of_attributes_are_no_words_of_a_text():
    said = answered(changes(("Home City", "x1"), ("since 1987", "home_city"), ("Porto", "a city")))
    assert read_changes(said, ["home_city"]) == (("Porto", "a city"),)


def test_changes_are_made_at_whole_words_in_any_case_and_only_once():
    text = "Since 1987 I live in Porto. PORTO, not Portobello! Eleven winters, eleven tales."
    made = with_changes(
        text,
        [("Porto", "the city"), ("since 1987", "for years"), ("eleven", "many"), ("the city", "wrong")],
    )
    assert made == "For years I live in the city. The city, not Portobello! Many winters, many tales."


def test_longer_words_go_before_the_shorter_ones_in_them():
    assert with_changes("my late wife died", [("wife", "x"), ("my late wife", "somebody")]) == "somebody died"


def test_words_are_no_patterns_and_replacements_no_templates():
    assert with_changes("I paid (about) $12 + fee", [("(about) $12", r"\1 ${x}")]) == r"I paid \1 ${x} + fee"


@settings(deadline=None, max_examples=50)
@given(
    st.text(alphabet="ab .ß$\\(", max_size=40),
    st.lists(st.tuples(st.text(alphabet="ab .ß$(", min_size=1, max_size=4), st.just("#")), max_size=4),
)
def test_a_text_is_only_changed_where_the_words_stand(text, pairs):
    made = with_changes(text, pairs)
    if not any(words.casefold() in text.casefold() for words, _ in pairs):
        assert made == text
    assert len(made) <= len(text)


SAID = (
    'She said "never again" and then, of course, she did it again, twice, with "feeling" and a hat, at noon.'
)


def test_straight_quotes_go_out_curly_and_come_back_straight():
    """A straight quote that a model copies unescaped ends its JSON string: the rest would be lost."""
    sent = quoted(SAID)
    assert '"' not in sent and sent.count("“") == sent.count("”") == 2
    answer = answered({"rewrite": sent, "changes": [{"words": "“feeling”", "instead": "it"}]})
    back = as_written(answer, SAID).parsed
    assert back == {"rewrite": SAID, "changes": [{"words": '"feeling"', "instead": "it"}]}
    assert as_written(answer, SAID + " “Ja.”").parsed == answer.parsed, "own curly quotes are kept"
    assert quoted("no quotes") == "no quotes" and quoted('odd " one') == "odd “ one"


@pytest.mark.parametrize(
    ("rewrite", "failure"),
    [("She said never again.", "cut off"), (SAID.replace("She", "Somebody"), ""),
     ("Somebody said so and then they did it again, twice, with feeling.", "")],
)  # fmt: skip
def test_a_rewrite_without_most_of_its_text_was_cut_off(rewrite, failure):
    assert read_rewrite(answered({"rewrite": rewrite}), SAID).failure == failure
    assert not is_cut("Yes.", "Yes, of course I do."), "a short text may get shorter"
