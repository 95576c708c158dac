"""site.toml: known keys of the right kind, and nothing else."""

import pytest

from sitegen.config import Config, parse_config
from verifier.errors import SiteError

LEAST = 'title = "T"\ndescription = "D."\n'


def test_the_reader_of_toml_is_not_kept_busy() -> None:
    """It takes minutes for a key of 64 KiB of dots, so so much is not given to it."""
    with pytest.raises(SiteError, match=r"over 16384 bytes of TOML \(limit toml_bytes\)"):
        parse_config(b"a." * (32 << 10), file="site.toml")


def test_the_least() -> None:
    """A title and a description are enough; the rest has defaults."""
    assert parse_config(LEAST.encode(), file="site.toml") == Config(title="T", description="D.")


def test_everything() -> None:
    """Every key is read."""
    text = LEAST + (
        'base_url = "https://example.org/a/"\nlanguage = "de-CH"\nseasons = ["b", "a"]\n'
        'current = ["a"]\nparquet = false\npagefind = true\n'
    )
    assert parse_config(text.encode(), file="site.toml") == Config(
        title="T",
        description="D.",
        base_url="https://example.org/a/",
        language="de-CH",
        seasons=("b", "a"),
        current=("a",),
        parquet=False,
        pagefind=True,
    )


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('title = "T"', "description is missing"),
        (f"{LEAST}colour = 1", "unknown key colour"),
        (f"{LEAST}parquet = 1", "parquet"),
        (f'{LEAST}seasons = "a"', "seasons"),
        (f"{LEAST}seasons = [1]", "seasons"),
        (f'{LEAST}seasons = ["a", "a"]', "twice"),
        (f'{LEAST}base_url = "https://example.org"', "base_url"),
        (f'{LEAST}base_url = "javascript:alert(1)/"', "base_url"),
        (f'{LEAST}base_url = "https://example.org/<x>/"', "base_url"),
        (f'{LEAST}language = "en\\" x"', "language"),
        ('title = ""\ndescription = "D."', "title"),
        (f"{LEAST}current = []", "current names no season"),
        ("title = ", "not TOML"),
        (f"title = {'[' * 10_000}", "too deeply"),
        (f"title = {'9' * 10_000}", "not TOML"),
        ("\udcff", "not TOML"),
    ],
)
def test_what_is_wrong_is_named(text: str, reason: str) -> None:
    """The error names the file and the key."""
    with pytest.raises(SiteError, match=rf"site\.toml: .*{reason}"):
        parse_config(text.encode("utf-8", "surrogateescape"), file="site.toml")
