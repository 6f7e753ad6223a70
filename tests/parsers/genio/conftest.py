"""Documents that the tests of GenIO compare with, where they are."""

from pathlib import Path

import pytest


@pytest.fixture
def seeds():
    """The folder of the documents; they are not part of the repository."""
    place = Path(__file__).parents[3] / "../shared/seeds"
    if not place.is_dir():
        pytest.skip("the documents are not here")
    return place
