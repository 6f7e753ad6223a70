"""Documents that the tests of GenIO compare with, where they are."""

import pytest
from places import ROOT


@pytest.fixture
def seeds():
    """The folder of the documents; they are not part of the repository."""
    place = ROOT / "../shared/seeds"
    if not place.is_dir():
        pytest.skip("the documents are not here")
    return place
