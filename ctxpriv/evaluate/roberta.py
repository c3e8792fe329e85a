"""Fine-tuning RoBERTa on the release, as the paper does (section 5), where its weights can be had."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ctxpriv.evaluate.settings import EvaluationSettings
from ctxpriv.evaluate.utility import TestSide, Verdicts
from ctxpriv.progress import NEVER, CancelToken, Progress, silent

EPOCHS = 5
BATCH = 16
LEARNING_RATE = 2e-5
MAX_TOKENS = 256


def fine_tune_and_test(
    texts: Sequence[str],
    labels: np.ndarray,
    test: TestSide,
    settings: EvaluationSettings,
    *,
    progress: Progress = silent,
    cancel: CancelToken = NEVER,
) -> Verdicts:
    """Fine-tune `settings.roberta` on released texts and label codes (n,), judge it on `test`.

    One training, so the interval is over test records alone. When neither the disk nor a hub
    has the weights, or torch cannot run them, the verdicts are missing and say why.
    """
    name = f"{settings.roberta} fine-tuned ({EPOCHS} epochs, batch {BATCH}, learning rate {LEARNING_RATE:g})"
    classes = np.unique(labels)
    if len(classes) == 1:
        # Nothing to learn, and no reason to fetch weights for it.
        correct = test.labels == classes[0]
    else:
        loaded = _load(settings.roberta, len(classes))
        if isinstance(loaded, str):
            return Verdicts.none(loaded, name)
        tokenizer, model = loaded
        targets = np.searchsorted(classes, labels)
        _train(tokenizer, model, texts, targets, settings.seed, progress, cancel)
        correct = classes[_predict(tokenizer, model, test.texts, cancel)] == test.labels
    unseen = int((~np.isin(test.labels, classes)).sum())
    return Verdicts(correct, np.zeros((0, len(test)), bool), name, len(texts), unseen)


def _load(where: str, n_classes: int):
    """(tokenizer, model), or a sentence saying why there are none."""
    from transformers import AutoModelForSequenceClassification, AutoTokenizer

    why = ""
    for local_only in (True, False):  # the disk first: a hub that does not answer costs minutes
        try:
            tokenizer = AutoTokenizer.from_pretrained(where, local_files_only=local_only)
            model = AutoModelForSequenceClassification.from_pretrained(
                where, num_labels=n_classes, local_files_only=local_only, ignore_mismatched_sizes=True
            )
            return tokenizer, model
        except (OSError, ValueError) as error:
            why = type(error).__name__
    return f"the weights of {where!r} are neither on this machine nor at a hub that answers ({why})"


def _train(
    tokenizer,
    model,
    texts: Sequence[str],
    targets: np.ndarray,
    seed: int,
    progress: Progress,
    cancel: CancelToken,
) -> None:
    import torch

    rng = np.random.default_rng([seed, 51])
    optimiser = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, weight_decay=0.01)
    starts = range(0, len(texts), BATCH)
    done, total = 0, EPOCHS * len(starts)
    with torch.random.fork_rng(devices=[]):  # dropout: repeatable, and nobody else's generator moves
        torch.manual_seed(seed)
        model.train()
        for _ in range(EPOCHS):
            order = rng.permutation(len(texts))
            for start in starts:
                cancel.check()
                rows = order[start : start + BATCH]
                batch = _tokens(tokenizer, [texts[i] for i in rows])
                loss = model(**batch, labels=torch.as_tensor(targets[rows])).loss
                optimiser.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
                optimiser.step()
                done += 1
                progress("fine-tune RoBERTa", done, total)


def _predict(tokenizer, model, texts: Sequence[str], cancel: CancelToken) -> np.ndarray:
    import torch

    model.eval()
    out = []
    with torch.inference_mode():
        for start in range(0, len(texts), 2 * BATCH):
            cancel.check()
            logits = model(**_tokens(tokenizer, list(texts[start : start + 2 * BATCH]))).logits
            out.append(logits.argmax(dim=-1).numpy())
    return np.concatenate(out)


def _tokens(tokenizer, texts: list[str]):
    return tokenizer(texts, truncation=True, max_length=MAX_TOKENS, padding=True, return_tensors="pt")
