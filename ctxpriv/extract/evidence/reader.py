"""A classifier that reads attributes from texts: typed evidence, embeddings and TF–IDF.

It learns from donated texts only. The local adversary and the local evaluators are this one.
PRIVATE SIDE where the texts read are private. What is learnt holds nothing of a private record.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from ctxpriv.errors import BadInput
from ctxpriv.examples import DonatedExamples
from ctxpriv.extract.evidence.choice import fit, log_prior, scores
from ctxpriv.extract.evidence.features import TYPED, Evidence, Read
from ctxpriv.extract.evidence.learned import Lifts, Space
from ctxpriv.extract.word_count import NAME as WORD_COUNT
from ctxpriv.extract.word_count import counted_values, is_counted
from ctxpriv.models.base import Embedder

FOLDS = 5
PULL = 5.0
"""How strongly the weights of an attribute are pulled to those that serve all attributes."""
EXTRA = 2.0
"""Authors on top of every value in the prior: with twenty authors their shares are little known."""
RAISED = float(np.log(2.0))
"""A value is told where the text at least doubles its odds against what they are without the text."""
NEVER = float(np.log(1e-9))


@dataclass(frozen=True)
class EvidenceReader:
    """Fitted. Log probabilities and `priors` are over `classes(attribute)`, its coarse values."""

    donated: DonatedExamples = field(repr=False)
    evidence: Evidence = field(repr=False)
    space: Space = field(repr=False)
    lifts: Mapping[str, Lifts] = field(repr=False)
    weights: Mapping[str, np.ndarray]
    priors: Mapping[str, np.ndarray]

    @staticmethod
    def fit(donated: DonatedExamples, embedder: Embedder, seed: int = 0) -> EvidenceReader:
        """Raises BadInput where nothing was donated.

        What the regressions say of a donated text enters the choice model cross-fitted, with the texts
        of one author in one fold: in-sample they would be believed too much.
        """
        if not len(donated):
            raise BadInput(
                "has no donated texts to learn from.",
                where="classifier adversary",
                fix="Keep a donated split, or give the role to a language model.",
            )
        schema, units = donated.schema, _authors(donated)
        folds = np.random.default_rng([seed, 83]).permutation(units.max() + 1)[units] % FOLDS
        names = tuple(a.name for a in schema.attributes if not is_counted(a))
        evidence = Evidence(schema, names, embedder)
        read = evidence.read(donated.texts)
        space, typed = Space.fit(read.means, donated.texts), evidence.features(read, names)
        tasks, lifts = {}, {}
        for name in names:
            codes, size = donated.codes[:, schema.names.index(name)], len(schema.coarse_values(name))
            learned = _cross_fitted(space.donated, codes, size, folds, seed)
            lifts[name] = Lifts.fit(space.donated, codes, size, seed)
            prior = log_prior(codes, size, 1 / np.bincount(units)[units], EXTRA)
            tasks[name] = (prior, _beside(typed[name], learned), codes)
        shared = fit(list(tasks.values()), np.zeros(len(TYPED) + 1), 1.0)
        weights = {name: fit([task], shared, PULL) for name, task in tasks.items()}
        return EvidenceReader(donated, evidence, space, lifts, weights, {n: t[0] for n, t in tasks.items()})

    @property
    def digest(self) -> str:
        """Names what was learnt: equal for equal donated texts, values and settings."""
        h = hashlib.sha256()
        for name, w in self.weights.items():
            h.update(name.encode() + np.round(w, 3).tobytes() + np.round(self.priors[name], 6).tobytes())
        return h.hexdigest()

    def classes(self, name: str) -> tuple[str, ...]:
        return self.donated.schema.coarse_values(name)

    def prior(self, name: str) -> np.ndarray:
        """Log (classes,). For a counted attribute its share among the donated texts."""
        if name in self.priors:
            return self.priors[name]
        codes = self.donated.codes[:, self.donated.schema.names.index(name)]
        return log_prior(codes, len(self.classes(name)))

    def lift(self, name: str, log: np.ndarray) -> np.ndarray:
        """By how much log probabilities (..., classes) raise the log odds over the prior."""
        return _logit(log) - _logit(self.prior(name))

    def log_probabilities(self, read: Read, names: Sequence[str]) -> dict[str, np.ndarray]:
        """Per attribute (n, classes). `word_count` is counted, not read."""
        out = {}
        if any(n in self.weights for n in names):
            typed, x = (
                self.evidence.features(read, [n for n in names if n in self.weights]),
                self.space.of(read.means, read.texts),
            )
        for name in names:
            if name in self.weights:
                learned = self.lifts[name].of(x)
                out[name] = scores(self.priors[name], _beside(typed[name], learned), self.weights[name])
            else:
                out[name] = self._counted(read.texts, name)
        return out

    def _counted(self, texts: Sequence[str], name: str) -> np.ndarray:
        schema = self.donated.schema
        coarsening = schema.coarsenings.get(name)
        out = np.full((len(texts), len(self.classes(name))), NEVER)
        for i, value in enumerate(counted_values(texts, schema[name]) or ()):
            out[i, self.classes(name).index(coarsening.mapping[value] if coarsening else value)] = 0.0
        return out


def _beside(typed: np.ndarray, learned: np.ndarray) -> np.ndarray:
    return np.concatenate([typed, learned[:, :, None]], axis=2)


def _logit(log: np.ndarray) -> np.ndarray:
    log = np.minimum(log, np.log1p(-1e-9))
    return log - np.log1p(-np.exp(log))


def _cross_fitted(x: np.ndarray, codes: np.ndarray, size: int, folds: np.ndarray, seed: int) -> np.ndarray:
    """Lifts (n, size) of every text by a regression that did not see its fold; 0 with a single fold."""
    out = np.zeros((len(codes), size))
    for f in np.unique(folds) if len(np.unique(folds)) > 1 else ():
        seen, unseen = folds != f, folds == f
        out[unseen] = Lifts.fit(x[seen], codes[seen], size, seed).of(x[unseen])
    return out


def _authors(donated: DonatedExamples) -> np.ndarray:
    """A number per text. Donated examples name no authors: texts that agree in everything but label and
    length are taken to be of one, unless that makes hardly any."""
    about = [n for n in donated.schema.names if n not in (donated.label, WORD_COUNT)]
    rows = donated.values[about].astype(str).agg("\x1f".join, axis=1) if about else []
    names, unit = np.unique(np.asarray(rows, str), return_inverse=True)
    return unit if len(names) >= FOLDS else np.arange(len(donated))


_KEPT: OrderedDict[str, EvidenceReader] = OrderedDict()
_LOCK = threading.Lock()


def fitted(donated: DonatedExamples, embedder: Embedder, seed: int = 0) -> EvidenceReader:
    """As `EvidenceReader.fit`; the last few are kept, since several roles and audiences learn from the
    same donated texts."""
    h = hashlib.sha256(
        json.dumps([list(donated.texts), donated.schema.to_dict(), donated.label, seed]).encode()
    )
    h.update(donated.values.to_csv().encode() + repr(embedder.identity).encode())
    key = h.hexdigest()
    with _LOCK:
        if key not in _KEPT:
            _KEPT[key] = EvidenceReader.fit(donated, embedder, seed)
        _KEPT.move_to_end(key)
        while len(_KEPT) > 3:
            _KEPT.popitem(last=False)
        return _KEPT[key]
