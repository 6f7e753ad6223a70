"""Initialisation parameters."""

from __future__ import annotations

from perfkit.sources.awr.sections.section import EVERY, Section, columns

_PARAMETERS = columns(
    words={
        "parameter": "parametername",
        "i#": "i#",
        "value": "beginvalue",
        "end_value": "endvalue(ifdifferent) endvalue",
        "container": "pdbname",
    },
)

_HEADERS = (
    "Parameter Name | Begin value | End value (if different)",
    "Parameter Name | I# | Begin value | End value (if different)",
)

SECTIONS: tuple[Section, ...] = (
    Section(
        "parameters", ("parameters",), "parameters",
        titles=(
            "init.ora Parameters", "Modified Parameters", "Parameters modified by this container",
            "Parameters modified by other containers",
        ),
        summaries=(
            "This table displays name and value of init.ora parameters",
            "This table displays values for init.ora parameters",
            "This table displays name and value of modified initialization parameters",
            "This table displays name and value of the modified initialization parameters",
            "This table displays name and value of the initialization parameters",
            "This table displays name and value of database parameters",
        ),
        required=("parametername",),
        columns=_PARAMETERS,
        headers=_HEADERS,
        constants={"multi": False},
        scopes=EVERY,
    ),
    Section(
        "parameters_multi_valued", ("parameters",), "parameters",
        titles=(
            "init.ora Multi-Valued Parameters", "init.ora Multi-valued Parameters",
            "Modified Multi-Valued Parameters",
            "Multi-Valued Parameters modified by this container",
            "Multi-Valued Parameters modified by other containers",
        ),
        summaries=(
            "This table displays name and value of multi-valued",
            "init.ora Multi-valued Parameters",
        ),
        required=("parametername",),
        columns=_PARAMETERS,
        headers=_HEADERS,
        constants={"multi": True},
    ),
)  # fmt: skip
"""Parameters with one value and with several."""
