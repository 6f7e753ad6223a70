"""I/O: profile, by function, by file type, by tablespace and file."""

from __future__ import annotations

from perfkit.sources.awr.sections.section import INSTANCE, PDB, RAC, SINGLE, Columns, Section

IO: Columns = {
    "reads:data": ("read_bytes", "size"),
    "reqspersec": ("read_iops", "count"),
    "datapersec": ("read_bytes_per_s", "size"),
    "writes:data": ("write_bytes", "size"),
    "reqspersec#2": ("write_iops", "count"),
    "datapersec#2": ("write_bytes_per_s", "size"),
    "waits:count": ("waits", "count"),
    "avgtm": ("avg_wait_s", "seconds"),
    "avgtime": ("avg_wait_s", "seconds"),
    # RAC, 12.2 and later
    "i#": ("i#", "words"),
    "requests|total": ("requests", "count"),
    "ios/s": ("iops", "count"),
    "reads/s": ("read_iops", "count"),
    "writes/s": ("write_iops", "count"),
    "mb|total": ("bytes", "megabytes"),
    "iomb/s": ("bw_bytes_per_s", "megabytes"),
    "readmb/s": ("read_bytes_per_s", "megabytes"),
    "writemb/s": ("write_bytes_per_s", "megabytes"),
    # Statspack
    "read|datavolume": ("read_bytes", "size"),
    "read|requests/sec": ("read_iops", "count"),
    "read|datavol/sec": ("read_bytes_per_s", "size"),
    "write|datavolume": ("write_bytes", "size"),
    "write|requests/sec": ("write_iops", "count"),
    "write|datavol/sec": ("write_bytes_per_s", "size"),
    "wait|count": ("waits", "count"),
    "wait|avgtm": ("avg_wait_s", "seconds"),
    # service times of file types
    "smallread": ("small_read_s", "service"),
    "largeread": ("large_read_s", "service"),
    "servicetime|smallread": ("small_read_s", "service"),
    "servicetime|largeread": ("large_read_s", "service"),
}
_FUNCTION: Columns = {
    **IO,
    "functionname": ("function", "words"),
    "function": ("function", "words"),
    "function/filename": ("function", "words"),
}
_FILETYPE: Columns = {**IO, "filetypename": ("filetype", "words")}

_SIZES: Columns = {
    "function": ("function", "words"),
    "functionname": ("function", "words"),
    "filetypename": ("filetype", "words"),
    "smallreadreqs": ("small_read_requests", "count"),
    "largereadreqs": ("large_read_requests", "count"),
    "smallwritereqs": ("small_write_requests", "count"),
    "largewritereqs": ("large_write_requests", "count"),
    "smalldataread": ("small_read_bytes", "size"),
    "largedataread": ("large_read_bytes", "size"),
    "smalldatawritn": ("small_write_bytes", "size"),
    "largedatawritn": ("large_write_bytes", "size"),
    "smallread(mb)": ("small_read_bytes", "megabytes"),
    "largeread(mb)": ("large_read_bytes", "megabytes"),
    "smallwrite(mb)": ("small_write_bytes", "megabytes"),
    "largewrite(mb)": ("large_write_bytes", "megabytes"),
    "waits": ("waits", "count"),
    "waittime": ("wait_s", "seconds"),
}
"""Statspack: single-block (small) and multi-block (large) I/O."""

FILES: Columns = {
    "tablespace": ("tablespace", "words"),
    "filename": ("file", "words"),
    "reads": ("reads", "count"),
    "avrds/s": ("read_iops", "count"),
    "avreads/s": ("read_iops", "count"),
    "avrd": ("read_avg_s", "seconds"),
    "avblks/rd": ("blocks_per_read", "number"),
    "1-bkrds/s": ("one_block_read_iops", "count"),
    "av1-bkrd": ("one_block_read_avg_s", "seconds"),
    "%optreads": ("optimized_ratio", "percent"),
    "writes": ("writes", "count"),
    "writesavg/s": ("write_iops", "count"),
    "avwrites/s": ("write_iops", "count"),
    "avwrites": ("write_avg_s", "seconds"),
    "bufferwaits": ("buffer_waits", "count"),
    "avbufwt": ("buffer_wait_avg_s", "seconds"),
    "pdbname": ("container", "words"),
}

_IO_HEADER = (
    "Reads: Data | Reqs per sec | Data per sec | Writes: Data | Reqs per sec | Data per sec"
)
_FILES_HEADER = (
    "Reads | Av Rds/s | Av Rd(ms)? | Av Blks/Rd? | 1-bk Rds/s? | Av 1-bk Rd(ms)? | % Opt Reads | "
    "Writes | Writes avg/s | Buffer Waits | Av Buf Wt(ms)?"
)
_OLD_FILES_HEADER = (
    "Reads | Av Reads/s | Av Rd(ms) | Av Blks/Rd | Writes | Av Writes/s | Buffer Waits | "
    "Av Buf Wt(ms)"
)

SECTIONS: tuple[Section, ...] = (
    Section(
        "io_profile", ("io_profile",), "io_profile",
        titles=("IO Profile", "IO Profile (Global)"),
        summaries=("This table displays IO profile", "IO Profile (Global)"),
        alone=(("readpersecond", "totalrequests"),),
        columns={
            "read+writepersecond": ("total_per_s", "number"),
            "read+write/second": ("total_per_s", "number"),
            "read+write/s": ("total_per_s", "number"),
            "readpersecond": ("read_per_s", "number"), "read/second": ("read_per_s", "number"),
            "reads/s": ("read_per_s", "number"),
            "writepersecond": ("write_per_s", "number"), "write/second": ("write_per_s", "number"),
            "writes/s": ("write_per_s", "number"),
        },
        ignored=("", "ioprofile", "statistic"),
        headers=("IO Profile | Read+Write/Second | Read/Second | Write/Second",),
        scopes=(SINGLE, PDB, RAC), forms=("awr",),
    ),
    Section(
        "io_by_function_and_filetype", ("io_by_function",), "function_filetype",
        titles=("IOStat by Function/Filetype summary", "IOStat by Function/Filetype"),
        summaries=("IOStat by Function/Filetype",),
        columns=_FUNCTION,
        ignored=("function/filename",),
        headers=(
            f"{_IO_HEADER} | Waits: Count | Avg Tm(ms)", f"{_IO_HEADER} | Waits: Count | Avg Time",
        ),
        forms=("awr",),
    ),
    Section(
        "io_by_function", ("io_by_function",), "io",
        titles=(
            "IOStat by Function summary", "IOStat by Function", "IO Stat by Function - summary",
        ),
        summaries=(
            "This table displays the IO Statistics for different functions", "IOStat by Function",
        ),
        columns=_FUNCTION,
        headers=(
            f"Function Name | {_IO_HEADER} | Waits: Count | Avg Tm(ms)",
            f"Function Name | {_IO_HEADER} | Waits: Count | Avg Time",
            "Function | Read/Data Volume | Read/Requests /sec | Read/Data Vol/sec | "
            "Write/Data Volume? | Write/Requests /sec? | Write/Data Vol/sec? | Wait/Count? | "
            "Wait/Avg Tm(ms)?",
        ),
        scopes=(SINGLE, PDB, RAC),
    ),
    Section(
        "io_sizes", ("io_sizes",),
        titles=("IO Stat by Function - detail",),
        needs=("function", "smallreadreqs"),
        columns=_SIZES,
        headers=(
            "Function | Read/Small Read Reqs? | Read/Large Read Reqs? | Read/Small Data Read? | "
            "Read/Large Data Read? | Write/Small Write Reqs? | Write/Large Write Reqs? | "
            "Write/Small Data Writn? | Write/Large Data Writn?",
        ),
        scopes=(SINGLE,), forms=("statspack",),
    ),
    Section(
        "io_sizes_by_filetype", ("io_sizes",),
        titles=("IO Stats Function Detail",),
        needs=("functionname", "filetypename"),
        columns=_SIZES,
        headers=(
            "Function Name | FileType Name | Small Read (MB) | Small Write (MB) | "
            "Large Read (MB) | Large Write (MB) | Waits | Wait Time (ms)",
        ),
        forms=("statspack",),
    ),
    Section(
        "io_by_filetype", ("io_by_filetype",), "io",
        titles=("IOStat by Filetype summary", "IOStat by File Type"),
        summaries=(
            "This table displays IO Statistics for different file types", "IOStat by File Type",
        ),
        columns=_FILETYPE,
        headers=(f"Filetype Name | {_IO_HEADER} | Small Read? | Large Read?",),
        scopes=(SINGLE, PDB, RAC), forms=("awr",),
    ),
    Section(
        "io_by_function", ("io_by_function",), "wide_io",
        titles=("IOStat by Function (per Second)",),
        summaries=("IOStat by Function (per Second)",),
        needs=("i#",),
        headers=(
            f"Function Name | {_IO_HEADER} | Waits: Count | Avg Tm(ms)",
            f"Function Name | {_IO_HEADER} | Waits: Count | Avg Time",
            "Function | Read/Data Volume | Read/Requests /sec | Read/Data Vol/sec | "
            "Write/Data Volume? | Write/Requests /sec? | Write/Data Vol/sec? | Wait/Count? | "
            "Wait/Avg Tm(ms)?",
        ),
        forms=("awr",),
    ),
    Section(
        "io_by_filetype", ("io_by_filetype",), "wide_io",
        titles=("IOStat by File Type (per Second)",),
        summaries=("IOStat by File Type (per Second)",),
        needs=("i#",),
        headers=(f"Filetype Name | {_IO_HEADER} | Small Read? | Large Read?",),
        forms=("awr",),
    ),
    Section(
        "io_by_tablespace", ("io_by_tablespace",), "files",
        titles=("Tablespace IO Stats",),
        summaries=("This table displays IO Statistics for different tablespaces",),
        needs=("tablespace",),
        columns=FILES,
        headers=(f"Tablespace | {_FILES_HEADER}", f"Tablespace | {_OLD_FILES_HEADER}"),
        scopes=INSTANCE,
    ),
    Section(
        "io_by_file", ("io_by_file",), "files",
        titles=("File IO Stats",),
        summaries=("This table displays IO Statistics for different physical files",),
        needs=("tablespace", "filename"),
        columns=FILES,
        ignored=("mxrdbkt",),
        headers=(
            f"Tablespace | Filename | {_FILES_HEADER}",
            f"Tablespace | Filename | {_OLD_FILES_HEADER}",
            "Tablespace | Filename | Reads | Av Reads/s | Av Rd (ms) | Mx Rd Bkt | Av Blks/Rd | "
            "Writes | Av Writes/s | Buffer Waits | Av BufWt (ms)",
        ),
        scopes=INSTANCE,
    ),
)  # fmt: skip
"""Every section of I/O."""
