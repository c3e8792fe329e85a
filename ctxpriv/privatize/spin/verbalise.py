"""From a plan to the text that is shown: decode, verify, try again, and the template in the end (paper G.8).

RELEASE SIDE. Candidates, verdicts and feedback depend on the plan and public rules alone, so all of it is
post-processing and costs no privacy.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ctxpriv.errors import BadInput
from ctxpriv.privatize.spin.decoder import Decoder
from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.privatize.spin.summary import Attempt, Mode, Summary, Verdict
from ctxpriv.privatize.spin.template import TemplateDecoder
from ctxpriv.privatize.spin.verifier import verify
from ctxpriv.progress import NEVER, CancelToken, Progress, silent

ATTEMPTS = 3
"""Tries of a language model before the template speaks [ours; the paper leaves the number open]."""


def verbalise(
    plan: SemanticPlan,
    decoder: Decoder,
    *,
    mode: Mode = "display",
    attempts: int = ATTEMPTS,
    seed: int = 0,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Summary:
    """The first text that the verifier accepts, else the template's with a note that it is one.

    Every attempt is kept with its verdict. `progress` counts attempts. Raises BadInput for fewer than one
    attempt, Cancelled, and RuntimeError if the template itself were refused: no unverified text is shown.
    """
    if attempts < 1:
        raise BadInput("there must be at least one attempt.", where="attempts", fix="Use 3.")
    if isinstance(decoder, TemplateDecoder):
        return _by_template(plan, mode, (), fallback=False)
    tried: list[Attempt] = []
    for n in range(attempts):
        cancel.check()
        progress("put the plan into words", n, attempts)
        text, failure = decoder.decode(plan, mode, tuple(tried), seed=seed, cancel=cancel)
        verdict = verify(text, plan, mode) if not failure else Verdict((), ())
        tried.append(Attempt(text, verdict, failure))
        if tried[-1].accepted:
            return Summary(text, verdict.sentences, mode, decoder.identity.to_dict(), tuple(tried))
    return _by_template(plan, mode, tried, fallback=True)


def _by_template(plan: SemanticPlan, mode: Mode, tried: Sequence[Attempt], *, fallback: bool) -> Summary:
    template = TemplateDecoder()
    text, _ = template.decode(plan, mode)
    verdict = verify(text, plan, mode)
    if not verdict.accepted:
        kinds = ", ".join(sorted({v.kind for v in verdict.violations}))
        raise RuntimeError(f"the verifier refuses the template ({kinds}); nothing is shown")
    made = tuple(tried) if fallback else (Attempt(text, verdict),)
    notes = (_why(tried),) if fallback else ()
    return Summary(text, verdict.sentences, mode, template.identity.to_dict(), made, fallback, notes)


def _why(tried: Sequence[Attempt]) -> str:
    """The note under a fallback: how many attempts, and what was wrong with them."""
    kinds = Counter(k for a in tried for k in ({v.kind for v in a.verdict.violations} or {a.failure}))
    told = ", ".join(f"{kind} ({n})" for kind, n in kinds.most_common())
    times = "attempt was" if len(tried) == 1 else f"{len(tried)} attempts were"
    return f"This is the fallback, the template's text: the language model's {times} not accepted: {told}."
