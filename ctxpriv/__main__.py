"""`python -m ctxpriv`."""

from __future__ import annotations

import sys

from ctxpriv.cli import main

if __name__ == "__main__":
    sys.exit(main())
