"""How far a CI classifier judges as people do: rated flows in, agreement out.

People rate a flow (information type, recipient, purpose) from −100, against what they expect
of privacy, to 100, in keeping with it. A classifier is asked about the same flows, none of
which names a corpus or a record, and its share of public answers is compared with the ratings.
"""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
import pandas as pd

from ctxpriv.context import Audience, CorpusContext, Judgement, ReleaseContext
from ctxpriv.errors import BadInput
from ctxpriv.loaders.tables import read_table
from ctxpriv.models.base import ModelIdentity
from ctxpriv.progress import NEVER, CancelToken, Progress, silent
from ctxpriv.roles import CIClassifier
from ctxpriv.schema import Attribute, Schema
from ctxpriv.strict import did_you_mean

FILE_VARIABLE = "CTXPRIV_CI_NORMS"
FILE_NAME = "ci_norms.jsonl"
TEXTS = ("information_type", "recipient", "purpose")
RATING = "human_rating"
DRAWS = 2000


@dataclass(frozen=True)
class RatedFlow:
    """One flow with the mean rating people gave it, in −100..100; above 0 is in keeping with privacy."""

    information: str
    recipient: str
    purpose: str
    rating: float


@runtime_checkable
class ClassifiesFlows(Protocol):
    """A `CIClassifier` that can judge many schemas and contexts in one batch."""

    def classify_flows(
        self,
        flows: Sequence[tuple[Schema, ReleaseContext]],
        *,
        samples: int = 3,
        progress: Progress = silent,
        cancel: CancelToken = NEVER,
    ) -> list[tuple[Judgement, ...]]: ...


@dataclass(frozen=True)
class JudgedFlow:
    """A rated flow with what the classifier made of it.

    `score` is the share of usable samples that said public (of a table: 1 or 0) and `agrees`
    whether the judgement is on the side of the rating; both None without a usable sample.
    """

    flow: RatedFlow
    score: float | None
    agrees: bool | None
    samples: int
    reason: str


@dataclass(frozen=True)
class Calibration:
    """A classifier beside people. All figures are over the `usable` flows of `n`.

    `spearman` (scores against ratings) and its 95 % interval (percentiles over resampled flows)
    are None where every score or rating is the same. `agree` and `always_private` count the
    flows on which the classifier, and the answer "private" to everything, take people's side.
    """

    identity: ModelIdentity
    source: str  # the file's name
    samples: int  # asked for per flow
    seconds: float
    n: int
    usable: int
    spearman: float | None
    interval: tuple[float, float] | None
    agree: int
    always_private: int
    rows: tuple[JudgedFlow, ...]  # disagreements first, the strongest ratings before others

    def sentence(self) -> str:
        """The result in a sentence for people."""
        name = self.identity.name
        if not self.usable:
            return f"{name}: no usable answer on any of the {self.n} rated flows."
        flows = f"{self.usable} rated flows"
        if self.usable < self.n:
            flows = f"the {self.usable} of {self.n} rated flows that it judged"
        order = "the order of its answers cannot be compared with people's, because all are the same"
        if self.spearman is not None and self.interval is not None:
            low, high = self.interval
            order = f"rank correlation with people's ratings {self.spearman:.2f}"
            order += f" (95 % interval {low:.2f} to {high:.2f}; 1 is the same order, 0 no relation)"
        return (
            f"{name}: on {flows} it takes people's side in {self.agree}, where calling everything "
            f"private would in {self.always_private}; {order}."
        )

    def to_dict(self) -> dict[str, Any]:
        return {**asdict(self), "identity": self.identity.to_dict(), "rows": [asdict(r) for r in self.rows]}

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> Calibration:
        rows = tuple(JudgedFlow(**{**r, "flow": RatedFlow(**r["flow"])}) for r in data["rows"])
        interval = tuple(data["interval"]) if data["interval"] else None
        return Calibration(
            **{**data, "identity": ModelIdentity(**data["identity"]), "rows": rows, "interval": interval}
        )


def calibrate(
    classifier: CIClassifier,
    flows: Sequence[RatedFlow],
    *,
    source: str = "",
    samples: int = 5,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Calibration:
    """Asks `classifier` about each flow as about one attribute, with the information type as its
    description; in one batch where it can. Raises BadInput without flows, ModelFailed when the
    model is gone."""
    if not flows:
        raise BadInput("there are no rated flows.", where=source or "calibration", fix="Choose another file.")
    started = time.monotonic()
    judgements = _ask(classifier, [_question(f) for f in flows], samples, progress, cancel)
    rows = tuple(_judged(f, j) for f, j in zip(flows, judgements, strict=True))
    usable = [row for row in rows if row.score is not None]
    ratings = np.array([row.flow.rating for row in usable])
    spearman, interval = _rank_correlation(np.array([row.score for row in usable]), ratings)
    return Calibration(
        classifier.identity,
        source,
        samples,
        round(time.monotonic() - started, 2),
        len(rows),
        len(usable),
        spearman,
        interval,
        sum(bool(row.agrees) for row in usable),
        int((ratings <= 0).sum()),
        tuple(sorted(rows, key=_disagreement_first)),
    )


def read_flows(path: str | Path) -> tuple[RatedFlow, ...]:
    """Rated flows from CSV or JSON lines with the fields `TEXTS` and `RATING`; others are ignored.

    Raises BadInput naming file, row and field.
    """
    return flows_in(read_table(path), Path(path).name)


def flows_in(table: pd.DataFrame, name: str) -> tuple[RatedFlow, ...]:
    """As `read_flows`, from the cells of a file called `name`."""
    for wanted in (*TEXTS, RATING):
        if wanted not in table.columns:
            near = did_you_mean(wanted, table.columns)
            raise BadInput(f"has no field {wanted!r}.", where=name, fix=f"{near} {_fields_wanted()}")
    return tuple(
        RatedFlow(
            *(_text(row[field], f"{name}, row {number}, field {field}") for field in TEXTS),
            _rating(row[RATING], f"{name}, row {number}, field {RATING}"),
        )
        for number, row in enumerate(table.to_dict("records"), 1)
    )


def ratings_file(workspace: Path) -> Path:
    """The file to calibrate on when none is named: the one in $CTXPRIV_CI_NORMS, else
    `ci_norms.jsonl` in the workspace's folder or in `shared/data` beside the project.

    Raises BadInput saying what file is wanted.
    """
    if named := os.environ.get(FILE_VARIABLE):
        return Path(named)  # named and missing is an error of its own, told when it is read
    beside = Path(__file__).resolve().parents[3] / "shared" / "data"
    for path in (workspace / FILE_NAME, beside / FILE_NAME):
        if path.is_file():
            return path
    raise BadInput(
        "there is no file of rated flows.",
        where="calibration",
        fix=f"Name one, set {FILE_VARIABLE}, or put {FILE_NAME} into the workspace. {_fields_wanted()}",
    )


def _fields_wanted() -> str:
    return f"Wanted: CSV or JSON lines with the fields {', '.join(TEXTS)} and {RATING} (−100 to 100)."


def _text(cell: Any, where: str) -> str:
    if not isinstance(cell, str) or not cell.strip():
        raise BadInput("is empty or not text.", where=where)
    return cell.strip()


def _rating(cell: Any, where: str) -> float:
    try:
        rating = float("nan") if isinstance(cell, bool) else float(cell)
    except (TypeError, ValueError):
        rating = float("nan")
    if not -100 <= rating <= 100:  # also false for "not a number"
        raise BadInput("is not a number from −100 to 100.", where=where)
    return rating


def _question(flow: RatedFlow) -> tuple[Schema, ReleaseContext]:
    attribute = Attribute("information", ("any",), flow.information)
    return Schema((attribute,)), ReleaseContext(
        Audience(flow.recipient, flow.recipient, flow.purpose), CorpusContext()
    )


def _ask(
    classifier: CIClassifier,
    questions: Sequence[tuple[Schema, ReleaseContext]],
    samples: int,
    progress: Progress,
    cancel: CancelToken,
) -> list[Judgement]:
    if isinstance(classifier, ClassifiesFlows):
        judged = classifier.classify_flows(questions, samples=samples, progress=progress, cancel=cancel)
        return [judgements[0] for judgements in judged]
    out = []
    for schema, context in questions:
        out.append(classifier.classify(schema, context, samples=samples, cancel=cancel)[0])
        progress("judge rated flows", len(out), len(questions))
    return out


def _judged(flow: RatedFlow, judgement: Judgement) -> JudgedFlow:
    if not judgement.samples:
        return JudgedFlow(flow, None, None, 0, judgement.reason)
    public = judgement.side == "public"  # without buckets there is no third side
    score = judgement.agreement if public else 1 - judgement.agreement
    return JudgedFlow(flow, score, public == (flow.rating > 0), judgement.samples, judgement.reason)


def _disagreement_first(row: JudgedFlow) -> tuple[int, float]:
    return {False: 0, None: 1, True: 2}[row.agrees], -abs(row.flow.rating)


def _rank_correlation(
    scores: np.ndarray, ratings: np.ndarray
) -> tuple[float | None, tuple[float, float] | None]:
    """Spearman's correlation with its bootstrap interval; (None, None) where one side is constant."""
    from scipy.stats import rankdata, spearmanr

    if len(scores) < 3 or np.ptp(scores) == 0 or np.ptp(ratings) == 0:
        return None, None
    drawn = np.random.default_rng(0).integers(len(scores), size=(DRAWS, len(scores)))
    x, y = (rankdata(values[drawn], axis=1) for values in (scores, ratings))
    x, y = x - x.mean(axis=1, keepdims=True), y - y.mean(axis=1, keepdims=True)
    spread = np.sqrt((x**2).sum(axis=1) * (y**2).sum(axis=1))
    known = spread > 0  # a draw of like scores has no correlation
    low, high = np.percentile((x * y).sum(axis=1)[known] / spread[known], [2.5, 97.5])
    return float(spearmanr(scores, ratings).statistic), (float(low), float(high))
