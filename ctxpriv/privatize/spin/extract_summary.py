"""A summary by picking sentences, for references where no language model plays.

PRIVATE SIDE: its sentences are the records' own.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ctxpriv.extract.evidence.sentences import cut_sentences

SENTENCES = 5


def central_sentences(texts: Sequence[str], count: int = SENTENCES) -> list[str]:
    """The `count` sentences nearest to the mean of all by TF–IDF, at most one of a text while there are
    as many texts, in the order of the texts. [] where there is no word."""
    from sklearn.feature_extraction.text import TfidfVectorizer

    cut = [(i, text[a:b]) for i, text in enumerate(texts) for a, b in cut_sentences(text)]
    try:
        vectors = TfidfVectorizer(stop_words="english", sublinear_tf=True).fit_transform(s for _, s in cut)
    except ValueError:  # stop words only
        return []
    central = np.asarray(vectors @ np.asarray(vectors.mean(axis=0)).ravel()).ravel()
    order = np.argsort(-central, kind="stable").tolist()
    seen: set[int] = set()
    first_of_text = [j for j in order if not (cut[j][0] in seen or seen.add(cut[j][0]))]
    rest = [j for j in order if j not in set(first_of_text)]
    return [" ".join(cut[j][1].split()) for j in sorted([*first_of_text, *rest][:count])]
