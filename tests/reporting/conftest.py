"""One browser and one typeset sample for all tests of the report."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

from perfkit.reporting.document.assemble import read_document
from perfkit.reporting.write.charts import ChartPrinter
from perfkit.reporting.write.exporters import export_html, export_pdf


def _sample_module():
    spec = importlib.util.spec_from_file_location("sample", Path(__file__).with_name("sample.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(scope="session")
def sample():
    """The maker of notebooks (sample.py)."""
    return _sample_module()


@pytest.fixture(scope="session")
def printer():
    """One Chrome for all charts."""
    with ChartPrinter() as charts:
        yield charts


@pytest.fixture(scope="session")
def sample_notebook(sample):
    return sample.sample()


@pytest.fixture(scope="session")
def sample_document(sample_notebook):
    return read_document(sample_notebook)


@pytest.fixture(scope="session")
def sample_pdf(sample_notebook, printer):
    return export_pdf(sample_notebook, charts=printer)


@pytest.fixture(scope="session")
def sample_html(sample_notebook):
    return export_html(sample_notebook)
