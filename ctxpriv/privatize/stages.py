"""Paying for a run, and its noisy stages across interruptions.

The rule: a noisy stage that has begun is paid for. The run's whole ρ stands in the ledger
before anything noisy is drawn. Before a stage draws, the checkpoint says that it has begun;
its result is saved as soon as it exists. A resumed run reuses finished stages. A stage that
begun but never finished may have drawn noise that is lost, so drawing again is charged to
the ledger again, in a line of its own. That over-counts when the first draw never happened
or nobody saw it; it never under-counts. The release's own guarantee counts each stage once,
because only the last draw shaped it.

Checkpoints belong to one run: those of another corpus, partition or budget, or with noise
from another source, are refused, since the guarantee states this run's.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from fractions import Fraction
from typing import Any

from ctxpriv.errors import BadInput
from ctxpriv.privacy.accounting import epsilon_from
from ctxpriv.privacy.budget import Budget, Charge
from ctxpriv.privacy.ledger import Ledger, LedgerEntry
from ctxpriv.privacy.noise import Noise
from ctxpriv.privatize.release import Checkpoint

_START = "started"


class WatchedNoise:
    """A noise source that knows whether anything was drawn from it: a stage that failed before its first
    draw is not paid for twice."""

    def __init__(self, noise: Noise) -> None:
        self._noise, self.used = noise, False
        self.name, self.private = noise.name, noise.private

    def __getattr__(self, name: str) -> Any:
        self.used = True  # whichever draw it is
        return getattr(self._noise, name)


@dataclass
class PaidStages:
    """The noisy stages of one run. `budget` is None at ε = ∞, when nothing is filtered.

    With a `WatchedNoise`, `draw` must draw from `noise` and nothing else.
    """

    checkpoint: Checkpoint
    ledger: Ledger
    entry: LedgerEntry
    budget: Budget | None
    noise: Noise

    def __post_init__(self) -> None:
        self.charges: list[Charge] = []
        self.notes: list[str] = []

    def start(self) -> None:
        """Writes the ledger line for the whole run, once however often the run is resumed.

        When the ledger knows the run but its checkpoints are gone, this is a second run that
        draws everything anew: it gets a line of its own, "RUN#2".
        """
        saved = self.checkpoint.load(_START)
        if saved is None:
            saved = {"ledger_line": self._free_line(), "asked": self._asked()}
            self.checkpoint.save(_START, saved)
        if saved.get("asked") != self._asked():
            raise self._foreign("were made for another corpus, partition or budget")
        if saved["ledger_line"] != self.entry.run_id:
            self.notes.append(
                "This run was charged before, but its checkpoints were gone: it was run and charged again."
            )
        self.entry = replace(self.entry, run_id=saved["ledger_line"])
        self.ledger.charge(self.entry)

    def once(self, stage: str, rho: Fraction | None, draw: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What `draw` gives, JSON-able with its "charges", drawn now or in an earlier sitting.

        `rho` is what the stage costs (None: unbounded), for the case that it must be paid twice.
        """
        value = self.checkpoint.load(stage)
        begun = self.checkpoint.load(f"{stage}-begun")
        if value is None:
            times = begun["times"] if begun else 0
            if times:
                self._charge_again(stage, rho, times)
            begun = {"times": times + 1}
            self.checkpoint.save(f"{stage}-begun", begun)
            try:
                value = {**draw(), "noise": self.noise.name}
            except BaseException:
                if isinstance(self.noise, WatchedNoise) and not self.noise.used:
                    self.checkpoint.save(f"{stage}-begun", {"times": times})  # nothing was drawn
                raise
            self.checkpoint.save(stage, value)
        else:
            if value.get("noise") != self.noise.name:
                raise self._foreign(f"hold a stage ({stage}) whose noise came from another source")
            for charge in value["charges"] if self.budget is not None else ():
                self.budget.spend(Charge.from_dict(charge))
        self.charges += [Charge.from_dict(c) for c in value["charges"]]
        if begun and begun["times"] > 1:
            self.notes.append(
                f"The stage {stage} was interrupted after it had begun, and drawn anew: its cost was "
                f"charged to the ledger {begun['times']} times."
            )
        return value

    def _asked(self) -> str:
        """What the checkpoints are for, apart from the run's name: a digest."""
        facts = asdict(replace(self.entry, run_id="", date=""))
        del facts["card_id"]
        return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]

    def _foreign(self, what: str) -> BadInput:
        return BadInput(
            f"the checkpoints of this run {what}.",
            where=self.entry.mechanism,
            fix="Start it with fresh checkpoints; it is then charged anew.",
        )

    def _free_line(self) -> str:
        known = {line.run_id for line in self.ledger.lines()}
        name, number = self.entry.run_id, 1
        while name in known:
            number += 1
            name = f"{self.entry.run_id}#{number}"
        return name

    def _charge_again(self, stage: str, rho: Fraction | None, times: int) -> None:
        cost = float("inf") if rho is None else float(rho)
        self.ledger.charge(
            replace(
                self.entry,
                run_id=f"{self.entry.run_id}/{stage}/again-{times}",
                rho=cost,
                epsilon=epsilon_from(cost, self.entry.delta),
                mechanism=f"{self.entry.mechanism}: {stage} drawn again",
            )
        )
