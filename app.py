"""The app: its pages and how one moves between them. Start it with `make app`."""

from __future__ import annotations

import streamlit as st

from pages.parts.shell import BOOTED, WANTED

st.set_page_config(page_title="ctxpriv", layout="wide", initial_sidebar_state="expanded")
st.session_state[BOOTED] = True

PAGES = {
    "start": st.Page("pages/start.py", title="Start", default=True),
    "corpus": st.Page("pages/corpus.py", title="1 Corpus", url_path="corpus"),
    "schema": st.Page("pages/schema.py", title="2 Schema", url_path="schema"),
    "audiences": st.Page("pages/audiences.py", title="3 Audiences", url_path="audiences"),
    "privatize": st.Page("pages/privatize.py", title="4 Privatize", url_path="privatize"),
    "compare": st.Page("pages/compare.py", title="5 Compare", url_path="compare"),
    "records": st.Page("pages/records.py", title="6 Records", url_path="records"),
    "insights": st.Page("pages/insights.py", title="7 Insights", url_path="insights"),
}

page = st.navigation(list(PAGES.values()))
if (wanted := st.session_state.pop(WANTED, None)) in PAGES:
    st.switch_page(PAGES[wanted])
page.run()
