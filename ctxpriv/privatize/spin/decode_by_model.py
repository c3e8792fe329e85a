"""The decoder that asks a language model (DP-SPIN App. G.5, H.1, H.2).

RELEASE SIDE. A prompt holds the plan's rows, fixed instructions and what the public verifier said to
earlier attempts: nothing of the records, nothing of atoms that were not admitted.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from ctxpriv.errors import ModelFailed
from ctxpriv.models.base import LanguageModel, ModelIdentity, Prompt
from ctxpriv.models.prompt_files import render
from ctxpriv.privatize.spin.semantic_plan import PlanRow, SemanticPlan
from ctxpriv.privatize.spin.summary import Attempt, Mode, Violation
from ctxpriv.privatize.spin.template import TemplateDecoder, mass_told
from ctxpriv.privatize.spin.verifier.mentions import shown_label
from ctxpriv.progress import NEVER, CancelToken, Progress, silent

TEMPERATURE = 0.2
MOST_TOLD = 6
"""Violations that feedback names: a small model loses the thread of more."""
_LEAST_TOKENS = 40
_TIMES_TEMPLATE = 1.2  # a text may be so much longer than the template's
_SEED_STEP = 7919
_MOST_DESCRIPTION = 80  # characters: from a longer description a small model makes themes of its own
_OPENING = re.compile(
    r"\A\s*(?:(?:sure|certainly|of course|here(?:'s| is| are))\b[^\n:]{0,80}:|(?:summary|answer)\s*:)\s*",
    re.IGNORECASE,
)

_LIST_MARK = re.compile(r"^[ \t]*(?:[-*•–]|\d{1,3}[.)])[ \t]+", re.MULTILINE)


class ModelDecoder:
    """A `Decoder`. Each attempt has another seed, and feedback from the last that was refused."""

    def __init__(self, model: LanguageModel, *, temperature: float = TEMPERATURE) -> None:
        self._model = model
        self._temperature = temperature

    @property
    def identity(self) -> ModelIdentity:
        return self._model.identity

    def decode(
        self,
        plan: SemanticPlan,
        mode: Mode,
        rejected: Sequence[Attempt],
        *,
        seed: int,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> tuple[str, str]:
        """(text, failure), one of them "". A model that is gone is the failure "unreachable"."""
        prompt = self._prompt(plan, mode, rejected, seed)
        try:
            (answer,) = self._model.complete(
                [prompt], progress=progress, cancel=cancel, stage="put the plan into words"
            )
        except ModelFailed:
            return "", "unreachable"
        if not answer.ok:
            return "", answer.failure
        text = tidied(answer.text)
        return (text, "") if text else ("", "empty")

    def _prompt(self, plan: SemanticPlan, mode: Mode, rejected: Sequence[Attempt], seed: int) -> Prompt:
        rows = "\n".join(_row(plan, r, mode) for r in plan.rows) or "(no theme was released)"
        as_template, _ = TemplateDecoder().decode(plan, mode)
        user = render(
            "decode_plan",
            unit="records" if plan.unit == "record" else "records of users",
            rows=rows,
            feedback=_feedback(rejected),
        )
        return Prompt(
            user,
            system=render(f"decode_{mode}_system"),
            max_tokens=_LEAST_TOKENS + int(_TIMES_TEMPLATE * self._model.count_tokens(as_template)),
            # A greedy model would write its refused text again.
            temperature=self._temperature + 0.2 * len(rejected),
            seed=(seed + _SEED_STEP * len(rejected)) % 2**31,
            allow_cut=True,
        )


def _row(plan: SemanticPlan, row: PlanRow, mode: Mode) -> str:
    """One fact, worded so that a model that only repeats it says nothing wrong. The label stands between
    marks that it cannot hold itself."""
    about = " ".join(shown_label(row.description).split())
    meaning = f" ({about})" if about and len(about) <= _MOST_DESCRIPTION else ""
    if mode == "display":
        return f"“{shown_label(row.label)}”{meaning} has {row.bin} support."
    noisy = "mass" if plan.law == "none" else "noisy mass"
    told = f"a {noisy} of {mass_told(row.mass)} and {row.bin} support"
    return f"“{shown_label(row.label)}” {plan.marker(row)}{meaning} has {told}."


def _feedback(rejected: Sequence[Attempt]) -> str:
    """What the verifier said to the last text. A failure to answer teaches a model nothing."""
    told = [a for a in rejected if a.text]
    if not told:
        return ""
    lines = [f"- {_told(v)}" for v in told[-1].verdict.violations[:MOST_TOLD]]
    return render("decode_feedback", violations="\n".join(lines)) + "\n"


def _told(violation: Violation) -> str:
    return " ".join(violation.told().split())


def tidied(text: str) -> str:
    """Without what models like to add: a polite opening, list marks, quotation marks around all of it."""
    text = _LIST_MARK.sub("", _OPENING.sub("", text, count=1)).strip()
    if len(text) > 1 and text[0] == text[-1] == '"' and text.count('"') == 2:
        text = text[1:-1].strip()
    return text
