"""The public verifier of summaries (DP-SPIN App. G.6, G.7)."""

from ctxpriv.privatize.spin.verifier.check import verify

__all__ = ["verify"]
