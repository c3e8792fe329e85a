"""What a method is to everything around it: one protocol, so that another one needs no change elsewhere.

A method is a frozen config dataclass in its own folder, and one line in `registry`. Studies, runs,
the runner, the command line and the pages ask only for what is written here.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, ClassVar, Literal, Protocol

from ctxpriv.context import Partition
from ctxpriv.corpus import Corpus, CorpusFacts
from ctxpriv.privacy.ledger import Ledger
from ctxpriv.privatize.plan import RunPlan
from ctxpriv.privatize.release import Checkpoint, Release
from ctxpriv.progress import CancelToken, Progress
from ctxpriv.roles import Roles

Protects = Literal["audience", "everything", "default partition"]
"""Whose partition a method is given: the audience's own; one with every attribute private, or the
corpus's default partition. The last two are run once and shared by all audiences."""

Family = Literal["synthetic", "rewritten"]


class Method(Protocol):
    """A config. Its fields are its settings; it may have `epsilon` and `n_synthetic` among them.

    `played_by` names the roles (fields of `Roles`) that decide its result.
    """

    name: ClassVar[str]
    family: ClassVar[Family]
    protects: ClassVar[Protects]
    played_by: ClassVar[tuple[str, ...]]

    def plan(self, facts: CorpusFacts, partition: Partition, roles: Roles) -> RunPlan:
        """What `run` would do and cost, from public facts alone."""
        ...

    def run(
        self,
        corpus: Corpus,
        partition: Partition,
        roles: Roles,
        *,
        ledger: Ledger,
        run_id: str,
        checkpoint: Checkpoint,
        seed: int,
        progress: Progress,
        cancel: CancelToken,
    ) -> Release:
        """Charges the ledger, then works; goes on from `checkpoint` where it was stopped."""
        ...

    def to_dict(self) -> dict[str, Any]:
        """JSON-able settings with the key `method`, read back by `registry.method_from`."""
        ...


def epsilon_of(config: Any) -> float | None:
    """The ε asked for; None for a method that has no such setting."""
    return getattr(config, "epsilon", None)


def takes(config: type, setting: str) -> bool:
    """Whether a method's config class has this setting."""
    return setting in {f.name for f in fields(config)}


@dataclass(frozen=True)
class MethodEntry:
    """A method of whatever kind of study as forms and charts need it. `colour` (hex) is the same in every
    chart."""

    name: str
    config: type
    family: str
    colour: str
    description: str

    @staticmethod
    def of(config: type, colour: str, description: str) -> MethodEntry:
        return MethodEntry(config.name, config, config.family, colour, description)

    @property
    def settings(self) -> tuple[str, ...]:
        """The settings of its config, in their order."""
        return tuple(f.name for f in fields(self.config))

    def takes(self, setting: str) -> bool:
        """Whether its config has this setting ("epsilon", "n_synthetic", ...)."""
        return takes(self.config, setting)


def says_infinite(value: Any) -> bool:
    """Whether an ε is written as infinite: "inf", "infinity" or "∞"."""
    return isinstance(value, str) and value.strip().casefold() in ("inf", "infinity", "∞")
