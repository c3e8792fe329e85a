from __future__ import annotations

from ctxpriv.extract.agreement import FieldAgreement, Kappa
from ctxpriv.extract.quality import FieldQuality, SchemaQuality
from ctxpriv.extract.weakest import weakest


def quality(*fields: FieldQuality, kappas: dict[str, float | None] | None = None, **others) -> SchemaQuality:
    agreed = tuple(FieldAgreement(name, 50, 0, Kappa(20, k)) for name, k in (kappas or {}).items())
    return SchemaQuality(fields, 50, {}, agreement=agreed, **others)


def test_each_reason_is_told_in_words_and_the_worst_attribute_comes_first():
    found = weakest(
        quality(
            FieldQuality("good", 50, 4, 0.9, 0.8, 0.4),
            FieldQuality("silent", 50, 2, 0.02, 0.1, 0.98),
            FieldQuality("one", 50, 2, 1.0, 0.2, 0.93),
            FieldQuality("unsure", 50, 4, 0.9, 0.8, 0.4),
            kappas={"good": 0.8, "unsure": 0.21, "one": None},
        )
    )
    assert {w.attribute: w.says for w in found} == {
        "silent": ("nearly always Not stated (98%)",),
        "one": ("one value holds 93%",),
        "unsure": ("two readings disagree (κ 0.21)",),
    }
    assert found[0].attribute == "silent" and found[-1].attribute == "one"


def test_the_gravest_of_several_reasons_stands_first():
    (found,) = weakest(quality(FieldQuality("a", 50, 1, 0.0, 0.0, 1.0), kappas={"a": 0.3}, outside={"a": 20}))
    assert found.says[0] == "never stated"
    assert found.says[1:] == ("40% of the answers were outside its list", "two readings disagree (κ 0.30)")


def test_the_limits_themselves_and_counted_attributes_are_not_weak():
    assert not weakest(
        quality(
            FieldQuality("edge", 50, 3, 0.1, 0.5, 0.89),
            FieldQuality("word_count", 50, 1, 1.0, 0.0, 1.0, counted=True),
            kappas={"edge": 0.4 - 1e-12},
            outside={"edge": 4},
        )
    )


def test_a_value_that_holds_everything_and_negative_kappa():
    (found,) = weakest(quality(FieldQuality("a", 50, 1, 1.0, 0.0, 1.0), kappas={"a": -0.5}))
    assert set(found.says) == {"one value holds all", "two readings disagree (κ -0.50)"}
    assert found.severity == 2.0
