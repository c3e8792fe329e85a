"""Audiences, release contexts, judgements and partitions (DESIGN section 2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from ctxpriv.errors import BadInput
from ctxpriv.schema import Schema

Side = Literal["public", "coarsened", "private"]
"""What one audience gets of an attribute: its value, its bucket only ("public when
coarsened", asked for by the legal expert of the paper's App. H), or nothing."""

SIDES: tuple[Side, ...] = get_args(Side)
"""From the least to the most protective."""

ALL_AUDIENCES = "all audiences"
"""In the ledger, the audience of a release that is made once and given to every audience (MAPLE, Aug-PE)."""


@dataclass(frozen=True)
class CorpusContext:
    """The CI parameters that all audiences of a corpus share."""

    subject: str = ""
    sender: str = ""
    transmission_principle: str = ""

    @property
    def text_kind(self) -> str:
        """What a text is, as prompts say it."""
        return f"text by {self.sender}" if self.sender else "text"


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
class Flow:
    """The CI parameters that a judgement rests on, as the classifier understood them.

    "" where it used none.
    """

    subject: str = ""
    sender: str = ""
    recipient: str = ""
    information: str = ""
    principle: str = ""
    purpose: str = ""


@dataclass(frozen=True)
class Judgement:
    """What the CI classifier answered for one attribute, over several samples."""

    attribute: str
    side: Side
    reason: str
    agreement: float  # share of the usable samples that gave this answer
    samples: int  # usable samples; 0 means that none was, and `side` is the safe default, private
    flow: Flow = Flow()

    def __post_init__(self) -> None:
        check_side(self.side, f"judgement on {self.attribute!r}")

    @property
    def private(self) -> bool:
        return self.side == "private"

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Judgement:
        """The reverse of `asdict`; also reads the two-sided form of earlier workspaces."""
        data = dict(data)
        if "private" in data:
            data["side"] = "private" if data.pop("private") else "public"
        return Judgement(**{**data, "flow": Flow(**data.get("flow", {}))})


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
    """(A_pub(c_j), A_priv(c_j)): covers every attribute of the schema exactly once.

    A_pub is `disclosed`: the `public` attributes, told as they are, and the `coarsened` ones,
    told as their bucket only.
    """

    audience: str
    public: tuple[str, ...]
    private: tuple[str, ...]
    approval: Approval | None = None
    coarsened: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        listed = [*self.public, *self.coarsened, *self.private]
        if twice := sorted({n for n in listed if listed.count(n) > 1}):
            sides = [side for side in SIDES for n in getattr(self, side) if n == twice[0]]
            raise BadInput(
                f"{twice[0]!r} is both {' and '.join(sides)}.",
                where=f"partition for {self.audience!r}",
                fix="Give every attribute one side: public, coarsened or private.",
            )

    @property
    def disclosed(self) -> tuple[str, ...]:
        """A_pub: whatever the audience gets something of."""
        return (*self.public, *self.coarsened)

    def side(self, attribute: str) -> Side:
        """Raises BadInput for an attribute that the partition says nothing about."""
        for side in SIDES:
            if attribute in getattr(self, side):
                return side
        raise BadInput(f"says nothing about {attribute!r}.", where=f"partition for {self.audience!r}")

    def check(self, schema: Schema) -> None:
        """Raises BadInput unless exactly the schema's attributes are covered, and those that are
        public when coarsened have buckets."""
        names = schema.names
        covered = {*self.disclosed, *self.private}
        where = f"partition for {self.audience!r}"
        if missing := [n for n in names if n not in covered]:
            raise BadInput(
                f"says nothing about {missing}.",
                where=where,
                fix="Mark each public, public when coarsened, or private.",
            )
        if extra := sorted(covered - set(names)):
            raise BadInput(f"names {extra}, which the schema does not have.", where=where, fix="Remove them.")
        if plain := [n for n in self.coarsened if n not in schema.coarsenings]:
            raise BadInput(
                f"discloses {plain} when coarsened, but there are no buckets.",
                where=where,
                fix="Give them buckets on the Schema page (in a schema file: coarsen), or make them private.",
            )

    def warnings(self) -> list[str]:
        """Plain sentences on partitions for which audience conditioning does nothing."""
        if not self.private:
            return [
                f"Nothing is private for {self.audience}: differential privacy has nothing to do for the "
                "attributes, and every value is released as it is"
                + (", or as its bucket." if self.coarsened else ".")
            ]
        if not self.disclosed:
            return [f"Nothing is public for {self.audience}: SDG-CI then equals MAPLE."]
        return []

    def moved(self, attribute: str, side: Side) -> Partition:
        """With one attribute on `side`; any approval is void."""
        check_side(side, f"attribute {attribute!r}")
        self.side(attribute)
        sides = {s: tuple(a for a in getattr(self, s) if a != attribute) for s in SIDES}
        sides[side] = (*sides[side], attribute)
        return Partition(self.audience, **sides)

    def approved(self, approval: Approval) -> Partition:
        return replace(self, approval=approval)

    def same_sides(self, other: Partition | None) -> bool:
        """Whether both disclose the same, whoever approved them."""
        return other is not None and self.sides_key() == other.sides_key()

    def sides_key(self) -> list[list[str]]:
        """Names the sides in ids, whatever the order; the same as ever where nothing is coarsened."""
        key = [sorted(self.public), sorted(self.private)]
        return [*key, sorted(self.coarsened)] if self.coarsened else key

    def to_dict(self) -> dict[str, Any]:
        """JSON; without the key `coarsened` where nothing is, as files have been from the start."""
        out: dict[str, Any] = {"public": list(self.public), "private": list(self.private)}
        if self.coarsened:
            out["coarsened"] = list(self.coarsened)
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
            tuple(data.get("coarsened", ())),
        )


def partition_from(audience: str, judgements: Sequence[Judgement]) -> Partition:
    """The proposal that a reviewer starts from."""
    sides = {side: tuple(j.attribute for j in judgements if j.side == side) for side in SIDES}
    return Partition(audience, **sides)


def check_side(side: Any, where: str) -> None:
    """Raises BadInput unless `side` is one of `SIDES`."""
    if side not in SIDES:
        raise BadInput(f"{side!r} is no side.", where=where, fix=f"Use one of {', '.join(SIDES)}.")
