"""Initialisation parameters."""

from __future__ import annotations

from perfkit.sources.awr.sections.section import PDB, RAC, SINGLE, Columns, Section

_PARAMETERS: Columns = {
    "parametername": ("parameter", "words"),
    "i#": ("i#", "words"),
    "beginvalue": ("value", "words"),
    "endvalue(ifdifferent)": ("end_value", "words"),
    "endvalue": ("end_value", "words"),
    "pdbname": ("container", "words"),
}

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
        needs=("parametername",),
        columns=_PARAMETERS,
        headers=("Parameter Name | Begin value | End value (if different)",),
        const={"multi": False},
        scopes=(SINGLE, PDB, RAC),
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
        needs=("parametername",),
        columns=_PARAMETERS,
        headers=("Parameter Name | Begin value | End value (if different)",),
        const={"multi": True},
    ),
)  # fmt: skip
"""Parameters with one value and with several."""
