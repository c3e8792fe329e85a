"""Labels that quote a protected record are refused."""

from __future__ import annotations

import pytest

from ctxpriv.errors import BadInput
from ctxpriv.insights.quotations import refuse_quotations
from ctxpriv.insights.runner import run_insights
from ctxpriv.privatize.spin.atoms import Atom, AtomSet

PROTECTED = ["They said that my horse had eaten the bill, and I paid twice."]


@pytest.mark.parametrize(
    "atom",
    [
        Atom("that my HORSE had eaten the bill"),
        Atom("billing", "as in: my horse had eaten the bill and more", "uploaded"),
        Atom("billing", "my horse had eaten the bill", "model"),
    ],
)
def test_six_words_in_a_row_of_a_protected_record_are_a_quotation(atom) -> None:
    with pytest.raises(BadInput, match="stand in a protected record") as error:
        refuse_quotations(AtomSet((atom,)), PROTECTED, [])
    assert atom.description not in str(error.value) or not atom.description


def test_shared_words_and_what_donated_texts_say_are_not() -> None:
    refuse_quotations(AtomSet((Atom("horse had eaten the bill"),)), PROTECTED, [])
    refuse_quotations(AtomSet((Atom("my horse had eaten the bill"),)), PROTECTED, PROTECTED)
    refuse_quotations(AtomSet((Atom("my horse had eaten the bill", "", "phrases"),)), PROTECTED, [])


def test_a_study_with_such_a_label_is_refused_before_anything_is_drawn(
    study, workspace, roles, corpus
) -> None:
    quoted = " ".join(corpus.texts[0].split()[4:12])
    atoms = {"list": ["late fee", "rude staff", quoted]}
    with pytest.raises(BadInput, match="protected record"):
        run_insights(study(atoms=atoms), workspace, roles=roles)
    assert workspace.ledger.lines() == []
