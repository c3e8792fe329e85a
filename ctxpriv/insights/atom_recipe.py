"""How a study's public dictionary is made, as a plan file says it.

    atoms:
      taxonomy: [product, issue, sub_issue]   # values of the donated records, joined
      phrases: true                           # two-word themes of the donated texts
      least_support: 5
      file: themes.csv                        # label, description
      list: [late fee, {label: rude staff, description: ...}]
      describe: complaints about banks        # a language model proposes labels from this alone
      m: 100

Several sources are taken together in the order given above, file and list first, until there are m.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.privatize.spin.atoms import MOST_ATOMS, Atom, AtomSet
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import Roles
from ctxpriv.strict import a_list, a_text, check_keys, names, whole_number

KEYS = ("taxonomy", "phrases", "least_support", "file", "list", "describe", "m")
M = 50


@dataclass(frozen=True)
class AtomRecipe:
    """`given` are atoms that people typed, uploaded or froze. `m` limits what is added to them.

    `describe` needs a language model. Raises BadInput when there is no source at all.
    """

    given: tuple[Atom, ...] = ()
    taxonomy: tuple[str, ...] = ()
    phrases: bool = False
    least_support: int | None = None
    describe: str = ""
    m: int = M

    def __post_init__(self) -> None:
        if not (self.given or self.taxonomy or self.phrases or self.describe):
            raise BadInput(
                "names no source of labels.",
                where="atoms",
                fix="Give taxonomy columns, phrases: true, a file, a list, or a description.",
            )
        if not 1 <= whole_number(self.m, "atoms, m", least=1) <= MOST_ATOMS:
            raise BadInput(f"is above {MOST_ATOMS}.", where="atoms, m")

    def build(
        self,
        donated: DonatedExamples,
        roles: Roles,
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> AtomSet:
        """The dictionary, from public and donated material alone. Raises BadInput where a source gives
        nothing (no donated record), ModelFailed where the model proposes nothing usable."""
        from ctxpriv.privatize.spin.atom_phrases import from_phrases
        from ctxpriv.privatize.spin.atom_sources import combined, from_taxonomy
        from ctxpriv.privatize.spin.atoms_by_model import atoms_by_model

        parts = [AtomSet(self.given)] if self.given else []
        if self.taxonomy:
            parts.append(from_taxonomy(donated, self.taxonomy, self.m))
        if self.phrases:
            parts.append(from_phrases(donated.texts, self.m, self.least_support))
        if self.describe:
            if roles.mapper is None:
                raise BadInput(
                    "a description needs a language model to propose labels.",
                    where="atoms, describe",
                    fix="Name one under models, or choose another source.",
                )
            parts.append(
                atoms_by_model(self.describe, self.m, roles.mapper, progress=progress, cancel=cancel)
            )
        whole = parts[0]
        for part in parts[1:]:
            whole = combined(whole, part, max(self.m, len(self.given)))
        return whole

    def to_dict(self) -> dict[str, Any]:
        """JSON-able, without files: what they held is in `list`."""
        out: dict[str, Any] = {"m": self.m}
        if self.given:
            out["list"] = AtomSet(self.given).to_list()
        if self.taxonomy:
            out["taxonomy"] = list(self.taxonomy)
        if self.phrases:
            out["phrases"] = True
        if self.least_support is not None:
            out["least_support"] = self.least_support
        return out | ({"describe": self.describe} if self.describe else {})

    @staticmethod
    def from_dict(data: Any, where: str, base: Path) -> AtomRecipe:
        """Raises BadInput naming the key path; `file` is relative to `base`."""
        check_keys(data, KEYS, where)
        given: tuple[Atom, ...] = ()
        if data.get("file"):
            from ctxpriv.privatize.spin.atom_files import read_atoms

            given += read_atoms(base / a_text(data["file"], f"{where}.file")).atoms
        given += tuple(
            _atom(item, f"{where}.list[{i}]")
            for i, item in enumerate(a_list(data.get("list") or [], f"{where}.list"))
        )
        if data.get("phrases", False) not in (True, False):
            raise BadInput("is neither true nor false.", where=f"{where}.phrases")
        least = data.get("least_support")
        return AtomRecipe(
            given,
            names(data.get("taxonomy") or [], f"{where}.taxonomy"),
            bool(data.get("phrases")),
            None if least is None else whole_number(least, f"{where}.least_support", least=1),
            a_text(data.get("describe") or "", f"{where}.describe"),
            whole_number(data.get("m", max(M, len(given))), f"{where}.m", least=1),
        )


def _atom(item: Any, where: str) -> Atom:
    if isinstance(item, str):
        return Atom(item)
    check_keys(item, ("label", "description", "source", "support"), where, required=("label",))
    settings: Mapping[str, Any] = {k: v for k, v in item.items() if v is not None}
    return Atom(**settings)
