"""How fast records are assigned to atoms by TF-IDF: records the size of the complaints sample's."""

from __future__ import annotations

import itertools
import time

from ctxpriv.loaders.samples import load_sample
from ctxpriv.privatize.spin.assign.tfidf import TfidfAssigner
from ctxpriv.privatize.spin.atom_phrases import from_phrases
from ctxpriv.privatize.spin.atom_sources import combined, from_taxonomy
from ctxpriv.privatize.spin.measurement import Measurement

RECORDS = 60_000
ATOMS = 200


def assign_records_per_second() -> float:
    """Texts from a generator, about 100 words each, to 200 atoms; fitting is not counted."""
    corpus = load_sample("complaints")
    donated = corpus.donated()
    taxonomy = from_taxonomy(donated, ("product", "issue", "sub_issue"), ATOMS)
    atoms = combined(taxonomy, from_phrases(donated.texts, ATOMS, least_support=1), ATOMS)
    assigner = TfidfAssigner.fitted(Measurement(atoms, denominator=RECORDS, delta=1e-5), donated.texts)
    texts = itertools.islice(itertools.cycle(corpus.texts), RECORDS)
    started = time.perf_counter()
    assigned = assigner.assign(texts)
    seconds = time.perf_counter() - started
    if len(assigned) != RECORDS:
        raise AssertionError("records were lost")
    return RECORDS / seconds


if __name__ == "__main__":
    print(f"{assign_records_per_second():.0f} records/s")
