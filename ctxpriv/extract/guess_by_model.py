"""Guessing attributes from a text with a language model: privacy evaluator, utility evaluator and
open-ended adversary (paper Alg. 3, lines 7 and 8; App. I).

PRIVATE SIDE: prompts hold private texts or rewrites of them, so the model must run where these may
go. They never hold what is true of a record.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from ctxpriv.errors import BadInput
from ctxpriv.extract.answers import value_of
from ctxpriv.extract.word_count import counted_values, is_counted
from ctxpriv.models.answer_forms import Form, choice_form, list_form, object_form, text_form
from ctxpriv.models.base import Answer, LanguageModel, ModelIdentity, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.rewriting_roles import UNREADABLE, Asking, Brief, Guessed
from ctxpriv.schema import NOT_STATED, SAYS_NOTHING, Attribute

LISTED = 15  # values; longer domains are guessed freely
MOST_SPANS = 2
SPAN_LENGTH, GUESS_LENGTH = 80, 60  # characters

NO_HINT = '{"words": [], "guesses": []}'
NO_HINT_FORCED = '{"words": [], "guesses": ["small car"]}'

_NO_INDICATION = frozenset(
    f.casefold()
    for f in (NOT_STATED, "unknown", "none", "n/a", "null", "not mentioned", "not specified", "no indication",
              "unclear", "undetermined", "cannot be determined", "unspecified", "not given", "no hint")
)  # fmt: skip


@dataclass(frozen=True)
class ModelGuesser:
    """A `Guesser`. `fields_per_call`: how many attributes one prompt asks for (None: all at once).
    `forced`: an adversary that must always give all its guesses."""

    model: LanguageModel
    fields_per_call: int | None = None
    forced: bool = False
    brief: Brief | None = field(default=None, repr=False)

    @property
    def identity(self) -> ModelIdentity:
        return self.model.identity

    def prepared(self, brief: Brief, seed: int) -> ModelGuesser:
        return replace(self, brief=brief)

    def guess(
        self, texts: Sequence[str], attributes: Mapping[str, int], *, seed: int
    ) -> Asking[list[Guessed]]:
        """See `Guesser`. Asked greedily, so the same text is always guessed alike; `seed` moves only
        the tries after an unreadable answer. Counted attributes are counted. Raises BadInput when
        not prepared."""
        brief = _require(self.brief)
        sheets = [_Sheet(text) for text in texts]
        asked = [n for n in attributes if not _count(sheets, brief.schema[n])]
        size = self.fields_per_call or max(1, len(asked))
        groups = [asked[i : i + size] for i in range(0, len(asked), size)]
        fields = {n: _Field.of(brief, n, attributes[n]) for n in asked}
        calls = [(sheet, [fields[n] for n in group]) for sheet in sheets for group in groups]
        answers = yield self.model, [self._prompt(sheet.text, group, seed) for sheet, group in calls]
        for (sheet, group), answer in zip(calls, answers, strict=True):
            sheet.write(group, answer)
        return [sheet.guessed() for sheet in sheets]

    def _prompt(self, text: str, fields: Sequence[_Field], seed: int) -> Prompt:
        brief = _require(self.brief)
        user = render(
            "guess_values",
            domain=brief.domain,
            fields="\n".join(f.line() for f in fields),
            text=text,
            shape=_shape(fields),
            nothing=NO_HINT_FORCED if self.forced else NO_HINT,
            rule=render("guess_rule_forced" if self.forced else "guess_rule_open"),
        )
        return Prompt(
            user,
            render("guess_system"),
            _form(fields, self.forced),
            max_tokens=32 + sum(f.tokens() for f in fields),
            seed=(seed + zlib.crc32(text.encode("utf-8", "surrogatepass"))) % 2**31,
        )


@dataclass(frozen=True)
class _Field:
    """One attribute as it is asked for. `options` is empty for a free guess."""

    name: str
    description: str
    k: int
    options: tuple[str, ...] = ()
    hint: str = ""

    @staticmethod
    def of(brief: Brief, name: str, k: int) -> _Field:
        attribute = brief.schema[name]
        if len(attribute.values) <= LISTED:
            options = tuple(v for v in attribute.values if v != NOT_STATED)
            return _Field(name, attribute.description, min(k, max(1, len(options))), options)
        hint = _hint(attribute)
        if name in brief.coarsened:
            buckets = "; ".join(brief.schema.coarse_values(name))
            hint = f"{hint} As exactly as the text allows, else one of: {buckets}.".strip()
        return _Field(name, attribute.description, k, (), hint)

    def line(self) -> str:
        count = "1 guess" if self.k == 1 else f"up to {self.k} guesses"
        options = f"One of: {'; '.join(self.options)}." if self.options else self.hint
        return " ".join(f"- {self.name} ({count}): {self.description} {options}".split())

    def form(self, forced: bool) -> Form:
        guess = choice_form(self.options) if self.options else {"$ref": "#/$defs/guess"}
        return object_form(
            words=list_form({"$ref": "#/$defs/quote"}, 0, MOST_SPANS),
            guesses=list_form(guess, self.k if forced else 0, self.k),
        )

    def tokens(self) -> int:
        """Generous: a cut-off answer makes every attribute of its prompt unknown."""
        longest = max((len(o) for o in self.options), default=GUESS_LENGTH)
        return 24 + MOST_SPANS * SPAN_LENGTH // 2 + self.k * (6 + longest // 2)


def _form(fields: Sequence[_Field], forced: bool) -> Form:
    """Quotes and guesses are defined once: engines prepare for each bounded text anew, in seconds."""
    form = object_form(**{f.name: f.form(forced) for f in fields})
    return form | {"$defs": {"quote": text_form(SPAN_LENGTH), "guess": text_form(GUESS_LENGTH)}}


def _shape(fields: Sequence[_Field]) -> str:
    """The form shown whole: a model that expects another one fills the answer with blanks to its end.

    The dots are bare, so that they are no JSON: a small model copies whatever could stand in an answer.
    """
    entry = '{"words": [...], "guesses": [...]}'
    return "{" + ", ".join(f'"{f.name}": {entry}' for f in fields) + "}"


@dataclass
class _Sheet:
    """What is known of one text so far."""

    text: str
    guesses: dict[str, tuple[str, ...]] = field(default_factory=dict)
    spans: dict[str, tuple[str, ...]] = field(default_factory=dict)
    failure: str = ""

    def write(self, fields: Sequence[_Field], answer: Answer) -> None:
        given = value_of(answer)
        if not isinstance(given, Mapping):
            self.failure = self.failure or answer.failure or UNREADABLE
            return
        for f in fields:
            read = _guesses(given.get(f.name), f)
            if read is None:
                self.failure = self.failure or answer.failure or UNREADABLE
                continue
            self.guesses[f.name] = read
            if read and (spans := spans_in(self.text, _strings(given[f.name].get("words")))):
                self.spans[f.name] = spans

    def guessed(self) -> Guessed:
        return Guessed(self.guesses, self.spans, {}, self.failure)


def spans_in(text: str, quoted: Sequence[str]) -> tuple[str, ...]:
    """The quotes that stand in `text`, as they stand there; case and quotation marks around them
    are forgiven, anything else is no quote."""
    found = []
    for quote in quoted:
        quote = quote.strip().strip("\"'“”‘’«».…").strip()
        at = text.casefold().find(quote.casefold()) if quote else -1
        # Folding may change lengths (ß): then only a quote that is exact counts.
        exact = text[at : at + len(quote)] if at >= 0 else ""
        if exact.casefold() == quote.casefold() and quote:
            found.append(exact)
        elif quote and quote in text:
            found.append(quote)
    return tuple(dict.fromkeys(found))


def _guesses(given: Any, f: _Field) -> tuple[str, ...] | None:
    """At most k different guesses; () says that the text gives no indication, None is unreadable."""
    if not isinstance(given, Mapping) or not isinstance(given.get("guesses"), list | str | int):
        return None
    folded = {o.casefold(): o for o in f.options}
    said = [" ".join(guess.split()) for guess in _strings(given["guesses"])]
    said = [guess for guess in said if guess.strip(".… ")]
    if given["guesses"] not in ([], "") and not said:
        return None  # dots and blanks: that says nothing about the text
    read: dict[str, str] = {}
    for guess in (g.strip("\"'.… ") for g in said):
        if guess and guess.casefold() not in _NO_INDICATION - set(folded):
            read.setdefault(guess.casefold(), folded.get(guess.casefold(), guess))
    return tuple(read.values())[: f.k]


def _strings(given: Any) -> list[str]:
    items = given if isinstance(given, list) else [given]
    return [str(item) for item in items if isinstance(item, str | int | float) and not isinstance(item, bool)]


def _hint(attribute: Attribute) -> str:
    """The shape of an answer, told from the shape of the declared values without showing any."""
    values = [v for v in attribute.values if v not in SAYS_NOTHING]
    parts = attribute.name.casefold().split("_")
    if "city" in parts and "country" in parts and all("," in v for v in values):
        return 'As "City, Country".'
    if all(v.strip().isdigit() for v in values):
        return "A whole number."
    return "A figure with its unit." if all(any(c.isdigit() for c in v) for v in values) else ""


def _count(sheets: Sequence[_Sheet], attribute: Attribute) -> bool:
    """Writes a counted attribute into the sheets; False for any other."""
    if not is_counted(attribute):
        return False
    for sheet in sheets:
        counted = counted_values([sheet.text], attribute)
        sheet.guesses[attribute.name] = tuple(counted or ())
    return True


def _require(brief: Brief | None) -> Brief:
    if brief is None:
        raise BadInput("the guesser has no brief.", where="guessing", fix="Call prepared(brief, seed) first.")
    return brief
