"""The head of a report: database, instance, host, snapshots, containers."""

from __future__ import annotations

from perfkit.sources.awr.sections.section import INSTANCE, RAC, Section, columns

_HOST_HEADERS = (
    "Host Name | Platform | CPUs | Cores | Sockets | Memory(GB)",
    "Host | Name | Platform | CPUs | Cores | Sockets | Memory (G)",
)

SECTIONS: tuple[Section, ...] = (
    Section(
        "database_summary", ("report",), "summary",
        headings=("Database Summary",),
        required=("id", "begin", "elapsedtime"),
        columns=columns(
            whole={
                "db_id": "id", "block_size_bytes": "blocksize", "snap_begin_id": "begin",
                "snap_end_id": "end", "instances_in_report": "numberofinstances|inreport",
                "instances_total": "numberofinstances|total",
                "hosts_in_report": "numberofhosts|inreport", "hosts_total": "numberofhosts|total",
            },
            words={
                "db_name": "name", "unique_name": "uniquename", "role": "role",
                "edition": "edition",
            },
            yes={"rac": "rac", "cdb": "cdb"},
            minutes={"db_time_s": "dbtime", "elapsed_s": "elapsedtime"},
        ),
        headers=(
            "Database/Id | Database/Name | Database/RAC | Database/Block Size | "
            "Snapshot Ids/Begin | Snapshot Ids/End | "
            "Number of Instances/In Report | Number of Instances/Total | "
            "Number of Hosts/In Report | Number of Hosts/Total | Report Total (minutes)/DB time | "
            "Report Total (minutes)/Elapsed time",
        ),
        scopes=(RAC,),
    ),
    Section(
        "instances", ("instances",), "instances",
        headings=("Database Instances Included In Report",),
        required=("i#", "instance", "host"),
        columns=columns(
            words={
                "i#": "i#", "instance_name": "instance", "host": "host", "startup_text": "startup",
                "begin_text": "beginsnaptime", "end_text": "endsnaptime", "release": "release",
                "platform": "platform",
            },
            minutes={"elapsed_s": "elapsedtime", "db_time_s": "dbtime"},
            hours={"up_time_s": "uptime"},
            number={"average_active_sessions": "avgactivesessions"},
        ),
        headers=(
            "I# | Instance | Host | Startup | Begin Snap Time | End Snap Time | Release | "
            "Elapsed Time(min) | DB time(min) | Up Time(hrs) | Avg Active Sessions | Platform",
        ),
        scopes=(RAC,),
    ),
    Section(
        "database", ("report",), "database",
        titles=("Database",),
        summaries=("This table displays database instance information",),
        required=("dbid",),
        columns=columns(
            words={
                "db_name": "dbname database", "unique_name": "uniquename", "role": "role dbrole",
                "edition": "edition", "release": "release", "instance_name": "instance",
                "startup_text": "startuptime", "host": "host",
            },
            whole={"db_id": "dbid", "instance": "instnum"},
            yes={"rac": "rac cluster", "cdb": "cdb"},
        ),
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
        required=("instnum", "instance"),
        columns=columns(
            words={"instance_name": "instance", "startup_text": "startuptime"},
            whole={"instance": "instnum"},
        ),
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
        required=("platform",),
        columns=columns(
            words={"host": "hostname name", "platform": "platform"},
            whole={"cpus": "cpus", "cores": "cores", "sockets": "sockets"},
            gigabytes={"memory_bytes": "memory(gb) memory(g)"},
        ),
        ignored=("host",),
        headers=_HOST_HEADERS,
        scopes=INSTANCE,
    ),
    Section(
        "host", ("report",), "host_line",
        titles=("Host",),
        headers=_HOST_HEADERS,
    ),
    Section(
        "snapshots", ("report",), "snapshots",
        titles=("Snapshot",),
        summaries=("This table displays snapshot information",),
        required=("snapid", "snaptime"),
        columns=columns(
            whole={"snap_id": "snapid", "instances": "instances"},
            words={"snap_text": "snaptime"},
            number={"sessions": "sessions"},
        ),
        ignored=(
            "", "snapshot", "cursors/session", "curs/sess", "comment", "cdb",
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
        signatures=(("containerdbid", "containername"),),
        required=("containerdbid",),
        columns=columns(
            whole={"container_db_id": "containerdbid"},
            words={"container": "containername", "open_text": "opentime"},
        ),
        headers=("Container DB Id | Container Name | Open Time",),
    ),
)  # fmt: skip
"""The head, in the order of a report."""
