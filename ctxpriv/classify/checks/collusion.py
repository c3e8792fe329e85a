"""Check (c): what a set of audiences knows when they share. PRIVATE SIDE.

Each guarantee holds for one release to its audience; audiences that share learn whatever is
disclosed to any of them, and the ρ of their releases adds up (paper, Limitations; DESIGN 4.6).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from ctxpriv.classify.checks.finding import CheckSettings, Finding, count, listed, number, percent
from ctxpriv.classify.checks.inference import inference
from ctxpriv.classify.checks.records import Records, records_of
from ctxpriv.classify.checks.uniqueness import group_sizes, uniqueness
from ctxpriv.context import SIDES, Partition, Side
from ctxpriv.corpus import Corpus
from ctxpriv.errors import BadInput
from ctxpriv.privacy.accounting import epsilon_from
from ctxpriv.privacy.ledger import Ledger
from ctxpriv.progress import NEVER, CancelToken, Progress, silent

TOLD_AUDIENCES = 3


def union_of(partitions: Sequence[Partition]) -> Partition:
    """What is disclosed to any of them: public beats public when coarsened beats private.

    Raises BadInput when there are none, or when they do not cover the same attributes.
    """
    if not partitions:
        raise BadInput("no audience was chosen.", where="collusion", fix="Choose two or more.")
    names = [*partitions[0].disclosed, *partitions[0].private]
    if any({*p.disclosed, *p.private} != set(names) for p in partitions):
        raise BadInput(
            "the audiences' partitions cover different attributes.",
            where="collusion",
            fix="Classify again, so that every partition covers the schema.",
        )
    side = {a: min((p.side(a) for p in partitions), key=SIDES.index) for a in names}
    sides = {s: tuple(a for a in names if side[a] == s) for s in SIDES}
    return Partition(listed([p.audience for p in partitions], most=len(partitions)), **sides)


def gains(partitions: Sequence[Partition]) -> dict[str, dict[str, Side]]:
    """Per audience, the attributes of which it learns more from the others, with the side it
    then has. Audiences that gain nothing have an empty entry."""
    union = union_of(partitions)
    return {
        p.audience: {
            a: union.side(a) for a in union.disclosed if SIDES.index(union.side(a)) < SIDES.index(p.side(a))
        }
        for p in partitions
    }


def collude(
    corpus: Corpus,
    partitions: Mapping[str, Partition],
    ledger: Ledger,
    audiences: Sequence[str],
    *,
    settings: CheckSettings = CheckSettings(),
    next_rho: float = 0.0,
    records: Records | None = None,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Finding:
    """Rows, one per attribute: attribute, sides (by audience), union, gained (by how many).

    `facts` has `gains`, `opened` (private to a member that learns of it), `refined` (known to a member by
    its bucket, and then by its value), `private_to_all`, ρ and ε of what was released to any of them
    (δ = 1/n), the same if each got one more release at `next_rho`, and checks (a) and (b) on the union.
    Raises BadInput for an audience without a partition or an unreadable ledger.
    """
    chosen = [_partition(partitions, a, corpus) for a in dict.fromkeys(audiences)]
    union, gained = union_of(chosen), gains(chosen)
    records = records_of(corpus, settings) if records is None else records
    facts = {
        "audiences": [p.audience for p in chosen],
        "n": len(records),
        "gains": {a: dict(g) for a, g in gained.items()},
        "private_to_all": [a for a in corpus.schema.names if a in union.private],
        **_cost(corpus, ledger, [p.audience for p in chosen], len(records), next_rho, union),
        **_headlines(records, chosen, union, settings, progress, cancel),
    }
    changed = [a for a in corpus.schema.names if any(a in g for g in gained.values())]
    facts["opened"] = [a for a in changed if any(a in p.private for p in chosen)]
    facts["refined"] = [a for a in changed if a not in facts["opened"]]
    rows = tuple(
        {
            "attribute": a,
            "sides": {p.audience: p.side(a) for p in chosen},
            "union": union.side(a),
            "gained": sum(a in g for g in gained.values()),
        }
        for a in corpus.schema.names
    )
    return Finding("collusion", bool(changed), _sentence(chosen, facts), _suggestion(facts), rows, facts)


def _partition(partitions: Mapping[str, Partition], audience: str, corpus: Corpus) -> Partition:
    if audience not in partitions:
        raise BadInput(
            f"there is no partition for {audience!r}.", where="collusion", fix="Classify this audience first."
        )
    partitions[audience].check(corpus.schema)
    return partitions[audience]


def _cost(
    corpus: Corpus, ledger: Ledger, audiences: Sequence[str], n: int, next_rho: float, union: Partition
) -> dict[str, Any]:
    """ρ and ε so far and with one more release each; ε is None where n gives no δ = 1/n below 1."""
    delta = 1 / max(n, 1)
    # Without lines any name will do; the digests of a large corpus take a second.
    digests = (corpus.digest, corpus.records_digest) if ledger.lines() else ("", "")
    total = ledger.total(digests[0], min(delta, 0.5), audiences, records=digests[1])
    planned = total.rho + next_rho * len(audiences)
    usable = delta < 1
    less_now = {*union.private, *union.coarsened}
    told_before = [a for a in total.public if a in less_now]
    told_before += [a for a in total.coarsened if a in union.private]
    return {
        "rho": total.rho,
        "epsilon": total.epsilon if usable else None,
        "delta": total.delta if usable else None,
        "runs": total.runs,
        "caveat": total.caveat,
        "next_rho": next_rho,
        "rho_planned": planned,
        "epsilon_planned": epsilon_from(planned, delta) if usable else None,
        "disclosed_before": told_before,
    }


def _headlines(
    records: Records,
    chosen: Sequence[Partition],
    union: Partition,
    settings: CheckSettings,
    progress: Progress,
    cancel: CancelToken,
) -> dict[str, Any]:
    """Checks (a) and (b) on the union, and the share in small groups for each member alone."""
    alone = {}
    for each in chosen:
        cancel.check()
        known = records.disclosed(each)
        sizes = group_sizes(list(known.values()), len(records)) if known else None
        alone[each.audience] = float((sizes < settings.k).mean()) if sizes is not None and len(sizes) else 0.0
    guessed = inference(records, union, settings, progress=progress, cancel=cancel)
    counted = uniqueness(records, union, settings, progress=progress, cancel=cancel)
    return {
        "k": settings.k,
        "small": counted.facts.get("small", 0.0),
        "unique": counted.facts.get("unique", 0.0),
        "small_alone": alone,
        "guessed": {r["attribute"]: [r["accuracy"], r["majority"]] for r in guessed.rows if r["warning"]},
    }


def _sentence(chosen: Sequence[Partition], facts: Mapping[str, Any]) -> str:
    if len(chosen) == 1:
        return f"{chosen[0].audience} alone: nothing is shared. {_cost_words(facts, one=True)}"
    everybody = listed([p.audience for p in chosen], most=TOLD_AUDIENCES)
    learning = {a: list(g) for a, g in facts["gains"].items() if g}
    if not learning:
        text = f"If {everybody} share, none of them learns of a further attribute."
    else:
        first = [f"{a} learns {_gained(facts['gains'][a])}" for a in list(learning)[:TOLD_AUDIENCES]]
        text = f"If {everybody} share, {'; '.join(first)}."
        if len(learning) > TOLD_AUDIENCES:
            text += f" {count(len(learning) - TOLD_AUDIENCES, 'further audience')} also gain."
    kept = facts["private_to_all"]
    text += f" Private to all of them: {listed(kept, most=6)}." if kept else " Nothing stays private to all."
    text += _before(facts) + _risk_words(facts)
    return f"{text} {_cost_words(facts)}"


def _gained(gain: Mapping[str, Side]) -> str:
    values = [a for a, side in gain.items() if side == "public"]
    buckets = [f"{a} (its bucket)" for a, side in gain.items() if side == "coarsened"]
    return listed([*values, *buckets])


def _before(facts: Mapping[str, Any]) -> str:
    names = facts["disclosed_before"]
    return f" Earlier releases to them also disclosed {listed(names)}." if names else ""


def _risk_words(facts: Mapping[str, Any]) -> str:
    most = max(facts["small_alone"].values())
    text = ""
    if facts["small"] > most:
        text += (
            f" By all that they know together, {percent(facts['small'])} of {count(facts['n'], 'record')} "
            f"are in groups below {facts['k']} (at most {percent(most)} for one of them)."
        )
    if facts["guessed"]:
        name, (right, majority) = next(iter(facts["guessed"].items()))
        text += (
            f" They guess {name} right for {percent(right)} (always guessing the most common value: "
            f"{percent(majority)})."
        )
    return text


def _cost_words(facts: Mapping[str, Any], one: bool = False) -> str:
    whom = "it" if one else "them"
    if not facts["runs"]:
        text = f"Nothing {'with an ε ' if facts['caveat'] else ''}was released to {whom} so far"
    elif facts["epsilon"] is None:
        text = f"What was released to {whom} so far adds up to ρ = {number(facts['rho'])}"
    else:
        text = (
            f"What was released to {whom} so far adds up to ε = {number(facts['epsilon'])} (ρ = "
            f"{number(facts['rho'])}, δ = {facts['delta']:.2g}, {count(facts['runs'], 'line')} in the ledger)"
        )
    if facts["next_rho"] and facts["epsilon_planned"] is not None:
        text += f"; one more for each would make it ε = {number(facts['epsilon_planned'])}"
    return f"{text}. {facts['caveat']}".rstrip()


def _suggestion(facts: Mapping[str, Any]) -> str:
    moves = [f"{listed(facts['opened'])} private"] if facts["opened"] else []
    moves += [f"{listed(facts['refined'])} public when coarsened"] if facts["refined"] else []
    if not moves:
        return ""
    return (
        f"Make {listed(moves)} for every audience that could share, or bar sharing by contract and say so in "
        "the reason for approval."
    )
