"""Errors that are messages to a person: what happened, where, what to do.

No message may hold record text (DESIGN section 4): name the file, the row number
and the field instead.
"""

from __future__ import annotations


class CtxprivError(Exception):
    """Base of every error that the app and the command line show as a message."""


class BadInput(CtxprivError):
    """A file, a plan or a setting cannot be used as given.

    `where` names the place ("reviews.csv, row 17, column text"); `fix` says what to do.
    """

    def __init__(self, what: str, *, where: str = "", fix: str = "") -> None:
        self.what, self.where, self.fix = what, where, fix
        head = f"{where}: {what}" if where else what
        super().__init__(f"{head} {fix}".strip())


class ModelFailed(CtxprivError):
    """A model cannot be reached, loaded or used, or answered nothing usable."""


class BudgetExceeded(CtxprivError):
    """A mechanism tried to spend more privacy budget than it was given."""


class NotReleasable(CtxprivError):
    """A result may be looked at by the curator but must not be exported."""
