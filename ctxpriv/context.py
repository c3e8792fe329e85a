"""Audiences, release contexts, judgements and partitions (DESIGN section 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ctxpriv.errors import BadInput

ALL_AUDIENCES = "all audiences"
"""In the ledger, the audience of a release that is made once and given to every audience (MAPLE, Aug-PE)."""


@dataclass(frozen=True)
class CorpusContext:
    """The CI parameters that all audiences of a corpus share."""

    subject: str = ""
    sender: str = ""
    transmission_principle: str = ""


@dataclass(frozen=True)
class Audience:
    """A recipient R_j with its use case u_j."""

    name: str
    recipient: str
    purpose: str

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise BadInput("an audience needs a name.", where="audiences")
        if self.name.strip() == ALL_AUDIENCES:
            raise BadInput(
                f"an audience cannot be called {ALL_AUDIENCES!r}.",
                where="audiences",
                fix="The ledger uses this name for releases that every audience gets.",
            )


@dataclass(frozen=True)
class ReleaseContext:
    """c_j: what the CI classifier is told, beside attribute names and descriptions."""

    audience: Audience
    corpus: CorpusContext


@dataclass(frozen=True)
class Judgement:
    """What the CI classifier answered for one attribute, over several samples."""

    attribute: str
    private: bool
    reason: str
    agreement: float  # share of the usable samples that gave this answer
    samples: int  # usable samples; 0 means that none was, and `private` is the safe default


@dataclass(frozen=True)
class Approval:
    """A named person looked at the partition and takes responsibility for it."""

    name: str
    date: str  # ISO date
    note: str = ""

    def __post_init__(self) -> None:
        if not self.name.strip():
            raise BadInput("an approval needs the name of the person who gives it.", where="approval")


@dataclass(frozen=True)
class Partition:
    """(A_pub(c_j), A_priv(c_j)): covers every attribute of the schema exactly once."""

    audience: str
    public: tuple[str, ...]
    private: tuple[str, ...]
    approval: Approval | None = None

    def __post_init__(self) -> None:
        both = set(self.public) & set(self.private)
        if both:
            raise BadInput(
                f"{sorted(both)} are both public and private.", where=f"partition for {self.audience!r}"
            )

    def check(self, names: Sequence[str]) -> None:
        """Raises BadInput unless exactly the attributes `names` are covered."""
        covered = set(self.public) | set(self.private)
        where = f"partition for {self.audience!r}"
        if missing := [n for n in names if n not in covered]:
            raise BadInput(f"says nothing about {missing}.", where=where, fix="Mark each public or private.")
        if extra := sorted(covered - set(names)):
            raise BadInput(f"names {extra}, which the schema does not have.", where=where, fix="Remove them.")

    def warnings(self) -> list[str]:
        """Plain sentences on partitions for which audience conditioning does nothing."""
        if not self.private:
            return [
                f"Nothing is private for {self.audience}: differential privacy has nothing to do for the "
                "attributes, and every value is released as it is."
            ]
        if not self.public:
            return [f"Nothing is public for {self.audience}: SDG-CI then equals MAPLE."]
        return []

    def flipped(self, attribute: str) -> Partition:
        """With one attribute moved to the other side; any approval is void."""
        if attribute in self.private:
            private = tuple(a for a in self.private if a != attribute)
            return Partition(self.audience, (*self.public, attribute), private)
        public = tuple(a for a in self.public if a != attribute)
        return Partition(self.audience, public, (*self.private, attribute))

    def approved(self, approval: Approval) -> Partition:
        return replace(self, approval=approval)

    def to_dict(self) -> dict[str, Any]:
        out: dict[str, Any] = {"public": list(self.public), "private": list(self.private)}
        if self.approval:
            out["approval"] = {
                "name": self.approval.name,
                "date": self.approval.date,
                "note": self.approval.note,
            }
        return out

    @staticmethod
    def from_dict(audience: str, data: Mapping[str, Any]) -> Partition:
        approval = data.get("approval")
        return Partition(
            audience,
            tuple(data["public"]),
            tuple(data["private"]),
            Approval(approval["name"], approval["date"], approval.get("note", "")) if approval else None,
        )


def partition_from(audience: str, judgements: Sequence[Judgement]) -> Partition:
    """The proposal that a reviewer starts from."""
    return Partition(
        audience,
        tuple(j.attribute for j in judgements if not j.private),
        tuple(j.attribute for j in judgements if j.private),
    )
