"""The five steps of the walk and how far the open corpus has come."""

from __future__ import annotations

from dataclasses import dataclass

from ctxpriv.corpus import Corpus
from ctxpriv.project import ProjectState
from ctxpriv.schema import COARSEN_ABOVE
from pages.parts.text import count


@dataclass(frozen=True)
class WalkStep:
    """`done` steps can be revisited; the first that is not done is the next one."""

    name: str
    page: str
    done: bool
    says: str


def walk(corpus: Corpus | None, state: ProjectState | None, finished_runs: int) -> tuple[WalkStep, ...]:
    """The steps with one sentence each; without a corpus, what each step will ask for."""
    if corpus is None or state is None:
        return tuple(
            WalkStep(name, page, False, says)
            for name, page, says in (
                ("Corpus", "pages/corpus.py", "Choose a sample or upload your own records."),
                ("Schema", "pages/schema.py", "Say which facts a record holds and which values they take."),
                (
                    "Audiences",
                    "pages/audiences.py",
                    "Say who asks and what for; decide what is private towards each.",
                ),
                ("Privatize", "pages/privatize.py", "Choose methods and privacy budgets; see the plan; run."),
                (
                    "Compare",
                    "pages/compare.py",
                    "Weigh fidelity, usefulness, fairness and leakage side by side.",
                ),
            )
        )
    wide = too_wide(corpus)
    approved = len(state.approved)
    return (
        WalkStep("Corpus", "pages/corpus.py", True, f"{corpus.name}: {count(len(corpus), 'record')}."),
        WalkStep(
            "Schema", "pages/schema.py", bool(corpus.schema.names) and not wide, _schema_says(corpus, wide)
        ),
        WalkStep("Audiences", "pages/audiences.py", approved > 0, _audiences_say(state)),
        WalkStep(
            "Privatize",
            "pages/privatize.py",
            finished_runs > 0,
            f"{count(finished_runs, 'finished run')}."
            if finished_runs
            else "Choose methods and privacy budgets; see the plan; run.",
        ),
        WalkStep(
            "Compare",
            "pages/compare.py",
            False,
            "The results are ready to look at." if finished_runs else "Needs at least one finished run.",
        ),
    )


def too_wide(corpus: Corpus) -> list[str]:
    """Attributes that still need buckets (paper App. B). The utility label keeps its classes."""
    schema = corpus.schema
    return [n for n in schema.names if n != corpus.label and len(schema.coarse_values(n)) > COARSEN_ABOVE]


def _schema_says(corpus: Corpus, wide: list[str]) -> str:
    if not corpus.schema.names:
        return "The corpus has no attributes yet."
    told = f"{count(len(corpus.schema.names), 'attribute')}"
    return (
        f"{told}; {count(len(wide), 'of them has', 'of them have')} too many values to release."
        if wide
        else f"{told}."
    )


def _audiences_say(state: ProjectState) -> str:
    if not state.audiences:
        return "No audience yet: say who asks and what for."
    return f"{count(len(state.audiences), 'audience')}, {len(state.approved)} with an approved partition."
