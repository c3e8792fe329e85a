"""Cutting a text to what a model can read."""

from __future__ import annotations

from ctxpriv.models.base import LanguageModel


def cut_to_tokens(model: LanguageModel, text: str, tokens: int) -> str:
    """A beginning of `text`, spaces made single, of at most `tokens` tokens, ending with a whole word.

    A function of the text and the model alone. A text that fits stays whole.
    """
    text = " ".join(text.split())
    if len(text.encode("utf-8", "surrogatepass")) <= tokens:  # a token covers at least one byte
        return text
    while (used := model.count_tokens(text)) > tokens:
        words = text.split(" ")
        keep = min(len(words) - 1, int(len(words) * 0.97 * tokens / used))
        if keep < 1:
            return text[: max(1, len(text) * tokens // (2 * used))]  # one endless word
        text = " ".join(words[:keep])
    return text
