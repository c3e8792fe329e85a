"""The plan of a synthesis run, from public facts only (DESIGN section 3): it is given
`CorpusFacts`, never a corpus."""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from fractions import Fraction

from ctxpriv.corpus import CorpusFacts
from ctxpriv.models.base import Embedder
from ctxpriv.privatize.plan import BudgetPart, RunPlan
from ctxpriv.privatize.sdg.aim import ONE_WAY_SHARE, expected_error
from ctxpriv.privatize.sdg.recipe import Recipe, Split, split_budget
from ctxpriv.privatize.sdg.votes import vote_charge
from ctxpriv.roles import Roles

_TIMED_TEXTS = 16
_REFERENCE_WORDS = 100  # the length of text that `TextGenerator.calls_per_second` refers to


def plan_synthesis(recipe: Recipe, facts: CorpusFacts, roles: Roles, warnings: Sequence[str] = ()) -> RunPlan:
    """Budget, noise, calls and minutes of `synthesise`. Raises BadInput as `split_budget`."""
    split = split_budget(recipe, facts.n_private)
    n = recipe.n_synthetic or facts.n_private
    calls = n * (1 + recipe.rounds * recipe.variations)
    prompt, completion = roles.generator.tokens_per_text(facts.mean_words)
    parts = (*_table_parts(recipe, split, facts), _vote_part(recipe, split))
    return RunPlan(
        method=recipe.method,
        audience=recipe.audience,
        relation=_relation(recipe),
        rho=math.inf if split.unlimited else float(split.rho),
        epsilon=float(recipe.epsilon),
        delta=split.delta,
        parts=parts,
        expected_error_records=_expected_error(recipe, split, facts),
        model_calls=calls,
        prompt_tokens=calls * prompt,
        completion_tokens=calls * completion,
        minutes=_minutes(calls, completion, facts.n_private, facts.mean_words, roles),
        warnings=(*warnings, *_warnings(recipe, split, facts, n)),
    )


def _table_parts(recipe: Recipe, split: Split, facts: CorpusFacts) -> list[BudgetPart]:
    """The three shares of ρ_AIM (Alg. 1, lines 4, 11 and 12)."""
    if split.table is None or recipe.aim is None:
        return []
    one_way = ONE_WAY_SHARE * split.table
    loop = split.table - one_way
    alpha = Fraction(str(recipe.aim.alpha))
    rounds = recipe.aim.rounds_per_attribute * (len(recipe.public) + len(recipe.private))
    sigma0 = math.sqrt(len(recipe.private) / (2 * one_way))
    sigma1 = math.sqrt(rounds / (2 * alpha * loop))
    return [
        BudgetPart(
            "one-way marginals",
            float(one_way),
            sigma0,
            f"counts of each of the {len(recipe.private)} private attributes",
        ),
        BudgetPart(
            "choice of marginals",
            float(loop * (1 - alpha)),
            None,
            "which joint counts to measure, by the exponential mechanism",
        ),
        BudgetPart(
            "chosen marginals",
            float(loop * alpha),
            sigma1,
            f"joint counts; sigma of the first of at most {rounds} rounds, later ones get less noise",
        ),
    ]


def _vote_part(recipe: Recipe, split: Split) -> BudgetPart:
    rounds = recipe.rounds + 1
    what = f"{rounds} histograms of votes for candidate texts"
    if split.vote is None:
        return BudgetPart("votes", math.inf, 0.0, what)
    return BudgetPart("votes", float(split.vote * rounds), vote_charge(split.vote, "votes").scale, what)


def _expected_error(recipe: Recipe, split: Split, facts: CorpusFacts) -> float | None:
    if split.table is None or recipe.aim is None:
        return None
    names = facts.schema.names
    errors = expected_error(
        facts.schema.coarse_sizes(),
        names,
        [names.index(a) for a in recipe.private],
        float(split.table),
        recipe.aim,
    )
    return errors[0].per_value


def _minutes(calls: int, completion: int, n_private: int, mean_words: float, roles: Roles) -> float | None:
    """Writing at the generator's measured speed, corrected for the length of these texts, and
    embedding every candidate and private record: without a language model that takes longest."""
    speed = roles.generator.calls_per_second()
    if not (speed > 0 and math.isfinite(speed)):
        return None
    reference = roles.generator.tokens_per_text(_REFERENCE_WORDS)[1]
    longer = completion / reference if reference else 1.0
    embedding = (calls + n_private) / _embedded_per_second(roles.embedder, mean_words)
    return (calls * longer / speed + embedding) / 60


_measured: dict[tuple[str, str, int], float] = {}


def _embedded_per_second(embedder: Embedder, mean_words: float) -> float:
    """Texts a second, measured once a process on made-up texts that no cache can know."""
    words = max(1, round(mean_words / 50)) * 50
    key = (embedder.identity.name, embedder.identity.digest, words)
    if key not in _measured:
        nonce = time.time_ns()
        texts = [f"{nonce} {k} " + "some words here " * (words // 3) for k in range(2 * _TIMED_TEXTS)]
        embedder.embed(texts[:_TIMED_TEXTS])  # loads the model
        started = time.perf_counter()
        embedder.embed(texts[_TIMED_TEXTS:])
        _measured[key] = _TIMED_TEXTS / max(time.perf_counter() - started, 1e-6)
    return _measured[key]


def records_worth_voting(recipe: Recipe, n_private: int) -> int | None:
    """The most synthetic records for which a kept text gets on average as many votes as their
    noise σ; None where votes carry no noise. Raises BadInput as `split_budget`."""
    split = split_budget(recipe, n_private)
    return None if split.vote is None else max(1, int(n_private / vote_charge(split.vote, "votes").scale))


def _relation(recipe: Recipe) -> str:
    if recipe.public:
        return (
            "Feature-DP under add/drop of one record: the text and the private attributes of every record "
            f"are protected; {_told(recipe)}."
        )
    return "DP under add/drop of one record: the text and every attribute of every record are protected."


def _told(recipe: Recipe) -> str:
    as_are = f"its public attributes ({', '.join(recipe.exact)}) are released as they are"
    as_buckets = f"{', '.join(recipe.as_buckets)} as buckets only"
    if not recipe.as_buckets:
        return as_are
    return f"{as_are}, {as_buckets}" if recipe.exact else f"it releases {as_buckets}"


def _warnings(recipe: Recipe, split: Split, facts: CorpusFacts, n: int) -> list[str]:
    out = []
    if recipe.has_rows and not recipe.private:
        out.append(
            "No attribute is private, so no table is fitted: the whole budget goes to the votes, which "
            "still protect the texts."
        )
    if split.unlimited:
        out.append(
            "Epsilon is infinite: for research only. The result gives no privacy and cannot be exported."
        )
    elif (sigma := vote_charge(split.vote, "votes").scale) > facts.n_private / n:
        fewer = max(1, round(facts.n_private / sigma))
        out.append(
            f"The vote noise (sigma = {sigma:.1f}) exceeds the {facts.n_private / n:.1f} votes that a kept "
            f"text gets on average, so votes choose almost at random. About {fewer} synthetic records "
            "or fewer would let them count."
        )
    if split.delta > 1 / max(facts.n_private, 1):
        out.append(
            f"Delta is {split.delta:.2g}, above 1/n: publishing one record at random would satisfy it."
        )
    if facts.label is None:
        out.append("The corpus has no utility label: all candidates compete together.")
    if not facts.n_donated:
        out.append(
            "There are no donated texts: nothing shows the generator what the texts look like, and it "
            "will refuse to start."
        )
    if recipe.value_expansion == "observed" and recipe.private:
        out.append(
            "Private values are filled in from values seen in the records: "
            "which values occur is not protected."
        )
    return out
