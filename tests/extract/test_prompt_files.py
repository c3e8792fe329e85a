from __future__ import annotations

import pytest

from ctxpriv.errors import BadInput
from ctxpriv.models.prompt_files import render


def test_fields_are_filled_and_their_values_never_read_as_a_template():
    text = render("extract_field", name="price", about="In $ ${x}.", values="$1; $2")
    assert text == "- price: In $ ${x}. One of: $1; $2"


def test_missing_and_unused_fields_and_files_are_named():
    with pytest.raises(BadInput, match=r"no value for \['values'\]"):
        render("extract_field", name="a", about="b")
    with pytest.raises(BadInput, match=r"does not use \['extra'\]"):
        render("extract_field", name="a", about="b", values="c", extra="d")
    with pytest.raises(BadInput, match="no such prompt file"):
        render("nothing_here")
