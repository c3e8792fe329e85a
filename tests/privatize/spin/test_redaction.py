"""What heuristic redaction finds, and what it is known to miss."""

from __future__ import annotations

import pytest

from ctxpriv.privatize.spin.redaction import redacted


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Write to jo.doe+x@mail.example.org please.", "Write to [e-mail] please."),
        ("See https://example.org/a?b=1 or www.example.org.", "See [link] or [link]."),
        ("Call 555-123-4567 or (555) 123 4567 or +1 555 123 4567.", "Call [phone] or [phone] or [phone]."),
        ("Account 1234 5678 9012, card XXXX-123456.", "Account [number], card [number]."),
        ("we met May 12, 2024 and 3/4/2023 and 2024-05-12.", "we met [date] and [date] and [date]."),
        ("They took $1,200.50. And 300 dollars.", "They took [money]. And [money]."),
        ("and then Mr. Smith at Norrelby Bank", "and then [name] at [name]"),
        ("nothing to see here", "nothing to see here"),
        ("", ""),
    ],
)
def test_finds(text, expected):
    assert redacted(text) == expected


def test_uses_the_project_s_detectors():
    assert "69" not in redacted("My blood pressure cannot take this, I am 69.")
    assert "Chicago" not in redacted("I live in Chicago with my cat.")
    assert "nurse" not in redacted("I work as a nurse.")


def test_finds_that_overlap_become_one():
    assert redacted("in March 2024 I met Mrs Anna Lee Brown Green.").count("[") <= 2
    text = redacted("Mail jo@555-123-4567.example now.")
    assert text.count("[") == 1
    assert "4567" not in text


def test_misses_what_no_pattern_tells():
    """The reference exists to show this: a redacted record may still give its writer away."""
    text = "the only one with a pet lynx on this island"
    assert redacted(text) == text
