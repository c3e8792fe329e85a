"""Assignment by a language model, record by record (notes on DP-SPIN).

PRIVATE SIDE: the model reads protected records, so it must run where the texts may go. Whatever a
record talks the model into, the answer is clipped here: the record moves its own bounded mass alone.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ctxpriv.errors import BadInput
from ctxpriv.extract.cut import cut_to_tokens
from ctxpriv.models.answer_forms import list_form, object_form
from ctxpriv.models.base import Answer, LanguageModel, ModelIdentity, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.privatize.spin.assign.blocks import STAGE, in_blocks
from ctxpriv.privatize.spin.contributions import NO_ATOM, Contributions, from_scores
from ctxpriv.privatize.spin.measurement import Measurement
from ctxpriv.progress import NEVER, CancelToken, Progress, silent

BLOCK = 64
TOKENS_PER_ATOM = 24
OVERHEAD_TOKENS = 64  # chat template, and what counting the parts one by one may miss
LEAST_TEXT = 128  # tokens of a record that must fit beside the list of atoms


@dataclass
class ModelAssigner:
    """Asks the model for at most K atoms of each record, with weights.

    Labels stand in the prompt with their descriptions, or alone where those would not fit. A longer
    record is read as far as the model's context goes. Raises BadInput where the labels alone leave no
    room for a record. `failures`: see `assigner.Assigner`.
    """

    measurement: Measurement
    model: LanguageModel
    failures: Mapping[str, int] = field(default_factory=dict, init=False)
    _listed: str = field(default="", init=False, repr=False)
    _room: int = field(default=0, init=False, repr=False)

    def __post_init__(self) -> None:
        atoms = self.measurement.atoms.atoms
        whole = "\n".join(f"{i}. {_one_line(atom.meaning)}" for i, atom in enumerate(atoms, 1))
        short = "\n".join(f"{i}. {_one_line(atom.label)}" for i, atom in enumerate(atoms, 1))
        for self._listed in (whole, short):
            self._room = self._room_for_text()
            if self._room >= LEAST_TEXT:
                return
        raise BadInput(
            f"{len(atoms)} labels do not fit into the {self.model.context_tokens} tokens that it reads.",
            where="measurement, assign",
            fix="Use fewer atoms, another model, or assign by tfidf or embedding.",
        )

    @property
    def identity(self) -> ModelIdentity:
        return self.model.identity

    def assign(
        self,
        texts: Iterable[str],
        *,
        users: NDArray | None = None,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> Contributions:
        failures = Counter[str]()

        def asked(block: tuple[str, ...], within: Progress) -> Contributions:
            prompts = [self._prompt(text) for text in block]
            answers = self.model.complete(prompts, progress=within, cancel=cancel, stage=STAGE)
            return self._contributions(answers, failures)

        out = in_blocks(
            texts, BLOCK, asked, k=self.measurement.k, users=users, progress=progress, cancel=cancel
        )
        self.failures = dict(failures)
        return out

    def _prompt(self, text: str) -> Prompt:
        k, m = self.measurement.k, len(self.measurement.atoms)
        number = {"type": "integer", "minimum": 1, "maximum": m}
        weight = {"type": "number", "minimum": 0, "maximum": 1}
        return Prompt(
            # As a JSON string, a text cannot end before its end.
            user=render(
                "map_record",
                atoms=self._listed,
                k=k,
                text=json.dumps(cut_to_tokens(self.model, text, self._room), ensure_ascii=False),
            ),
            system=render("map_record_system"),
            schema=object_form(topics=list_form(object_form(number=number, weight=weight), 0, k)),
            max_tokens=self._answer_tokens,
        )

    def _contributions(self, answers: Iterable[Answer], failures: Counter[str]) -> Contributions:
        k, m = self.measurement.k, len(self.measurement.atoms)
        read = [clipped_answer(answer, k, m, failures) for answer in answers]
        return from_scores(
            np.array([[atom for atom, _ in row] for row in read], np.int32).reshape(-1, k),
            np.array([[weight for _, weight in row] for row in read], np.float64).reshape(-1, k),
            k,
            floor=self.measurement.floor,
            equal=self.measurement.weights == "equal",
        )

    @property
    def _answer_tokens(self) -> int:
        return 16 + TOKENS_PER_ATOM * self.measurement.k

    def _room_for_text(self) -> int:
        """Tokens for the record; a third is left for what quoting it as JSON adds."""
        bare = render("map_record", atoms=self._listed, k=self.measurement.k, text="")
        taken = self.model.count_tokens(bare) + self.model.count_tokens(render("map_record_system"))
        return (self.model.context_tokens - taken - self._answer_tokens - OVERHEAD_TOKENS) * 2 // 3


def clipped_answer(answer: Answer, k: int, m: int, failures: Counter[str]) -> list[tuple[int, float]]:
    """k pairs of atom (from 0) and weight in 0..1, `NO_ATOM` where there is none.

    Whatever the model wrote: numbers that name no atom and weights that are no numbers are dropped, an
    atom named twice counts once with its larger weight. An answer of another shape is a failure.
    """
    rows = answer.parsed.get("topics") if answer.ok and isinstance(answer.parsed, Mapping) else None
    if not isinstance(rows, list):
        failures[answer.failure or "schema violated"] += 1
        rows = []
    best: dict[int, float] = {}
    for row in rows:
        number, weight = (row.get("number"), row.get("weight")) if isinstance(row, Mapping) else (None, None)
        if _is_number(number) and _is_number(weight) and number == int(number) and 1 <= number <= m:
            atom = int(number) - 1
            best[atom] = max(best.get(atom, 0.0), min(1.0, max(0.0, float(weight))))
    kept = sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))[:k]
    return kept + [(NO_ATOM, 0.0)] * (k - len(kept))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _one_line(text: str) -> str:
    return " ".join(text.split())
