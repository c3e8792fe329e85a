"""A workspace of its own for every test, and a tiny corpus that needs no model to load."""

from __future__ import annotations

import hashlib
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

APP = Path(__file__).parents[2] / "app.py"
sys.path.insert(0, str(APP.parent))  # as Streamlit does for the folder of the app

from ctxpriv.context import Approval, Audience, Judgement  # noqa: E402
from ctxpriv.corpus import Corpus, Splits  # noqa: E402
from ctxpriv.edits import judged  # noqa: E402
from ctxpriv.evaluate.report import METRICS, Metric, Report  # noqa: E402
from ctxpriv.models.base import ModelIdentity  # noqa: E402
from ctxpriv.privacy.guarantee import DP, guarantee_from  # noqa: E402
from ctxpriv.privacy.noise import OpenDPNoise  # noqa: E402
from ctxpriv.privatize.release import Release  # noqa: E402
from ctxpriv.privatize.sdg.write_local import DonorRecombiner  # noqa: E402
from ctxpriv.project import ProjectState  # noqa: E402
from ctxpriv.roles import Roles  # noqa: E402
from ctxpriv.run_store import RunFolder  # noqa: E402
from ctxpriv.schema import Attribute, Schema  # noqa: E402
from ctxpriv.workspace import Workspace  # noqa: E402

HOSTILE = "![x](http://example.invalid/x.png) <b>bold</b> `code` $x$"


@pytest.fixture
def workspace(tmp_path, monkeypatch) -> Workspace:
    monkeypatch.setenv("CTXPRIV_WORKSPACE", str(tmp_path / "workspace"))
    st.cache_resource.clear()
    st.cache_data.clear()
    return Workspace(tmp_path / "workspace")


def make_corpus(n: int = 60, name: str = "tiny") -> Corpus:
    """n records by n/3 authors; two topics, three towns, twelve jobs (too many to release)."""
    rng = np.random.default_rng(0)
    topics, towns = rng.choice(["work", "home"], n), rng.choice(["Bonn", "Ulm", "Not stated"], n)
    jobs = [f"job {i:02d}" for i in range(12)]
    texts = tuple(
        f"I live in {town} and today I write about my {topic}, number {i}."
        for i, (town, topic) in enumerate(zip(towns, topics, strict=True))
    )
    table = pd.DataFrame({"topic": topics, "town": towns, "job": rng.choice(jobs, n)}).astype(object)
    schema = Schema(
        (
            Attribute("topic", ("work", "home"), "What it is about"),
            Attribute("town", ("Bonn", "Ulm", "Other", "Not stated"), "Where the writer lives"),
            Attribute("job", (*jobs, "Not stated"), "What the writer does"),
        )
    )
    authors = tuple(f"a{i // 3}" for i in range(n))
    return Corpus(
        name,
        tuple(f"r{i}" for i in range(n)),
        texts,
        table,
        schema,
        Splits().assign(authors),
        "topic",
        authors,
    )


def add_audience(state: ProjectState, corpus: Corpus, name: str = "vendor", *, approved: bool = False):
    state = state.with_audience(
        Audience(name, "A company that trains classifiers", "Train a topic classifier")
    )
    state = judged(
        state,
        name,
        [
            Judgement(
                n,
                "public" if n == "topic" else "private",
                "Needed for the task." if n == "topic" else "Says who the writer is.",
                1.0,
                3,
            )
            for n in corpus.schema.names
        ],
    )
    return (
        state.with_partition(state.partitions[name].approved(Approval("A. Reviewer", "2026-11-29", "looked")))
        if approved
        else state
    )


@pytest.fixture
def opened(workspace):
    """A workspace with the tiny corpus: (workspace, key)."""
    return workspace, workspace.add_corpus(make_corpus())


def go_to(page: str = "", timeout: float = 60) -> AppTest:
    """The app, turned to `page` ("corpus"), after one run."""
    app = AppTest.from_file(str(APP), default_timeout=timeout).run()
    return app.switch_page(f"pages/{page}.py").run() if page else app


def all_words(app: AppTest) -> str:
    """All that Markdown-drawing elements show, for looking up a phrase (escapes removed)."""
    parts = [
        *app.markdown,
        *app.caption,
        *app.info,
        *app.warning,
        *app.error,
        *app.success,
        *app.title,
        *app.subheader,
    ]
    return "\n".join(str(p.value) for p in parts).replace("\\", "")


@pytest.fixture
def tiny_corpus():
    return make_corpus


@pytest.fixture
def with_audience():
    return add_audience


@pytest.fixture
def visit():
    return go_to


@pytest.fixture
def words():
    return all_words


class HashedWordsEmbedderDouble:
    """Bag of hashed words, unit length: instant, and near for texts that share words."""

    identity = ModelIdentity("local", "hashed words (test double)")
    dimension = 32

    def embed(self, texts, *, progress=None, cancel=None):
        out = np.zeros((len(texts), self.dimension), np.float32)
        for row, text in enumerate(texts):
            for word in text.split():
                out[row, int(hashlib.sha256(word.encode()).hexdigest(), 16) % self.dimension] += 1
        return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)


@pytest.fixture
def double_roles(monkeypatch) -> Roles:
    """No weights are loaded: hashed words for the embedder, recombined texts for the generator."""
    from pages.parts import models

    embedder = HashedWordsEmbedderDouble()
    roles = Roles(embedder, DonorRecombiner(embedder))
    monkeypatch.setattr(models, "roles", lambda choice: roles)
    return roles


@pytest.fixture
def approved(opened, with_audience):
    """(workspace, key) with one audience whose partition is approved."""
    workspace, key = opened
    corpus = workspace.corpus(key)
    workspace.save_state(key, with_audience(workspace.state(key), corpus, approved=True), "Audience approved")
    return workspace, key


def store_run(
    workspace: Workspace, key: str, method: str, run_id: str, *, mauve: Metric, text: str = "A text."
) -> None:
    """A finished run as the runner leaves it, with made-up figures; its noise was OpenDP's in name only."""
    corpus, state = workspace.corpus(key), workspace.state(key)
    partition = state.partitions["vendor"]
    guarantee = guarantee_from(method, DP, [], 0.01, OpenDPNoise())
    records = pd.DataFrame({"text": [text] * 3, "topic": ["work", "home", "work"]})
    who = {"kind": "local", "name": "double", "digest": "", "place": "this machine"}
    release = Release(
        method,
        "vendor",
        partition,
        {"epsilon": 1.0},
        guarantee,
        records,
        36,
        {"generator": who},
        {"write": 1.0},
    )
    metrics = {name: Metric(0.5, 0.4, 0.6, 20) for name in METRICS} | {"mauve": mauve}
    meta = {"run_id": run_id, "corpus_key": key, "digest": corpus.digest, "method": method, "config": {}}
    folder = RunFolder(workspace.run_folder(run_id))
    folder.work.begin(meta | {"epsilon": 1.0, "audience": "vendor", "seed": 0})
    folder.save_release(release)
    folder.save_report(
        "test", "vendor", partition, Report(method, "vendor", 1.0, metrics, "double", "double", "double")
    )
    folder.work.end("done")


@pytest.fixture
def compared(approved):
    """(workspace, key) with two finished runs; MAUVE of one was not computed."""
    workspace, key = approved
    store_run(workspace, key, "SDG-CI", "a" * 20, mauve=Metric(0.7, 0.6, 0.8, 40))
    store_run(
        workspace, key, "MAPLE", "b" * 20, mauve=Metric(None, missing="needs 40 records, has 3"), text=HOSTILE
    )
    return workspace, key


@pytest.fixture
def scripted_models(monkeypatch, double_roles, scripted):
    """Every language model on the pages answers with `reply(prompt)`; gives the model for its prompts."""
    from ctxpriv.extract.by_model import ModelExtractor
    from pages.parts import models

    def use(reply):
        model = scripted(reply)
        monkeypatch.setattr(models, "language_model", lambda choice: model)
        monkeypatch.setattr(
            models, "model_reader", lambda choice, shuffled=False: ModelExtractor(model, shuffled=shuffled)
        )
        return model

    return use


@pytest.fixture
def ended():
    """Waits until the step `name` of the corpus `key` has ended and its ending was drawn."""
    import time

    from pages.parts import background

    def wait(app: AppTest, key: str, name: str) -> AppTest:
        for _ in range(1000):
            if (key, name) not in background._steps():  # it was quick: the click's own run drew it
                return app
            if not background.running(key, name):
                return app.run()
            time.sleep(0.01)
        raise AssertionError(f"the step {name} did not end")

    return wait
