"""An Airflow DAG that asks perfkit for each slot of a schedule's entry.

Airflow has an environment of its own and only calls the command: perfkit's environment cannot hold
Airflow 3 beside jupyter-scheduler (croniter), and need not. perfkit keeps the slot's outcome, so a
task that Airflow repeats does no work twice.
"""

from __future__ import annotations

import pendulum
from airflow.providers.standard.operators.bash import BashOperator
from airflow.sdk import DAG

PERFKIT = "/opt/perfkit/.venv/bin/perfkit"
SCHEDULE = "/srv/perfkit/scheduling.yml"
ENTRY = "nightly"

with DAG(
    dag_id=f"perfkit_{ENTRY}",
    # the same moments as the entry's own calendar, in the same time zone
    schedule="0 6 * * 1-5",
    start_date=pendulum.datetime(2026, 1, 1, tz="Europe/Oslo"),
    catchup=False,  # the newest slot only, as everywhere in perfkit
    max_active_runs=1,
) as dag:
    BashOperator(
        task_id="report",
        # exit code 3: the report is there, but criteria are not met; its arrival counts here.
        # --retry: a task that Airflow repeats does work only if the slot failed
        bash_command=(
            "{{ params.perfkit }} schedule run {{ params.entry }} --file {{ params.schedule }}"
            " --retry || test $? -eq 3"
        ),
        params={"perfkit": PERFKIT, "entry": ENTRY, "schedule": SCHEDULE},
        retries=1,
        execution_timeout=pendulum.duration(hours=7),
    )
