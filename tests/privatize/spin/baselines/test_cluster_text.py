"""Golden texts of released clusters."""

from __future__ import annotations

from ctxpriv.privatize.spin.baselines.cluster_text import ReleasedCluster, cluster_text


def test_golden():
    clusters = [
        ReleasedCluster(1234.4, 1200.0, 1260.0, (("loan", 30.0), ("fee", 9.0), ("late", 2.0))),
        ReleasedCluster(60.0, 40.0, 80.0, (("card", 5.0),)),
        ReleasedCluster(-3.0, -23.0, 17.0, ()),
    ]
    assert cluster_text(clusters, 2000, "record", 2) == (
        "3 groups of records stood out from the noise. "
        "Group 1: about 1,234 records (62%), mostly about “loan”, “fee” and “late”. "
        "Group 2: about 60 records (3%), mostly about “card”. "
        "Group 3: about 0 records (0%), without a keyword that stood out. "
        "2 further groups were too small to be told."
    )
    assert cluster_text(clusters[1:2], 100, "user", 0) == (
        "One group of users stood out from the noise. Group 1: about 60 users (60%), mostly about “card”."
    )
    assert cluster_text([], 100, "user", 8) == "No group of users stood out from the noise."
