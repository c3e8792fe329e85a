"""The plan of a rewriting run, from public facts only: it is given `CorpusFacts`, never a corpus."""

from __future__ import annotations

from ctxpriv.corpus import CorpusFacts
from ctxpriv.privatize.anon.recipe import Recipe
from ctxpriv.privatize.plan import RunPlan
from ctxpriv.rewriting_roles import model_of
from ctxpriv.roles import Roles

TOKENS_A_WORD = 1.4  # of English, by the tokenisers of the models at hand
WORDS_OF_A_PROMPT = 350  # instructions and attributes of one prompt, beside the text
TOKENS_AN_ATTRIBUTE = 30  # guesses and spans of one attribute in an evaluator's answer


def plan_rewriting(recipe: Recipe, facts: CorpusFacts, roles: Roles) -> RunPlan:
    """Calls, tokens and minutes are the most that can be: every record through every round. Most
    records end sooner; how many do is only known from the private texts."""
    words, n = facts.mean_words, min(facts.n_private, recipe.n_records or facts.n_private)
    if not recipe.guesses:
        n = 0
    actor = roles.rewriter if recipe.loop else roles.agents
    writes = n * (recipe.rounds if recipe.loop else 3)
    looks = n * (recipe.rounds + 1)  # the original as well
    seconds, calls, prompt, completion = 0.0, 0, 0, 0
    for player, times, out in (
        (actor, writes, int(words * TOKENS_A_WORD * 1.5)),
        (roles.privacy_evaluator, looks, TOKENS_AN_ATTRIBUTE * len(recipe.guesses)),
        (roles.utility_evaluator, looks, TOKENS_AN_ATTRIBUTE * len(recipe.checked)),
    ):
        model = model_of(player)
        if model is None or not out:
            continue
        calls += times
        prompt += times * int((WORDS_OF_A_PROMPT + words) * TOKENS_A_WORD)
        completion += times * out
        seconds += times * out / max(model.speed().tokens_per_second, 1e-6)
    return RunPlan(
        method=recipe.method,
        audience=recipe.partition.audience,
        relation=_relation(recipe),
        rho=None,
        epsilon=None,
        delta=None,
        parts=(),
        expected_error_records=None,
        model_calls=calls or n,  # without a language model: texts to rewrite
        prompt_tokens=prompt,
        completion_tokens=completion,
        minutes=seconds / 60 if calls else None,
        warnings=tuple(_warnings(recipe, facts, roles)),
    )


def _relation(recipe: Recipe) -> str:
    if not recipe.guesses:
        return f"{recipe.method}: nothing is private here."
    if not recipe.loop:
        return (
            f"{recipe.method}: no formal guarantee. Three agents look for {', '.join(recipe.guesses)} in "
            "each text and write it anew, once; nobody checks the result but you."
        )
    return (
        f"{recipe.method}: no formal guarantee. Each text is rewritten until a privacy evaluator cannot "
        f"guess {', '.join(recipe.guesses)} from it."
    )


def _warnings(recipe: Recipe, facts: CorpusFacts, roles: Roles) -> list[str]:
    if not recipe.guesses:
        return ["There is nothing to rewrite for: this run will be refused, the others go on."]
    out = []
    if recipe.loop and roles.rewriter is not None and roles.privacy_evaluator is not None:
        ours = (roles.rewriter.identity, roles.privacy_evaluator.identity)
        if model_of(roles.rewriter) is not None and ours[0] == ours[1]:
            out.append(
                f"One model ({ours[0].name}) rewrites and evaluates: what it overlooks in its own rewrite "
                "goes out. Choose another model for the privacy evaluator where you have one."
            )
    attacker, evaluator = roles.adversary, roles.privacy_evaluator
    if recipe.loop and None not in (attacker, evaluator) and attacker.identity == evaluator.identity:
        out.append(
            "The model that attacks the release afterwards is the one that evaluated it in the loop: its "
            "leak is what the loop optimised, so read the classifier adversary's beside it."
        )
    if recipe.label_hidden:
        out.append("The utility label is private here: it is hidden, not kept.")
    elif recipe.label is None:
        out.append(
            "The corpus has no utility label: "
            f"{'only public values are checked' if recipe.checked else 'nothing needs to stay inferable'}."
        )
    local = [p for p in (roles.rewriter, roles.privacy_evaluator) if p is not None and model_of(p) is None]
    if local and not facts.n_donated:
        out.append("There are no donated texts for the local roles to learn from: they will refuse to start.")
    return out
