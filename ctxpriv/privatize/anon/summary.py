"""One line a rewritten record, for lists: how it stands, what leaks, what was lost; filters and orders.

PRIVATE SIDE, CURATOR-ONLY: made from episodes. Holds no text and no true value.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass

from ctxpriv.privatize.anon.episode import Episode, Round
from ctxpriv.word_diff import share_changed

SAFE, STILL_UNSAFE, WITHHELD = "safe", "unsafe", "withheld"
STANDINGS = (SAFE, STILL_UNSAFE, WITHHELD)
NOT_IN_RELEASE = "the run's settings withhold records that are still unsafe"


@dataclass(frozen=True)
class RecordSummary:
    """`standing`: released and safe, released and unsafe, or withheld (`why` then says why). `leaked` and
    `lost` are of the released round, of a withheld record of its last round with a text; `changed` is
    the share of words changed there, None without a text."""

    row: int
    record_id: str
    standing: str
    stop: str
    why: str
    leaked: tuple[str, ...]
    lost: tuple[str, ...]
    added: int
    rounds: int
    changed: float | None


def shown_round(episode: Episode) -> Round | None:
    """The released round, else the last one that has a text; None where nothing was ever rewritten."""
    written = [r for r in episode.rounds if r.number > 0 and not r.failure]
    return episode.released or (written[-1] if written else None)


def summarise(episode: Episode, released: Collection[int] | None = None) -> RecordSummary:
    """`released`: the rows that the run's release holds; None while there is no release."""
    now, why = shown_round(episode), episode.why_withheld
    standing = SAFE if episode.safe else STILL_UNSAFE if episode.released else WITHHELD
    if standing != WITHHELD and released is not None and episode.row not in released:
        standing, why = WITHHELD, NOT_IN_RELEASE
    return RecordSummary(
        episode.row,
        episode.record_id,
        standing,
        episode.stop,
        why,
        now.open if now else (),
        now.lost if now else (),
        len(now.added) if now else 0,
        episode.rounds[-1].number if episode.rounds else 0,
        share_changed(episode.original, now.text) if now else None,
    )


SHOWS: dict[str, Callable[[RecordSummary], bool]] = {
    "all": lambda s: True,
    "unsafe": lambda s: s.standing == STILL_UNSAFE,
    "withheld": lambda s: s.standing == WITHHELD,
    "lost public values": lambda s: bool(s.lost),
    "added facts": lambda s: s.added > 0,
}
"""What a list may be narrowed to."""

ORDERS: dict[str, Callable[[RecordSummary], float]] = {
    "as in the corpus": lambda s: 0,
    "most leaks first": lambda s: -len(s.leaked),
    "most lost first": lambda s: -len(s.lost),
    "most rounds first": lambda s: -s.rounds,
    "most changed first": lambda s: -(s.changed if s.changed is not None else -1),
    "least changed first": lambda s: s.changed if s.changed is not None else 2,
}
"""Equal ones stay in the order of the corpus."""


def narrowed(
    summaries: Iterable[RecordSummary], show: str, leaked: Sequence[str] = (), order: str = "as in the corpus"
) -> list[RecordSummary]:
    """Those that `show` keeps and that leak any of `leaked` (all where empty), sorted by `order`."""
    kept = [s for s in summaries if SHOWS[show](s) and (not leaked or set(leaked) & set(s.leaked))]
    return sorted(kept, key=lambda s: (ORDERS[order](s), s.row))
