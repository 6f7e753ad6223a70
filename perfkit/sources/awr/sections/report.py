"""The head of a report: database, instance, host, snapshots, containers."""

from __future__ import annotations

from perfkit.sources.awr.sections.section import INSTANCE, RAC, Section

SECTIONS: tuple[Section, ...] = (
    Section(
        "database_summary", ("report",), "summary",
        titles=("Database Summary",),
        summaries=("Database Summary",),
        needs=("id", "begin", "elapsedtime"),
        columns={
            "id": ("db_id", "whole"), "name": ("db_name", "words"),
            "uniquename": ("unique_name", "words"), "role": ("role", "words"),
            "edition": ("edition", "words"), "rac": ("rac", "yes"), "cdb": ("cdb", "yes"),
            "blocksize": ("block_size_bytes", "whole"), "begin": ("snap_begin_id", "whole"),
            "end": ("snap_end_id", "whole"),
            "numberofinstances|inreport": ("instances_in_report", "whole"),
            "numberofinstances|total": ("instances_total", "whole"),
            "numberofhosts|inreport": ("hosts_in_report", "whole"),
            "numberofhosts|total": ("hosts_total", "whole"),
            "dbtime": ("db_time_s", "minutes"), "elapsedtime": ("elapsed_s", "minutes"),
        },
        headers=(
            "Database/Id | Database/Name | Database/RAC | Database/Block Size | "
            "Snapshot Ids/Begin | Snapshot Ids/End | "
            "Number of Instances/In Report | Number of Instances/Total | "
            "Number of Hosts/In Report | Number of Hosts/Total | Report Total (minutes)/DB time | "
            "Report Total (minutes)/Elapsed time",
        ),
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "instances", ("instances",), "instances",
        titles=("Database Instances Included In Report",),
        summaries=("Database Instances Included In Report",),
        needs=("i#", "instance", "host"),
        columns={
            "i#": ("i#", "words"), "instance": ("instance_name", "words"),
            "host": ("host", "words"), "startup": ("startup_text", "words"),
            "beginsnaptime": ("begin_text", "words"), "endsnaptime": ("end_text", "words"),
            "release": ("release", "words"), "elapsedtime": ("elapsed_s", "minutes"),
            "dbtime": ("db_time_s", "minutes"), "uptime": ("up_time_s", "hours"),
            "avgactivesessions": ("average_active_sessions", "number"),
            "platform": ("platform", "words"),
        },
        headers=(
            "I# | Instance | Host | Startup | Begin Snap Time | End Snap Time | Release | "
            "Elapsed Time(min) | DB time(min) | Up Time(hrs) | Avg Active Sessions | Platform",
        ),
        scopes=(RAC,), forms=("awr",),
    ),
    Section(
        "database", ("report",), "database",
        titles=("Database",),
        summaries=("This table displays database instance information",),
        needs=("dbid",),
        columns={
            "dbname": ("db_name", "words"), "database": ("db_name", "words"),
            "dbid": ("db_id", "whole"), "uniquename": ("unique_name", "words"),
            "role": ("role", "words"), "dbrole": ("role", "words"),
            "edition": ("edition", "words"), "release": ("release", "words"),
            "rac": ("rac", "yes"), "cluster": ("rac", "yes"),
            "cdb": ("cdb", "yes"),
            "instance": ("instance_name", "words"), "instnum": ("instance", "whole"),
            "startuptime": ("startup_text", "words"),
            # 10g, which has no table of the host
            "host": ("host", "words"),
        },
        headers=(
            "DB Name | DB Id | Instance | Inst Num | Startup Time | Release | RAC",
            "DB Name | DB Id | Instance | Inst Num | Release | RAC | Host",
            "DB Name | DB Id | Unique Name | DB Role | Edition | Release | RAC | CDB",
            "Database | DB Id | Instance | Inst Num | Startup Time | Release | RAC",
        ),
        scopes=INSTANCE,
    ),
    Section(
        "instance", ("report",), "database",
        summaries=("This table displays database instance information",),
        needs=("instnum", "instance"),
        columns={
            "instance": ("instance_name", "words"), "instnum": ("instance", "whole"),
            "startuptime": ("startup_text", "words"),
        },
        ignored=("username", "systemdatavisible"),
        headers=(
            "Instance | Inst Num | Startup Time",
            "Instance | Inst Num | Startup Time | User Name | System Data Visible",
        ),
    ),
    Section(
        "host", ("report",), "database",
        titles=("Host Name", "Host"),
        summaries=("This table displays host information",),
        needs=("platform",),
        columns={
            "hostname": ("host", "words"), "name": ("host", "words"),
            "platform": ("platform", "words"), "cpus": ("cpus", "whole"),
            "cores": ("cores", "whole"), "sockets": ("sockets", "whole"),
            "memory(gb)": ("memory_bytes", "gigabytes"), "memory(g)": ("memory_bytes", "gigabytes"),
        },
        ignored=("host",),
        headers=(
            "Host Name | Platform | CPUs | Cores | Sockets | Memory(GB)",
            "Host | Name | Platform | CPUs | Cores | Sockets | Memory (G)",
        ),
        scopes=INSTANCE,
    ),
    Section(
        "host", ("report",), "host_line",
        titles=("Host",),
        headers=(
            "Host Name | Platform | CPUs | Cores | Sockets | Memory(GB)",
            "Host | Name | Platform | CPUs | Cores | Sockets | Memory (G)",
        ),
        forms=("statspack",),
    ),
    Section(
        "snapshots", ("report",), "snapshots",
        titles=("Snapshot",),
        summaries=("This table displays snapshot information",),
        needs=("snapid", "snaptime"),
        columns={
            "snapid": ("snap_id", "whole"), "snaptime": ("snap_text", "words"),
            "sessions": ("sessions", "number"),
        },
        ignored=(
            "", "snapshot", "cursors/session", "curs/sess", "comment", "cdb", "instances",
            "pluggabledatabasesopen", "pdbs",
        ),
        headers=(
            "| Snap Id | Snap Time | Sessions | Curs/Sess",
            "| Snap Id | Snap Time | Sessions | Curs/Sess | Instances",
            "| Snap Id | Snap Time | Sessions | Curs/Sess | PDBs",
            "| Snap Id | Snap Time | Sessions | Curs/Sess | Instances | PDBs",
            "Snapshot | Snap Id | Snap Time | Sessions | Curs/Sess | Comment",
        ),
        scopes=INSTANCE,
    ),
    Section(
        "containers", ("containers",),
        titles=("Container DB Id",),
        summaries=("This table displays pdb instance information",),
        alone=(("containerdbid", "containername"),),
        needs=("containerdbid",),
        columns={
            "containerdbid": ("container_db_id", "whole"),
            "containername": ("container", "words"), "opentime": ("open_text", "words"),
        },
        headers=("Container DB Id | Container Name | Open Time",),
    ),
)  # fmt: skip
"""The head, in the order of a report."""
