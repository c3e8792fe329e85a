"""The CI classifier without a language model: a table of norms (DESIGN section 9).

The table is `norms.yaml`, written for this project: kind of information × kind of
recipient × kind of purpose, each cell with its reason. Kinds are recognised by keywords,
so the judgement is only as good as the words people use; the reason always shows which
kinds were matched, and whatever no norm covers is private.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import product

from ctxpriv.context import SIDES, Flow, Judgement, ReleaseContext, Side
from ctxpriv.errors import BadInput
from ctxpriv.models.base import ModelIdentity
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.schema import Attribute, Schema

ANY = "any"


@dataclass(frozen=True)
class Kind:
    """One kind of information, recipient or purpose."""

    name: str
    title: str
    keywords: tuple[str, ...]

    def matches(self, text: str) -> bool:
        """Whether one of the keywords occurs in `text`, as whole words."""
        plain = _plain(text)
        return any(_pattern(keyword).search(plain) for keyword in self.keywords)


@dataclass(frozen=True)
class Norm:
    """One cell of the table."""

    side: Side
    reason: str


@dataclass(frozen=True)
class NormTable:
    """Kinds in order of precedence, and cells by (information, recipient, purpose)."""

    information: tuple[Kind, ...]
    recipients: tuple[Kind, ...]
    purposes: tuple[Kind, ...]
    cells: Mapping[tuple[str, str, str], Norm]
    digest: str = ""

    def norm(self, information: str, recipient: str, purpose: str) -> Norm | None:
        """The cell of exactly this recipient, else the one of any recipient."""
        exact = self.cells.get((information, recipient, purpose))
        return exact or self.cells.get((information, ANY, purpose))

    def information_kind(self, attribute: Attribute) -> Kind | None:
        """By the attribute's name, else by its description."""
        return first_match(self.information, attribute.name, attribute.description)


@dataclass(frozen=True)
class NormsClassifier:
    """Plays the CI classifier role from a table; `table` None means the project's own."""

    table: NormTable | None = None

    @property
    def identity(self) -> ModelIdentity:
        return ModelIdentity("local", "table of norms", (self.table or project_norms()).digest)

    def classify(
        self,
        schema: Schema,
        context: ReleaseContext,
        *,
        samples: int = 3,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> tuple[Judgement, ...]:
        """One judgement per attribute, in schema order; `samples` is not used: a table
        answers the same every time (agreement 1, one sample). Where the norm asks for buckets
        and the attribute has none, it is private. The flow names the kinds that were matched."""
        cancel.check()
        table = self.table or project_norms()
        audience = context.audience
        recipient = first_match(table.recipients, audience.recipient, audience.name)
        purpose = first_match(table.purposes, audience.purpose)
        out = tuple(_judge(a, schema, table, recipient, purpose) for a in schema.attributes)
        progress("classify attributes", len(out), len(out))
        return out


def first_match(kinds: Sequence[Kind], *texts: str) -> Kind | None:
    """The first kind with a keyword in the first text, else in the second, and so on."""
    return next((kind for text in texts for kind in kinds if kind.matches(text)), None)


@cache
def project_norms() -> NormTable:
    """The table that ships with the project."""
    import yaml

    text = (files("ctxpriv.classify") / "norms.yaml").read_text("utf-8")
    return norms_from(yaml.safe_load(text), hashlib.sha256(text.encode()).hexdigest())


def norms_from(data: Mapping[str, Mapping], digest: str = "") -> NormTable:
    """A table from its file's content. Raises BadInput on an unknown kind, an unknown
    decision, a missing reason, or two norms for one cell."""
    where = "table of norms"
    information, recipients, purposes = (
        tuple(Kind(n, k["title"], tuple(map(str, k["keywords"]))) for n, k in data[part].items())
        for part in ("information", "recipients", "purposes")
    )
    names = [{k.name for k in kinds} for kinds in (information, recipients, purposes)]
    cells: dict[tuple[str, str, str], Norm] = {}
    for flow in data["flows"]:
        for norm in flow["norms"]:
            if norm["decision"] not in SIDES or not str(norm.get("reason", "")).strip():
                raise BadInput(f"a norm needs a decision ({', '.join(SIDES)}) and a reason.", where=where)
            for cell in product(norm["kinds"], flow["recipients"], flow["purposes"]):
                if cell[0] not in names[0] or cell[1] not in names[1] | {ANY} or cell[2] not in names[2]:
                    raise BadInput(f"a norm names an unknown kind in {cell}.", where=where)
                if cell in cells:
                    raise BadInput(f"two norms cover {cell}.", where=where)
                cells[cell] = Norm(norm["decision"], " ".join(norm["reason"].split()))
    return NormTable(information, recipients, purposes, cells, digest)


def _judge(
    attribute: Attribute, schema: Schema, table: NormTable, recipient: Kind | None, purpose: Kind | None
) -> Judgement:
    information = table.information_kind(attribute)
    matched = {"information": information, "recipient": recipient, "purpose": purpose}
    said = " × ".join(kind.title if kind else f"unknown {what}" for what, kind in matched.items())
    flow = Flow(**{what: kind.title for what, kind in matched.items() if kind})
    norm = None
    if information and purpose:
        norm = table.norm(information.name, recipient.name if recipient else ANY, purpose.name)
    if norm is None:
        reason = f"No norm covers [{said}]; private to be safe."
        return Judgement(attribute.name, "private", reason, 1.0, 1, flow)
    side, reason = norm.side, norm.reason
    if side == "coarsened" and attribute.name not in schema.coarsenings:
        side, reason = (
            "private",
            f"{reason} There are no buckets; with them it would be public when coarsened.",
        )
    return Judgement(attribute.name, side, f"{reason} [{said}]", 1.0, 1, flow)


def _plain(text: str) -> str:
    """Lower case, words apart by one space; hyphens stay, they are part of words."""
    return re.sub(r"[^\w-]+|_", " ", text.casefold()).strip()


@cache
def _pattern(keyword: str) -> re.Pattern[str]:
    if keyword.startswith("="):
        return re.compile(rf"^{re.escape(_plain(keyword[1:]))}$")
    open_ended = keyword.endswith("*")
    words = re.escape(_plain(keyword.rstrip("*")))
    return re.compile(rf"(?<!\w){words}" + ("" if open_ended else r"(?!\w)"))
