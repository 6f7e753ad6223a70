"""The same answer over many runs: histories, where they change, and whether they got worse."""

from perfkit.analysis.trend.answers import answers as _answers
from perfkit.analysis.trend.control import control_chart as _control_chart
from perfkit.analysis.trend.runs import histories as _histories
from perfkit.showing.figures.trend import plot_histories as _plot_histories
from perfkit.showing.figures.trend import plots_control as _plots_control
from perfkit.showing.tables.trend import table_left_out as _table_left_out
from perfkit.showing.tables.trend import table_shifts as _table_shifts
from perfkit.showing.tables.trend import table_trend as _table_trend

__all__: list[str]
# Written by `make api`, from here to the end.
from datetime import date
from perfkit.core.lineage import Measured
from perfkit.core.unanswered import Unanswered
from perfkit.core.values import Figure
from perfkit.core.values import Table
import polars as pl

def answers(histories: Measured | Unanswered, *, margin: float=0.05) -> Measured | Unanswered: ...
def control_chart(histories: Measured | Unanswered, *, margin: float=0.05) -> Measured | Unanswered: ...
def histories(answers: Measured | pl.DataFrame | pl.LazyFrame | Unanswered, question: str | None=None, *, since: str | date | None=None, baseline: str | None=None) -> Measured | Unanswered: ...
def plot_histories(chart: Measured | Unanswered) -> Figure | Unanswered: ...
def plots_control(chart: Measured | Unanswered) -> list[Figure] | Unanswered: ...
def table_left_out(histories: Measured | Unanswered) -> Table | Unanswered: ...
def table_shifts(answers: Measured | Unanswered) -> Table | Unanswered: ...
def table_trend(answers: Measured | Unanswered) -> Table | Unanswered: ...
