"""What a member that is not as it must be is called in the error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from verifier.core.shape import Obj
from verifier.errors import FormatError

if TYPE_CHECKING:
    from verifier.core.jsonread import JsonValue


@pytest.mark.parametrize(
    ("value", "found"),
    [
        (-1, "-1"),
        (1.5, "1.5"),
        (True, "a boolean"),
        ("1", "a text"),
        (None, "null"),
        ([], "a list"),
    ],
)
def test_what_is_no_whole_number(value: JsonValue, found: str) -> None:
    """A number is shown, since it is one; of anything else the type is the reason."""
    obj = Obj({"trials": value}, ("trials",), pointer="/scoring")
    with pytest.raises(FormatError) as raised:
        obj.integer("trials")
    assert raised.value.pointer == "/scoring/trials"
    assert str(raised.value).endswith(f"must be a whole number of at least 0, is {found}")


def test_what_is_no_text() -> None:
    """Where no number is wanted its value is of no use."""
    with pytest.raises(FormatError, match="must be a text, is a number"):
        Obj({"name": 7}, ("name",)).text("name")
