"""The checks that one person reads before approving one partition. PRIVATE SIDE.

Collusion is apart (`collusion.collude`): it is about several audiences and the ledger.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ctxpriv.classify.checks.authors import authors
from ctxpriv.classify.checks.finding import CheckSettings, Finding, listed
from ctxpriv.classify.checks.inference import inference
from ctxpriv.classify.checks.records import Records, records_of
from ctxpriv.classify.checks.uniqueness import uniqueness
from ctxpriv.context import Approval, Partition
from ctxpriv.corpus import Corpus
from ctxpriv.errors import BadInput
from ctxpriv.progress import NEVER, CancelToken, Progress, silent


@dataclass(frozen=True)
class Review:
    """`findings` on one partition. `sides` is its `Partition.sides_key`: a review says nothing
    about other sides."""

    audience: str
    sides: list[list[str]]
    findings: tuple[Finding, ...]

    @property
    def open_warnings(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.warning)

    def of(self, partition: Partition) -> bool:
        return self.audience == partition.audience and self.sides == partition.sides_key()


def review(
    corpus: Corpus,
    partition: Partition,
    *,
    settings: CheckSettings = CheckSettings(),
    epsilon: float = 1.0,
    records: Records | None = None,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Review:
    """Checks (a), (b) and (d) on the private split. `epsilon`: of the release that is planned.

    `records` (from `records_of` with the same settings) saves reading the corpus again for
    every audience. Raises BadInput when the partition does not fit the schema.
    """
    partition.check(corpus.schema)
    records = records_of(corpus, settings) if records is None else records
    findings = (
        inference(records, partition, settings, progress=progress, cancel=cancel),
        uniqueness(records, partition, settings, progress=progress, cancel=cancel),
        authors(records, settings, epsilon=epsilon),
    )
    return Review(partition.audience, partition.sides_key(), findings)


def approve(partition: Partition, review: Review, approval: Approval) -> Partition:
    """The approved partition. Raises BadInput when warnings are open and `approval` gives no reason,
    or when the review was made of other sides."""
    if not review.of(partition):
        raise BadInput(
            "the checks were made before the attributes last changed sides.",
            where=_where(partition),
            fix="Run the checks again.",
        )
    _require_reason(partition, review, approval)
    return partition.approved(approval)


def require_reasons(
    corpus: Corpus,
    partitions: Iterable[Partition],
    settings: CheckSettings = CheckSettings(),
    *,
    epsilon: float = 1.0,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> None:
    """For studies from files: whoever approved despite warnings must have written why.

    Raises BadInput naming the audience and the warnings.
    """
    silent_ones = [p for p in partitions if p.approval is not None and not p.approval.note.strip()]
    if not silent_ones:
        return
    records = records_of(corpus, settings)
    for each in silent_ones:
        found = review(
            corpus,
            each,
            settings=settings,
            epsilon=epsilon,
            records=records,
            progress=progress,
            cancel=cancel,
        )
        _require_reason(each, found, each.approval)


def _require_reason(partition: Partition, review: Review, approval: Approval) -> None:
    if review.open_warnings and not approval.note.strip():
        raise BadInput(
            f"there {'are open warnings' if len(review.open_warnings) > 1 else 'is an open warning'} and no "
            "reason for approving.",
            where=_where(partition),
            fix=f"Write why you approve despite: {listed([_name(f) for f in review.open_warnings])}.",
        )


def _name(finding: Finding) -> str:
    return finding.title[:1].lower() + finding.title[1:]


def _where(partition: Partition) -> str:
    return f"partition for {partition.audience!r}"
