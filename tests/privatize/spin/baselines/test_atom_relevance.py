"""Labels of other releases, and the atoms that they stand for."""

from __future__ import annotations

import numpy as np
import pytest

from ctxpriv.privatize.spin.atoms import Atom, AtomSet
from ctxpriv.privatize.spin.baselines.atom_relevance import by_examples, by_label, by_words, stood_for


def test_a_category_stands_for_its_atoms_by_auxiliary_support(atoms):
    shares = by_label(["Mortgage", "credit  CARD"], atoms, np.ones((2, 3)))
    assert shares.tolist() == [[0.75, 0.25, 0.0], [0.0, 0.0, 1.0]]


def test_a_label_inside_counts_where_none_starts_with_it_and_only_as_a_whole_word(atoms):
    other = np.array([[1.0, 1.0, 2.0]])
    assert by_label(["Fraud"], atoms, other).tolist() == [[0.0, 0.0, 1.0]]
    assert by_label(["Fra"], atoms, other).tolist() == [[0.25, 0.25, 0.5]]
    assert by_label(["Fra"], atoms, other * 0).tolist() == [[0.0, 0.0, 0.0]]


def test_a_category_is_like_what_its_donated_texts_are_like(atoms):
    texts = ["the mortgage payment", "a dispute with the bank", "a stranger", "of no category"]
    shares = by_examples(np.array([1, 0, 0, -1]), 3, texts, atoms)
    assert shares.argmax(axis=1).tolist()[:2] == [2, 0]
    assert shares.sum(axis=1) == pytest.approx([1.0, 1.0, 0.0])
    assert by_examples(np.array([], int), 2, [], atoms).tolist() == [[0.0] * 3] * 2


def test_words_find_their_other_forms(atoms):
    shares = by_words(["payment", "dispute", "zzzz"], atoms)
    assert shares.argmax(axis=1).tolist()[:2] == [0, 2]
    assert shares[2].tolist() == [0.0, 0.0, 0.0]
    assert shares[:2].sum(axis=1) == pytest.approx([1.0, 1.0])


def test_atoms_without_words_are_like_nothing():
    assert by_words(["payment"], AtomSet((Atom("7"), Atom("8")))).tolist() == [[0.0, 0.0]]


def test_best_atoms_first_and_none_that_got_nothing(atoms):
    shares = np.array([[0.5, 0.5, 0.0], [0.0, 0.0, 1.0]])
    assert stood_for([4.0, 3.0], shares, 3) == (2, 0, 1)
    assert stood_for([4.0, -3.0], shares, 3) == (0, 1)
    assert stood_for([4.0, 3.0], shares, 1) == (2,)
    assert stood_for([-4.0, 0.0], shares, 3) == ()
