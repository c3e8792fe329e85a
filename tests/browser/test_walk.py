"""The whole walk in a real browser, from an uploaded file to drawn charts and back after a crash."""

from __future__ import annotations

import csv
import io
import random
import re
import zipfile

import pytest

pytestmark = pytest.mark.browser

IMAGE = "![x](http://198.51.100.7/x.png)"  # must never be fetched; the address is for documentation only
N = 120


def notes() -> bytes:
    """120 short texts by 40 authors: two topics, three towns, a mood; some try to be Markdown and HTML."""
    rng = random.Random(3)
    sentences = {
        "garden": ["The beans came up early this year.", "I dug the beds over before the rain.",
                   "Slugs ate the lettuce again.", "We shared seedlings with the neighbours."],
        "kitchen": ["The soup needed more salt.", "I baked two loaves before noon.",
                    "The oven smoked and we laughed.", "Onions first, then the peppers."],
    }  # fmt: skip
    out = io.StringIO()
    rows = csv.writer(out)
    rows.writerow(["text", "topic", "town", "mood", "author"])
    for i in range(N):
        topic, town = rng.choice(list(sentences)), rng.choice(["Bonn", "Ulm", IMAGE])
        mood = rng.choice(["glad", "<img src=http://198.51.100.7/y.png>", "tired"])
        text = " ".join(rng.sample(sentences[topic], 3)) + f" Greetings from {town}, number {i}. {IMAGE}"
        rows.writerow([text, topic, town, mood, f"p{i // 3}"])
    return out.getvalue().encode()


def add_notes(walk) -> None:
    walk.page.goto(walk.url)
    walk.settle()
    walk.click("go_corpus")
    walk.choose("add_way", "Your own file")
    walk.page.locator(".st-key-upload input[type=file]").set_input_files(
        {"name": "notes.csv", "mimeType": "text/csv", "buffer": notes()}
    )
    walk.page.wait_for_selector(".st-key-add_table", timeout=30_000)
    walk.settle()
    walk.click("add_table")
    walk.sees(f"notes is open: {N} records")


def add_audience(walk) -> None:
    walk.go("Audiences")
    walk.page.get_by_role("tab", name="Your own audience").click()
    walk.page.locator("[class*=st-key-own_name] input").fill("Garden club")
    walk.page.locator("[class*=st-key-own_recipient] input").fill("A club of hobby gardeners")
    walk.page.locator("[class*=st-key-own_purpose] textarea").fill("Learn what people write about")
    walk.click("save_audience")


def approve_audience(walk) -> None:
    add_audience(walk)
    walk.click("classify")
    walk.sees("Review and approve")
    walk.page.locator(".st-key-approve_name input").fill("A. Reviewer")
    walk.page.locator(".st-key-approve_note textarea").fill("The writers agreed; three texts each are fine.")
    walk.click("approve")
    walk.sees("Approved by A. Reviewer")


def run_and_wait(walk, timeout: float) -> None:
    walk.click("run", timeout=120)
    walk.page.wait_for_selector(".st-key-running_job", timeout=20_000)
    walk.page.wait_for_selector(".st-key-running_job", state="detached", timeout=timeout * 1000)
    walk.settle()


def drawn_lines(walk) -> list[str]:
    """The path of every line on the radar."""
    walk.page.wait_for_selector(".st-key-radar .polar path.js-line", timeout=30_000)
    return walk.page.eval_on_selector_all(
        ".st-key-radar .polar path.js-line", "paths => paths.map(p => p.getAttribute('d') || '')"
    )


def test_from_an_upload_to_the_drawn_chart(watched):
    walk = watched
    add_notes(walk)
    walk.go("Schema")
    walk.sees("Save names and descriptions")
    approve_audience(walk)

    walk.go("Privatize")
    walk.select("generator", "Donated texts recombined")
    walk.page.get_by_text("Sizes and rounds").click()
    for key, value in (("n_synthetic", "41"), ("rounds", "1"), ("aug_rounds", "1"), ("variations", "1")):
        walk.fill(key, value)
    walk.sees("3 runs to do")
    run_and_wait(walk, 900)
    walk.sees("The run is finished")
    walk.sees("3 finished, will be reused: no cost")

    walk.go("Compare")
    lines = drawn_lines(walk)
    assert len([d for d in lines if d.count("L") >= 3]) == 3, lines
    walk.page.wait_for_selector("[data-testid=stVegaLiteChart] svg path", state="attached", timeout=30_000)
    walk.sees("curator only")
    with walk.page.expect_download() as csv_file:
        walk.page.locator(".st-key-csv button").click()
    table = csv_file.value.path().read_text("utf-8")
    assert table.startswith("audience,method,epsilon") and "SDG-CI" in table
    with walk.page.expect_download() as picture:
        walk.page.locator(".st-key-picture_SVG button").click()
    assert "<svg" in picture.value.path().read_text("utf-8")
    walk.click("make_bundle")
    with walk.page.expect_download() as bundle:
        walk.page.locator(".st-key-bundle button").click()
    names = zipfile.ZipFile(bundle.value.path()).namelist()
    assert "records.jsonl" in names and not any("metric" in n or "comparison" in n for n in names)

    assert walk.page.locator("[data-testid=stMain] img").count() == 0
    assert walk.outside == [] and walk.errors == []
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/compare/?", walk.page.url)


def standing_out(walk):
    """The check of uniqueness: its sentence, whether it is open or folded up."""
    check = walk.page.locator("[data-testid=stExpander]", has_text="Records that stand out").first
    return check.locator("p").nth(1)


def test_a_reviewer_moves_an_attribute_and_approves_with_a_reason(watched):
    """A cell of the matrix leads to the audience; a move changes the warning; a reason is asked for."""
    from playwright.sync_api import expect

    walk = watched
    add_notes(walk)
    add_audience(walk)
    walk.click("classify")
    walk.sees("Review and approve")
    cells = walk.page.locator("[class*=st-key-matrix] [aria-roledescription='rect mark']")
    named = re.search(r"attribute: (\w+)", cells.last.get_attribute("aria-label"))[1]
    first = walk.page.locator(".st-key-sides strong").first
    assert first.inner_text() != named
    cells.last.click()
    walk.settle()
    assert first.inner_text() == named

    row = walk.page.locator("[class*=st-key-side_0_1]")  # the town
    before = standing_out(walk).text_content()
    row.locator("button", has_text="Public").click()
    walk.sees("town is now public for Garden club")
    expect(standing_out(walk)).not_to_have_text(before, timeout=30_000)
    walk.click("undo")
    expect(standing_out(walk)).to_have_text(before, timeout=30_000)
    row.locator("button", has_text="Public").click()
    walk.sees("town is now public for Garden club")

    walk.page.locator(".st-key-approve_name input").fill("A. Reviewer")
    walk.click("approve")
    walk.sees("Write why you approve despite")
    walk.page.locator(".st-key-approve_name input").fill("A. Reviewer")
    walk.page.locator(".st-key-approve_note textarea").fill("The writers agreed to this.")
    walk.click("approve")
    walk.sees("Approved by A. Reviewer")
    walk.sees("The writers agreed to this.")
    assert walk.page.locator("[data-testid=stMain] img").count() == 0
    assert walk.outside == [] and walk.errors == []


def test_records_are_rewritten_and_looked_at(watched):
    """Local roles rewrite; the record view shows what was changed, as text; a bundle says what it is."""
    walk = watched
    add_notes(walk)
    approve_audience(walk)
    walk.go("Privatize")
    walk.page.locator(".st-key-run_methods [aria-label='Clear all']").click()
    walk.settle()
    walk.page.locator(".st-key-run_methods input").first.click()
    walk.page.get_by_role("option", name="ANON-CI").click()
    walk.page.keyboard.press("Escape")
    walk.settle()
    walk.page.get_by_text("Rewriting", exact=True).click()
    walk.fill("n_records", "30")
    walk.sees("1 run to do")
    run_and_wait(walk, 600)
    walk.sees("The run is finished")

    walk.go("Records")
    walk.sees("urator only")
    walk.sees("30 records")
    walk.sees(IMAGE)
    assert walk.page.locator("[data-testid=stMain] ins, [data-testid=stMain] del").count() > 0
    walk.go("Compare")
    walk.sees("curator only")
    walk.click("make_bundle")
    with walk.page.expect_download() as bundle:
        walk.page.locator(".st-key-bundle button").click()
    with zipfile.ZipFile(bundle.value.path()) as archive:
        card = archive.read("card.md").decode()
        assert "no formal privacy guarantee" in card and "origin" not in archive.read("card.json").decode()
    assert walk.page.locator("[data-testid=stMain] img").count() == 0
    assert walk.outside == [] and walk.errors == []


def tab(walk, name: str) -> None:
    walk.page.get_by_role("tab", name=name, exact=True).click()
    walk.settle()


def test_a_private_summary_is_released_and_handed_out(watched):
    """Atoms of hostile labels, a run by TF–IDF and template, its plan and words as text, a bundle."""
    walk = watched
    add_notes(walk)
    walk.go("Insights")
    walk.sees("There are no atoms yet")
    walk.page.locator(".st-key-atoms_columns input").first.click()
    walk.page.get_by_role("option", name="town", exact=True).click()
    walk.page.keyboard.press("Escape")
    walk.settle()
    walk.click("build_atoms")
    walk.sees("values of donated records")
    tab(walk, "New release")
    walk.sees("Nothing private was read for this")
    walk.fill("insight_size", walk.page.locator(".st-key-insight_size input").get_attribute("max"))
    walk.sees("The plan admits every atom there is")  # the hostile label too
    walk.click("run_insights")
    walk.sees("see Results", timeout=120)  # among the earlier runs: it may end before the page looks
    tab(walk, "Results")
    walk.sees("What is guaranteed")
    walk.sees("rests on")
    walk.sees("Measured against the records, for the curator")
    drawn = walk.page.locator("[data-testid=stVegaLiteChart] svg").first
    drawn.get_by_text("![x]").first.wait_for(state="attached", timeout=30_000)  # a label, told as it is
    walk.page.locator("[class*=st-key-sentence_] button").first.click()
    walk.settle()
    walk.page.locator("[class*=st-key-approver] input").first.fill("A. Reviewer")
    walk.page.keyboard.press("Tab")
    walk.settle()
    walk.click("make_insight_bundle")
    with walk.page.expect_download() as bundle:
        walk.page.locator(".st-key-insight_bundle button").click()
    with zipfile.ZipFile(bundle.value.path()) as archive:
        assert {"summary.txt", "plan.json", "plan.csv", "card.md", "card.json"} == set(archive.namelist())
        assert "Greetings from" not in archive.read("summary.txt").decode()
    assert walk.page.locator("[data-testid=stMain] img").count() == 0
    assert walk.outside == [] and walk.errors == []


@pytest.mark.embedded
def test_with_the_embedded_model_through_a_crash(watched, server):
    walk, (_, _, restart) = watched, server
    add_notes(walk)
    approve_audience(walk)
    walk.go("Privatize")
    walk.select("generator", "Language model")
    walk.page.get_by_text("Sizes and rounds").click()
    for key, value in (("n_synthetic", "24"), ("rounds", "1"), ("aug_rounds", "1"), ("variations", "1")):
        walk.fill(key, value)
    walk.click("run", timeout=120)
    walk.page.wait_for_selector(".st-key-running_job", timeout=20_000)

    restart()
    walk.page.goto(walk.url)  # the side bar of the new server; the old page has lost its socket
    walk.settle()
    walk.errors.clear()  # of the broken socket
    walk.go("Privatize")
    walk.sees("interrupted")
    walk.page.get_by_role("button", name="Resume").click()
    walk.page.wait_for_selector(".st-key-running_job", timeout=20_000)
    walk.page.wait_for_selector(".st-key-running_job", state="detached", timeout=900_000)
    walk.settle()
    walk.sees("The run is finished")
    walk.go("Compare")
    lines = drawn_lines(walk)
    assert len([d for d in lines if d.count("L") >= 2]) == 3, lines
    assert walk.outside == [] and walk.errors == []


def test_a_deep_link_leads_to_its_page(watched):
    walk = watched
    walk.page.goto(f"{walk.url}/schema")  # the first visit of the process, before app.py has run
    walk.page.wait_for_selector("h1")
    walk.settle()
    walk.sees("No corpus is open yet")
    names = walk.page.locator("[data-testid=stSidebarNav] a").all_inner_texts()
    assert names == [
        "Start",
        "1 Corpus",
        "2 Schema",
        "3 Audiences",
        "4 Privatize",
        "5 Compare",
        "6 Records",
        "7 Insights",
    ]
    assert walk.outside == []
