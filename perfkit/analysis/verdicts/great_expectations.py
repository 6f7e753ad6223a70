"""The one place that imports Great Expectations: criteria as its own expectations, and their run.

Only expectations that the library itself has: a suite that is saved as JSON keeps its limits where
it is loaded without perfkit. Imported only when a suite is asked for: the library takes seconds and
half a gigabyte.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from perfkit.core.errors import AnalysisError
from perfkit.core.files import Json
from perfkit.core.quick_jsonschema import grammars_later

# nothing is sent (1.24 has no telemetry left); said for the versions before and after it
os.environ.setdefault("GX_ANALYTICS_ENABLED", "false")
with warnings.catch_warnings(), grammars_later():
    warnings.simplefilter("ignore")  # its own: deprecated modules that it imports
    import great_expectations as gx
    from great_expectations import expectations as gxe
    from great_expectations.data_context.types.base import ProgressBarsConfig
    from great_expectations.expectations.row_conditions import Column

if TYPE_CHECKING:
    import pandas as pd

    from perfkit.analysis.verdicts.criteria import Criterion

Selection = tuple["Criterion", str, str]
"""A criterion, the column of its values, and the column that says which rows it selects."""

_PASSING = {
    "id", "batch_id", "validation_id", "checkpoint_id", "run_id", "validation_time",
    "unexpected_index_query",
}  # fmt: skip
"""What differs from call to call, or repeats another entry in code."""


def suite_of(selections: Sequence[Selection], name: str = "criteria") -> Any:
    """The suite: three expectations a criterion, in order."""
    return gx.ExpectationSuite(
        name=name, expectations=[item for one in selections for item in _expectations(*one)]
    )


def _expectations(criterion: Criterion, column: str, selected: str) -> list[Any]:
    only = Column(selected) == True  # noqa: E712 - builds a condition on the column
    meta = {"criterion": criterion.name, "source": criterion.source, "note": criterion.note}
    end = "min" if criterion.upward else "max"
    strict = criterion.comparison in {"<", ">"}
    return [
        gxe.ExpectColumnDistinctValuesToContainSet(column=selected, value_set=[True], meta=meta),
        gxe.ExpectColumnValuesToNotBeNull(column=column, row_condition=only, meta=meta),
        gxe.ExpectColumnValuesToBeBetween(
            column=column,
            row_condition=only,
            meta=meta,
            **{f"{end}_value": criterion.parsed_limit.value, f"strict_{end}": strict},
        ),
    ]


def suite_json(selections: Sequence[Selection], name: str) -> Json:
    """The suite as the library's own JSON, without what differs from call to call."""
    document: Json = _plain(suite_of(selections, name).to_json_dict())
    return document


def validate(frame: pd.DataFrame, selections: Sequence[Selection]) -> list[Json]:
    """The result of each expectation as plain JSON values, in the suite's order."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        context = gx.get_context(mode="ephemeral")
        context.variables.progress_bars = ProgressBarsConfig(globally=False)
        asset = context.data_sources.add_pandas("perfkit").add_dataframe_asset("runs")
        batch = asset.add_batch_definition_whole_dataframe("all")
        suite = context.suites.add(suite_of(selections))
        definition = context.validation_definitions.add(
            gx.ValidationDefinition(name="criteria", data=batch, suite=suite)
        )
        done = definition.run(
            batch_parameters={"dataframe": frame},
            result_format={"result_format": "COMPLETE", "unexpected_index_column_names": ["run"]},
        )
    order = {str(item.id): number for number, item in enumerate(suite.expectations)}
    results = sorted(done.results, key=lambda item: order[str(item.expectation_config.id)])
    return [_checked(_plain(item.to_json_dict())) for item in results]


def _checked(result: Json) -> Json:
    """The result itself; AnalysisError where the library could not come to one."""
    info = result.pop("exception_info", {})
    entries = [info, *info.values()]
    messages = [
        item["exception_message"]
        for item in entries
        if isinstance(item, dict) and item.get("raised_exception")
    ]
    if messages:
        raise AnalysisError(f"Great Expectations gave no result: {messages[0]}")
    return result


def _plain(node: Any) -> Any:
    """Without what differs from call to call; NaN, which JSON has not, as null."""
    if isinstance(node, dict):
        return {key: _plain(value) for key, value in node.items() if key not in _PASSING}
    if isinstance(node, list):
        return [_plain(item) for item in node]
    return None if isinstance(node, float) and not math.isfinite(node) else node
