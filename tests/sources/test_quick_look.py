"""What lets a sniffer pass over files of other kinds quickly never passes over one of its own."""

import pytest

from perfkit.sources.genio import names

OWN = [alias for alias, name in names.NAMES.items() if name in names.METRICS]


@pytest.mark.parametrize("alias", [a for a in OWN if names.NAMES[a] in names.METRICS[3:]])
def test_every_head_that_only_genio_has_is_hinted(alias):
    for text in (alias, alias.upper(), alias.title().replace(" ", "")):
        assert names.HINT.search(text)


def test_bare_heads_are_hinted():
    """Run and three rates make a summary too: two of them are reads and writes."""
    rates = [alias for alias in OWN if names.NAMES[alias] in {"read_iops", "write_iops"}]
    assert all(names.HINT.search(alias) for alias in rates)
