"""The adversaries of an evaluation: who they are, and what they answered, asked once per text.

PRIVATE SIDE (curator-only): adversaries read original texts as well as rewrites.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Protocol

import pandas as pd

from ctxpriv.corpus import Corpus
from ctxpriv.evaluate.attacks.attack import CLASSIFIER, CLASSIFY, OPEN
from ctxpriv.models.base import ModelIdentity
from ctxpriv.models.weights import SMOLLM2
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.rewriting_roles import Brief, Guessed
from ctxpriv.roles import Roles
from ctxpriv.schema import SAYS_NOTHING

FIELDS_OF_A_STAND_IN = 3
"""Attributes in one question to the small embedded model, which loses the thread of more."""


class Player(Protocol):
    """Names the attributes in `brief.private` from each text alone."""

    @property
    def identity(self) -> ModelIdentity: ...

    def answers(
        self,
        texts: Sequence[str],
        brief: Brief,
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> list[Guessed]: ...


@dataclass(frozen=True)
class Terms:
    """By what answers count. `closed`: they are values that were given to choose from (the buckets of a
    coarsened attribute), and are held against the truth exactly; else they go through
    `ctxpriv.matching`. `guesses`: how many count per attribute."""

    name: str
    who: Mapping[str, str]
    closed: bool = True
    guesses: int = 1


@dataclass(frozen=True)
class Adversary:
    """Who attacks, and on which `Terms`."""

    name: str
    player: Player = field(repr=False)
    closed: bool = True
    guesses: int = 1

    @property
    def terms(self) -> Terms:
        return Terms(self.name, self.player.identity.to_dict(), self.closed, self.guesses)


def adversaries_of(roles: Roles) -> tuple[Adversary, ...]:
    """The classifier always; with a language model as `roles.adversary`, its two attacks as well."""
    from ctxpriv.evaluate.attacks.by_classifier import ClassifierAdversary

    found = [Adversary(CLASSIFIER, ClassifierAdversary(roles.embedder))]
    if roles.adversary is not None:
        from ctxpriv.evaluate.attacks.by_model import OPEN_GUESSES, ClassifyAdversary, OpenAdversary

        small = roles.adversary.identity.name == SMOLLM2.name
        at_once = FIELDS_OF_A_STAND_IN if small else None
        found.append(Adversary(CLASSIFY, ClassifyAdversary(roles.adversary)))
        found.append(
            Adversary(OPEN, OpenAdversary(roles.adversary, at_once), closed=False, guesses=OPEN_GUESSES)
        )
    return tuple(found)


@dataclass(frozen=True)
class Originals:
    """The private records as targets: `table` holds their true specific values, `units` their authors.

    PRIVATE SIDE. `heard` keeps what every adversary answered about a text, so that the originals are
    attacked once per corpus, and a release that many audiences get once.
    """

    texts: tuple[str, ...] = field(repr=False)
    table: pd.DataFrame = field(repr=False)
    units: tuple[str, ...] = field(repr=False)
    brief: Brief = field(repr=False)  # public and private sides are set per question
    heard: dict[tuple[str, ...], dict[str, tuple[str, ...] | None]] = field(
        default_factory=dict, repr=False, compare=False
    )

    @staticmethod
    def of(corpus: Corpus) -> Originals:
        """Of the private split; adversaries may learn from the donated split."""
        private = corpus.part("private")
        brief = Brief(
            corpus.schema,
            (),
            corpus.schema.names,
            corpus.label,
            corpus.donated(),
            domain=corpus.context.text_kind,
        )
        return Originals(private.texts, private.table, private.authors or private.ids, brief)

    def truths(self, attribute: str, rows: Sequence[int]) -> list[str]:
        """The true value of each row, "" where the record states none."""
        column = self.table[attribute].to_numpy(object)
        values = [str(column[row]) for row in rows]
        return ["" if value in SAYS_NOTHING else value for value in values]

    def ask(
        self,
        adversary: Adversary,
        texts: Sequence[str],
        attributes: Sequence[str],
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> dict[str, list[tuple[str, ...] | None]]:
        """Per attribute and text the adversary's guesses; None where its answer could not be read.

        A text that was asked about before, in this or another release, is not asked about again.
        """
        known = {name: self.heard.setdefault(_key(adversary, name), {}) for name in attributes}
        missing = [name for name in attributes if any(text not in known[name] for text in texts)]
        new = [text for text in dict.fromkeys(texts) if any(text not in known[name] for name in missing)]
        if new:
            rest = tuple(n for n in self.brief.schema.names if n not in missing)
            brief = replace(self.brief, public=rest, private=tuple(missing))
            answers = adversary.player.answers(new, brief, progress=progress, cancel=cancel)
            for text, answer in zip(new, answers, strict=True):
                for name in missing:
                    found = answer.guesses.get(name)
                    known[name].setdefault(text, None if found is None else found[: adversary.guesses])
        return {name: [known[name][text] for text in texts] for name in attributes}


def _key(adversary: Adversary, attribute: str) -> tuple[str, ...]:
    return adversary.name, *adversary.terms.who.values(), attribute
