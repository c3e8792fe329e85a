"""Extraction without a language model: embedding and logistic regression per attribute.

The local counterpart of the extractor role (DESIGN section 9). Trained on the donated
split it reads no private record; trained on the private split it serves curator-only
evaluation, where the same extractor must look at both sides of a comparison.

Levels. With `coarse=True` (the default) it learns buckets, because a few hundred texts
cannot teach hundreds of occupations. Asked for the schema at coarse level
(`Schema.at_coarse_level`) it answers with buckets; asked for the schema it was trained
on, it answers with the bucket's representative (the most frequent training value in it),
so that `schema.codes` of the answer are exactly the predicted buckets. Finer detail of
such an answer means nothing.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from ctxpriv.errors import BadInput
from ctxpriv.extract.levels import representatives
from ctxpriv.extract.word_count import counted_values
from ctxpriv.models.base import Embedder, ModelIdentity
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import Extraction
from ctxpriv.schema import Schema


@dataclass(frozen=True)
class LinearHead:
    """Multinomial logistic regression of one attribute; one class means a constant."""

    classes: tuple[str, ...]
    weights: np.ndarray  # (classes, dimension)
    offsets: np.ndarray  # (classes,)

    @staticmethod
    def fit(vectors: np.ndarray, labels: Sequence[str], seed: int = 0) -> LinearHead:
        """`vectors` of shape (n, dimension), n ≥ 1. Classes with one member are kept."""
        from sklearn.linear_model import LogisticRegression

        labels = np.asarray(labels, object)
        classes = tuple(sorted(set(labels)))
        if len(classes) == 1:
            return LinearHead(classes, np.zeros((1, vectors.shape[1])), np.zeros(1))
        # C = 10: unit vectors have small coordinates, so the usual C = 1 shrinks too much.
        model = LogisticRegression(C=10.0, max_iter=500, random_state=seed)
        model.fit(vectors, np.asarray([classes.index(v) for v in labels]))
        weights, offsets = model.coef_, model.intercept_
        if len(classes) == 2:  # sklearn keeps one row for two classes
            weights, offsets = np.vstack([-weights / 2, weights / 2]), np.array([-offsets[0], offsets[0]]) / 2
        return LinearHead(classes, weights, offsets)

    def probabilities(self, vectors: np.ndarray) -> np.ndarray:
        """Shape (n, classes), rows sum to 1."""
        scores = np.asarray(vectors, float) @ self.weights.T + self.offsets
        scores = np.exp(scores - scores.max(axis=1, keepdims=True))
        return scores / scores.sum(axis=1, keepdims=True)


@dataclass(frozen=True)
class ClassifierExtractor:
    """Plays the extractor role; build with `train`."""

    embedder: Embedder
    schema: Schema  # that it was trained on
    coarse: bool
    heads: Mapping[str, LinearHead]
    stand_ins: Mapping[str, Mapping[str, str]]  # attribute -> bucket -> value

    @staticmethod
    def train(
        texts: Sequence[str],
        values: pd.DataFrame,
        schema: Schema,
        embedder: Embedder,
        *,
        seed: int = 0,
        coarse: bool = True,
        vectors: np.ndarray | None = None,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> ClassifierExtractor:
        """One linear head per attribute of `schema`, on specific values inside its domains.

        `vectors` (n, dimension) spares embedding again. Raises BadInput without records.
        """
        if not len(texts) or len(texts) != len(values):
            raise BadInput(
                f"has {len(texts)} texts and {len(values)} rows of values to learn from.",
                where="local extractor",
                fix="Give it at least one record, e.g. a donated split.",
            )
        if vectors is None:
            vectors = embedder.embed(texts, progress=progress, cancel=cancel)
        targets = schema.coarsen(values) if coarse else values
        heads = {}
        for done, name in enumerate(schema.names):
            cancel.check()
            progress("train extractor", done, len(schema.names))
            heads[name] = LinearHead.fit(vectors, list(targets[name].astype(str)), seed)
        progress("train extractor", len(schema.names), len(schema.names))
        stand_ins = representatives(schema, values) if coarse else {}
        return ClassifierExtractor(embedder, schema, coarse, heads, stand_ins)

    @property
    def identity(self) -> ModelIdentity:
        h = hashlib.sha256(repr(self.schema.to_dict()).encode())
        for name, head in self.heads.items():
            h.update(name.encode() + repr(head.classes).encode())
            # Rounded: the digest names what was learned, not the last bit of a solver.
            h.update(np.round(head.weights, 4).tobytes() + np.round(head.offsets, 4).tobytes())
        return ModelIdentity("local", f"logistic regression on {self.embedder.identity.name}", h.hexdigest())

    def extract(
        self,
        texts: Sequence[str],
        schema: Schema,
        *,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> Extraction:
        """Values of shape (len(texts), |A|) inside the domains of `schema`; never fails a row.

        `schema` holds trained attributes, at the trained level or at the coarse one.
        Raises BadInput for an attribute or domain it was not trained for.
        """
        start = time.perf_counter()
        vectors = self._embed(texts, progress, cancel)
        return self.extract_vectors(vectors, schema, texts, started=start)

    def extract_vectors(
        self, vectors: np.ndarray, schema: Schema, texts: Sequence[str], *, started: float | None = None
    ) -> Extraction:
        """As `extract`, for texts that are embedded already, `vectors` of shape (n, dimension).

        `word_count` is counted in the texts, not predicted.
        """
        started = time.perf_counter() if started is None else started
        columns = {}
        for attribute in schema.attributes:
            counted = counted_values(texts, attribute)
            if counted is None:
                mapped = self._answers(attribute.name, attribute.values)
                best = self.heads[attribute.name].probabilities(vectors).argmax(axis=1)
                columns[attribute.name] = np.asarray(mapped, object)[best]
            else:
                columns[attribute.name] = np.asarray(counted, object)
        table = pd.DataFrame(columns, index=range(len(texts)))
        return Extraction(table, seconds=time.perf_counter() - started)

    def top_values(self, texts: Sequence[str], k: int = 3) -> dict[str, list[list[tuple[str, float]]]]:
        """Per attribute and text, up to k (value, probability) pairs, most probable first.

        At the level it was trained on: buckets when `coarse`.
        """
        vectors = self._embed(texts, silent, NEVER)
        out = {}
        for name, head in self.heads.items():
            chance = head.probabilities(vectors)
            order = np.argsort(-chance, axis=1, kind="stable")[:, :k]
            out[name] = [
                [(head.classes[j], float(row[j])) for j in pick]
                for row, pick in zip(chance, order, strict=True)
            ]
        return out

    def _embed(self, texts: Sequence[str], progress: Progress, cancel: CancelToken) -> np.ndarray:
        if not len(texts):
            return np.zeros((0, self.embedder.dimension), np.float32)
        return self.embedder.embed(texts, progress=progress, cancel=cancel)

    def _answers(self, name: str, domain: Sequence[str]) -> list[str]:
        """What each class of an attribute is called in the asked domain."""
        where = "local extractor"
        if name not in self.heads:
            raise BadInput(f"was not trained for {name!r}.", where=where, fix="Train it on this schema.")
        classes, known = self.heads[name].classes, set(domain)
        stand_ins = self.stand_ins.get(name, {})
        answers = [c if c in known else stand_ins.get(c, "") for c in classes]
        # A bucket may share its name with a specific value of another bucket; the trained
        # domain is decoded by representative throughout, so that codes stay the prediction.
        if stand_ins and tuple(domain) == self.schema[name].values:
            answers = [stand_ins[c] for c in classes]
        if any(a not in known for a in answers):
            raise BadInput(
                f"learned values of {name!r} that the asked schema does not have.",
                where=where,
                fix="Ask for the schema it was trained on, or for its coarse level.",
            )
        return answers


def cross_fitted(
    texts: Sequence[str],
    values: pd.DataFrame,
    schema: Schema,
    embedder: Embedder,
    *,
    folds: int = 5,
    groups: Sequence[str] | None = None,
    coarse: bool = True,
    seed: int = 0,
    vectors: np.ndarray | None = None,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> pd.DataFrame:
    """Out-of-fold values: every text is read by an extractor that was not trained on it.

    Records of one group (author) share a fold. Buckets when `coarse`, so compare with
    `schema.coarsen(values)`. Raises BadInput with fewer than two groups or texts.
    """
    units = np.asarray([str(i) for i in range(len(texts))] if groups is None else groups, str)
    names, unit = np.unique(units, return_inverse=True)
    if len(names) < 2:
        raise BadInput("needs at least two records or authors.", where="cross-fitted extraction")
    folds = min(folds, len(names))
    fold = (np.random.default_rng(seed).permutation(len(names)) % folds)[unit]
    if vectors is None:
        vectors = embedder.embed(texts, progress=progress, cancel=cancel)
    asked = schema.at_coarse_level() if coarse else schema
    out = pd.DataFrame({n: np.empty(len(texts), object) for n in schema.names})
    for held_out in range(folds):
        cancel.check()
        progress("cross-fit extractor", held_out, folds)
        train, test = np.flatnonzero(fold != held_out), np.flatnonzero(fold == held_out)
        extractor = ClassifierExtractor.train(
            [texts[i] for i in train], values.iloc[train], schema, embedder,
            seed=seed, coarse=coarse, vectors=vectors[train], cancel=cancel,
        )  # fmt: skip
        got = extractor.extract_vectors(vectors[test], asked, [texts[i] for i in test]).values
        for name in schema.names:
            out.loc[test, name] = got[name].to_numpy(object)
    progress("cross-fit extractor", folds, folds)
    return out
