"""Which parts of a text tell an attribute: typed spans, and the sentences it hangs on.

PRIVATE SIDE where the text is private.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from ctxpriv.extract.evidence.features import Read
from ctxpriv.extract.evidence.find import find_spans
from ctxpriv.extract.evidence.reader import EvidenceReader
from ctxpriv.extract.evidence.sentences import cut_sentences

LEAST = 0.1
"""A sentence is named where leaving it out lowers the log odds of the guess by this much."""


def bearing_spans(reader: EvidenceReader, text: str, name: str, value: int) -> list[str]:
    """Typed spans of `text` that point to class `value` of an attribute."""
    bearing = reader.evidence.bearing
    return [
        text[span.start : span.end]
        for span in find_spans(text)
        if any(name in bearing.attributes(c) and bearing.weights(c, name)[value] > 0 for c in span.clues)
    ]


def without_sentences(read: Read, rows: Sequence[int]) -> tuple[Read, list[tuple[int, int]]]:
    """Every text of `rows` without each of its sentences in turn, and (row, sentence) of each."""
    texts, sentences, vectors, whose = [], [], [], []
    for i in rows:
        cuts = cut_sentences(read.texts[i])
        for j, (start, end) in enumerate(cuts):
            texts.append(read.texts[i][:start] + read.texts[i][end:])
            sentences.append(read.sentences[i][:j] + read.sentences[i][j + 1 :])
            vectors.append(np.delete(read.vectors[i], j, axis=0))
            whose.append((i, j))
    return Read(tuple(texts), tuple(sentences), tuple(vectors)), whose


def sentence_influence(
    reader: EvidenceReader, read: Read, wanted: Sequence[Mapping[str, int]]
) -> list[dict[str, np.ndarray]]:
    """Per text and attribute of `wanted` (attribute -> class): by how much leaving out each sentence
    lowers the log probability of that class, (sentences,)."""
    rows = [i for i, w in enumerate(wanted) if w]
    names = sorted({n for w in wanted for n in w})
    out: list[dict[str, np.ndarray]] = [{} for _ in wanted]
    if not rows:
        return out
    whole = reader.log_probabilities(read, names)
    fewer, whose = without_sentences(read, rows)
    parts = reader.log_probabilities(fewer, names)
    for i in rows:
        here = [at for at, (row, _) in enumerate(whose) if row == i]
        for name, value in wanted[i].items():
            out[i][name] = whole[name][i, value] - parts[name][here, value]
    return out


def telling_spans(
    reader: EvidenceReader, read: Read, wanted: Sequence[Mapping[str, int]]
) -> list[dict[str, tuple[str, ...]]]:
    """Per text and attribute: the typed spans that point to the class; where there is none, the
    sentence that the class hangs on most."""
    spans = [
        {
            n: bearing_spans(reader, read.texts[i], n, value)
            for n, value in classes.items()
            if n in reader.weights
        }
        for i, classes in enumerate(wanted)
    ]
    untyped = [{n: wanted[i][n] for n, found in row.items() if not found} for i, row in enumerate(spans)]
    for row, classes, sentences, drops in zip(
        spans, untyped, read.sentences, sentence_influence(reader, read, untyped), strict=True
    ):
        for name in classes:
            if len(drops[name]) and drops[name].max() >= LEAST:
                row[name] = [sentences[int(drops[name].argmax())]]
    return [{n: tuple(dict.fromkeys(found)) for n, found in row.items() if found} for row in spans]
