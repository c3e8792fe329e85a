"""Fit smartnoise-synth's AIM on a table of codes. Run by a Python that has that peer installed.

Usage: python peer_smartnoise.py CODES.npz     prints the seconds of the fit.
"""

from __future__ import annotations

import sys
import time
import warnings


def main(path: str) -> None:
    warnings.filterwarnings("ignore")
    import numpy as np
    import pandas as pd
    from snsynth import Synthesizer

    data = np.load(path, allow_pickle=False)
    names = [str(n) for n in data["names"]]
    table = pd.DataFrame(data["codes"], columns=names).astype(str)
    synthesizer = Synthesizer.create("aim", epsilon=1.0, delta=1 / len(table), degree=3)
    started = time.perf_counter()
    synthesizer.fit(table, preprocessor_eps=0.0, categorical_columns=names)
    print(time.perf_counter() - started)


if __name__ == "__main__":
    main(sys.argv[1])
