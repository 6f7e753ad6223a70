"""Every value of the studies' reports, made again from the files by what stands in the notebook."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from forges.ship import small_tr_4819

from perfkit.evidence import Lineage
from perfkit.report.build import job_for
from perfkit.report.lineages import Lineages
from perfkit.report.notebook import execute
from perfkit.tracing import Trace
from perfkit.values import MIME

pytestmark = pytest.mark.slow

STUDIES = Path(__file__).parents[2] / "data" / "studies"
CHOSEN = {
    "iris-a300/study.yml": 15,
    "sas-ef550/generated.yml": 20,
    "tr-4784/study.yml": 25,
    "tr-4819/generated.yml": 15,
}
"""Study files, and how many functions there are in the chains of each at least."""

STATED = "table.rules"
"""Its rows are the criteria as the study states them: no step gives them."""


def lineages_of(node) -> list[Lineage]:
    """Those of all values in an executed notebook that were computed."""
    stored = Lineages(node.metadata)
    records = [
        output["data"][mime]
        for cell in node.cells
        for output in cell.get("outputs", [])
        for mime in MIME.values()
        if mime in output.get("data", {}) and "lineage" in output["data"][mime]
    ]
    found = [stored.of(record, "notebook") for record in records]
    return [lineage for lineage in found if lineage.steps and lineage.steps[-1].function != STATED]


@pytest.mark.parametrize(("name", "functions"), CHOSEN.items(), ids=CHOSEN)
def test_every_chain_of_a_study_runs_again_to_the_same_hashes(tmp_path, name, functions):
    study = tmp_path / Path(name).parent
    shutil.copytree(STUDIES / study.name, study)
    if study.name == "tr-4819":
        small_tr_4819(study, points=4)
    job = job_for(study / Path(name).name, {})
    node = execute(job.notebook, tmp_path / "out.ipynb", job.parameters, cwd=job.cwd)
    lineages = lineages_of(node)
    whole = Lineage.join(lineages)
    assert whole.traceable
    assert len({step.function for step in whole.steps}) >= functions
    # each step once: of many values most steps are the same
    Trace(name, whole, "").replay(study)
