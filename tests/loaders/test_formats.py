"""Rows of the published shapes, written for these tests, and the real files where they are."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from ctxpriv.context import CorpusContext
from ctxpriv.corpus import Splits
from ctxpriv.errors import BadInput
from ctxpriv.loaders.formats import FORMATS, load_format, recognise
from ctxpriv.schema import NOT_STATED, OTHER, Attribute, Schema

SHARED = Path(__file__).parents[2].parent / "shared" / "data"
PERSON = {
    "age": 31,
    "sex": "male",
    "city_country": "Rome, Italy",
    "birth_city_country": "Lima, Peru",
    "education": "Masters in Law",
    "occupation": "nurse",
    "income": "40 thousand euros",
    "income_level": "middle",
    "relationship_status": "Single",
}


def people(i: int) -> dict:
    return {
        **PERSON,
        "age": 20 + i,
        "city_country": f"{'ABCDEFGHIJKL'[i]}ville, Italy",
        "sex": ["male", "female"][i % 2],
    }


LLMPRIVACY = [
    {
        "personality": people(i % 12),
        "feature": "age",
        "hardness": 1 + i % 5,
        "question_asked": f"Question {i}?",
        "response": f"An answer that has the number {i}.",
        "guess": "Type: age",
        "guess_correctness": {"model_aided_eval": [0, 1]},
    }
    for i in range(24)
]
SYNTHPAI = [
    {
        "author": f"pers{i % 6}",
        "username": f"Name{i % 6}",
        "text": f"A remark, number {i}.",
        "id": f"c{i}",
        "parent_id": "t1",
        "thread_id": "t1",
        "children": [],
        "profile": {**people(i % 6), "style": "plain", "username": f"Name{i % 6}"},
        "guesses": [{"feature": "age"}],
        "reviews": {"human": {"age": {"estimate": "", "hardness": 0, "certainty": 0}}, "human_evaluated": {}},
    }
    for i in range(18)
]
BIORXIV = [
    {
        "title": f"T{i}",
        "authors": "A, B.; C, D.",
        "author_corresponding": "B A",
        "author_corresponding_institution": "I",
        "doi": f"10.1101/2025.01.{i // 2:02d}.1",
        "date": "2025-01-01",
        "version": str(1 + i % 2),
        "type": "new results",
        "license": "cc_by",
        "category": ["Neuroscience", "plant_biology", "alchemy"][i // 2 % 3],
        "jatsxml": "u",
        "abstract": f"We show the thing with number {i}.",
        "published": ["NA", "10.1/x"][i // 2 % 2],
        "server": "bioRxiv",
    }
    for i in range(24)
]
CFPB = [
    {
        "Date received": "2024-01-02",
        "Product": ["Mortgage", "Debt collection"][i % 2],
        "Sub-product": "FHA",
        "Issue": f"Issue {i % 3}",
        "Sub-issue": "",
        "Consumer complaint narrative": "" if i % 4 == 0 else f"They did XXXX, and then {i}.",
        "Company public response": "",
        "Company": f"Bank {i}",
        "State": ["CA", "NY", "PR", ""][i % 4],
        "ZIP code": "XXXXX",
        "Tags": ["Older American", ""][i % 2],
        "Submitted via": "Web",
        "Date sent to company": "2024-01-03",
        "Company response to consumer": "Closed with explanation",
        "Timely response?": "Yes",
        "Complaint ID": 1000 + i,
    }
    for i in range(40)
]
AMAZON = [
    {
        "rating": float(1 + i % 5),
        "title": f"Title {i}",
        "text": "" if i == 3 else f"Body {i}",
        "images": [],
        "asin": "B0",
        "parent_asin": "B0",
        "user_id": f"AE{i // 2}",
        "timestamp": 1588687728923 - i * 10**10,
        "helpful_vote": i % 7,
        "verified_purchase": i % 2 == 0,
    }
    for i in range(30)
]
YELP = [
    {
        "review_id": f"v{i}",
        "user_id": f"u{i // 2}",
        "business_id": "b",
        "stars": float(1 + i % 5),
        "useful": i % 6,
        "funny": 0,
        "cool": i % 2,
        "text": f"Nice place, visit {i}.",
        "date": f"{2005 + i % 17}-07-07 22:09:11",
    }
    for i in range(30)
]


def jsonl(path: Path, rows: list[dict]) -> Path:
    path.write_text("".join(json.dumps(r) + "\n" for r in rows), "utf-8")
    return path


def check(path: Path, name: str, n: int):
    found = recognise(path)
    assert found is not None and found.name == name and found.recognises(path)
    corpus = load_format(name, path)
    assert len(corpus) == n and corpus.codes().shape[0] == n
    assert corpus.context.subject and "word_count" in corpus.schema.names
    for preset in found.presets(corpus):
        preset.partition.check(corpus.schema)
    return corpus


def test_llmprivacy_as_published(tmp_path) -> None:
    corpus = check(jsonl(tmp_path / "synthetic_dataset.jsonl", LLMPRIVACY), "llmprivacy", 24)
    assert (
        len(set(corpus.authors)) == 12
        and corpus.texts[0] == "An answer that has the number 0."
        and corpus.label is None
    )
    assert corpus.schema.coarsenings["age"].buckets == ("18–24", "25–34") and corpus.schema["sex"].values == (
        "female",
        "male",
    )
    assert corpus.schema.coarsenings["city_country"].buckets == ("Europe",)
    assert corpus.table["relationship_status"].iloc[0] == "single"
    assert len(FORMATS["llmprivacy"].presets(corpus)) == 3


def test_synthpai_uses_the_profile_not_the_guesses(tmp_path) -> None:
    corpus = check(jsonl(tmp_path / "synthpai.jsonl", SYNTHPAI), "synthpai", 18)
    assert corpus.ids[0] == "c0" and len(set(corpus.authors)) == 6
    assert set(corpus.schema.names) == {*PERSON, "word_count"} and corpus.table["age"].iloc[1] == "21"


def test_biorxiv_api_documents_and_rows(tmp_path) -> None:
    (tmp_path / "page.json").write_text(
        json.dumps({"messages": [{"status": "ok", "count": 24}], "collection": BIORXIV}), "utf-8"
    )
    corpus = check(tmp_path / "page.json", "biorxiv-api", 12)
    assert corpus.texts[0] == "We show the thing with number 1."  # version 2 of the first preprint
    assert list(corpus.table["category"][:3]) == [
        "neuroscience",
        "plant biology",
        OTHER,
    ] and corpus.outside == {"category": 4}
    assert list(corpus.table["published"][:2]) == ["no", "yes"] and corpus.label == "category"
    assert load_format("biorxiv-api", jsonl(tmp_path / "rows.jsonl", BIORXIV)).digest == corpus.digest


def test_cfpb_leaves_out_complaints_without_narrative(tmp_path) -> None:
    path = tmp_path / "complaints.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(CFPB[0]))
        writer.writeheader()
        writer.writerows(CFPB)
    corpus = check(path, "cfpb", 30)
    assert (
        corpus.schema.names == ("product", "issue", "state", "tags", "word_count")
        and corpus.label == "product"
    )
    assert corpus.schema.coarsenings["state"].mapping["PR"] == "Elsewhere or not stated"
    assert corpus.schema.coarsenings["state"].mapping["NY"] == "Northeast"
    assert NOT_STATED in set(corpus.table["tags"]) and corpus.ids[0] == "1001"


def test_amazon_joins_title_and_text_and_keeps_declared_domains(tmp_path) -> None:
    corpus = check(jsonl(tmp_path / "All_Beauty.jsonl", AMAZON), "amazon-2023", 30)
    assert corpus.texts[0] == "Title 0\nBody 0" and corpus.texts[3] == "Title 3"
    assert corpus.table.iloc[5].to_dict() | {"word_count": ""} == {
        "rating": "1",
        "helpful_votes": "5+",
        "verified_purchase": "no",
        "year": "2018–2020",
        "word_count": "",
    }
    assert {a.provenance for a in corpus.schema.attributes} == {"declared"} and corpus.label == "rating"


def test_a_format_takes_name_splits_context_and_another_schema(tmp_path) -> None:
    path = jsonl(tmp_path / "synthpai.jsonl", SYNTHPAI)
    schema = Schema((Attribute("sex", ("male", "female")), Attribute("style", ("plain", OTHER))))
    rows = [{**r, "style": "plain"} for r in SYNTHPAI]
    corpus = load_format(
        "synthpai",
        jsonl(path, rows),
        name="mine",
        splits=Splits(0.5, 0.5, 0.0),
        schema=schema,
        context=CorpusContext("someone"),
    )
    assert corpus.name == "mine" and corpus.context.subject == "someone" and not len(corpus.donated())
    assert corpus.schema.names == ("sex", "style", "word_count")
    with pytest.raises(TypeError):
        load_format("synthpai", path, nonsense=1)


def test_yelp(tmp_path) -> None:
    corpus = check(jsonl(tmp_path / "yelp_academic_dataset_review.json", YELP), "yelp", 30)
    assert corpus.ids[0] == "v0" and len(set(corpus.authors)) == 15
    assert set(corpus.table["year"]) == {"up to 2010", "2011–2014", "2015–2017", "2018–2020", "2021 or later"}


def test_a_file_of_another_shape_is_not_taken_for_a_format(tmp_path) -> None:
    path = jsonl(tmp_path / "a.jsonl", [{"text": "x", "kind": "a"}] * 3)
    assert recognise(path) is None
    for name in FORMATS:
        with pytest.raises(BadInput, match=r"a.jsonl: has no column"):
            load_format(name, path)
    with pytest.raises(BadInput, match="no format 'tumblr'"):
        load_format("tumblr", path)


def shared(name: str) -> Path:
    if not (SHARED / name).exists():
        pytest.skip(f"../shared/data/{name} is not here")
    return SHARED / name


def test_the_real_reddit_table_has_the_paper_s_shape() -> None:
    corpus = check(shared("reddit_synthetic.jsonl"), "llmprivacy-flat", 525)
    assert len(corpus.schema.names) == 11 and corpus.label == "topic" and len(set(corpus.authors)) == 40
    sizes = dict(zip(corpus.schema.names, corpus.schema.coarse_sizes(), strict=True))
    assert all(
        sizes[n] <= 5
        for n in ("age", "city_country", "birth_city_country", "income", "education", "occupation")
    )
    assert sizes["topic"] == 12 and sizes["word_count"] == 5
    assert corpus.schema["income_level"].values == ("low", "middle", "high", "very high")
    splits = {p.audience.name: len(p.partition.private) for p in FORMATS["llmprivacy-flat"].presets(corpus)}
    assert splits == {"ML vendor": 5, "Re-post on another channel": 3, "Advertiser": 9}


def test_the_real_biorxiv_file_fits_the_declared_schema() -> None:
    corpus = check(shared("biorxiv.jsonl"), "biorxiv-attributes", 625)
    assert corpus.outside == {} and corpus.label == "category" and len(corpus.schema.names) == 10


def test_the_real_cfpb_export() -> None:
    corpus = check(shared("cfpb_complaints.csv"), "cfpb", 1316)
    assert len(corpus.schema["product"].values) == 7 and len(corpus.schema["sub_issue"].values) == 51
