"""The public verifier: does a text say only what a plan supports? (DP-SPIN §4.3, App. B.4, G)

RELEASE SIDE: reads the plan and the text, nothing else. It measures consistency with the release, not
truth about the records (paper G.9), and rather refuses a good sentence than lets a bad one through.
"""

from __future__ import annotations

from ctxpriv.privatize.spin.semantic_plan import SemanticPlan
from ctxpriv.privatize.spin.summary import Mode, Sentence, Verdict, Violation
from ctxpriv.privatize.spin.verifier.bins import check_bins
from ctxpriv.privatize.spin.verifier.comparisons import check_comparison, check_comparisons, comparisons
from ctxpriv.privatize.spin.verifier.forbidden import check_forbidden
from ctxpriv.privatize.spin.verifier.markup import check_markup
from ctxpriv.privatize.spin.verifier.mentions import FIRST, LabelFinder
from ctxpriv.privatize.spin.verifier.naming import check_naming
from ctxpriv.privatize.spin.verifier.noise_claims import check_noise
from ctxpriv.privatize.spin.verifier.numbers import check_numbers
from ctxpriv.privatize.spin.verifier.promises import check_promises
from ctxpriv.privatize.spin.verifier.ranks import check_ranks
from ctxpriv.privatize.spin.verifier.relations import check_relations
from ctxpriv.privatize.spin.verifier.sentences import readings
from ctxpriv.privatize.spin.verifier.subjects import quantified
from ctxpriv.privatize.spin.verifier.themes import check_themes

SPARE = 4_000
PER_ROW = 400
SENTENCE = 800  # characters of one sentence, and 12 for each row; a label counts as one character
"""Characters that a summary may have: `SPARE`, and per row `PER_ROW` and six times its label. Twice what the
template needs; a longer text is refused unread, so that none takes long to read."""


def verify(text: str, plan: SemanticPlan, mode: Mode) -> Verdict:
    """What the text says that the plan does not support, and which rows support each sentence."""
    longest = SPARE + sum(PER_ROW + 6 * len(r.label) for r in plan.rows)
    if len(text) > longest:
        too_long = Violation("raw record", text[:40], 0, f"Write at most {longest:,} characters.")
        return Verdict((too_long,), ())
    references = LabelFinder(plan.atoms).references(text)
    sentences = readings(_without_stand_ins(text), references)
    if too_much := [r for r in sentences if len(r.text) > SENTENCE + 12 * len(plan.rows)]:
        r = too_much[0]
        unread = Violation("raw record", r.told(0, 40), r.position, "Write shorter sentences.")
        return Verdict((unread,), tuple(Sentence(r.written) for r in sentences))
    violations: list[Violation] = []
    told: list[Sentence] = []
    counts = [0, 0]
    before: tuple[int, ...] = ()
    last: tuple[int, ...] = ()
    for reading in sentences:
        unnamed = quantified(reading, plan, before, last)
        compared = comparisons(reading, plan, unnamed, last)
        counts[0] += len(compared)
        counts[1] += sum(not check_comparison(c, plan, mode) for c in compared)
        violations += check_naming(reading, plan, mode, unnamed)
        violations += check_markup(reading, plan)
        violations += check_forbidden(reading)
        violations += check_bins(reading, plan, unnamed)
        violations += check_numbers(reading, plan, mode, unnamed, compared)
        violations += check_comparisons(reading, plan, mode, compared)
        violations += check_ranks(reading, plan, unnamed, last)
        violations += check_noise(reading, plan, unnamed)
        violations += check_promises(reading, plan)
        violations += check_relations(reading, plan, unnamed, compared)
        violations += check_themes(reading, plan)
        named = tuple(dict.fromkeys(r.atom for _, r in reading.inside if r.atom is not None))
        meant = named or tuple(
            dict.fromkeys(a for s in unnamed if s.kind in ("rest", "pronoun") for a in s.atoms)
        )
        told.append(Sentence(reading.written, tuple(a for a in meant if plan.row(a))))
        before, last = (*before, *named), named or last
    mentioned = [r.atom for r in references]
    if plan.rows and not any(a is not None and plan.row(a) for a in mentioned):
        violations.append(
            Violation("nothing said", text[:60].strip(), 0, "Name the listed themes and their support.")
        )
    unadmitted = sum(a is None or plan.row(a) is None for a in mentioned)
    return Verdict(tuple(dict.fromkeys(violations)), tuple(told), len(mentioned), unadmitted, *counts)


_OTHER_SPACE = frozenset("\r\x0b\x0c\x1c\x1d\x1e\x1f\x85\u2028\u2029")


def _without_stand_ins(text: str) -> str:
    """The text's own private use characters would pass for references, and odd spaces for plain ones."""
    return "".join(
        "\x01" if ord(c) >= FIRST or "\ue000" <= c <= "\uf8ff" or c in _OTHER_SPACE else c for c in text
    )
