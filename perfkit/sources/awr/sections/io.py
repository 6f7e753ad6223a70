"""I/O: profile, by function, by file type, by tablespace and file."""

from __future__ import annotations

from perfkit.sources.awr.sections.section import EVERY, INSTANCE, SINGLE, Section, columns

IO = columns(
    size={
        "read_bytes": "reads:data read|datavolume",
        "read_bytes_per_s": "datapersec read|datavol/sec",
        "write_bytes": "writes:data write|datavolume",
        "write_bytes_per_s": "datapersec#2 write|datavol/sec",
    },
    count={
        "read_iops": "reqspersec reads/s read|requests/sec",
        "write_iops": "reqspersec#2 writes/s write|requests/sec",
        "waits": "waits:count wait|count",
        "requests": "requests|total",
        "iops": "ios/s",
    },
    seconds={"avg_wait_s": "avgtm avgtime wait|avgtm"},
    words={"i#": "i#"},
    megabytes={
        "bytes": "mb|total",
        "bw_bytes_per_s": "iomb/s",
        "read_bytes_per_s": "readmb/s",
        "write_bytes_per_s": "writemb/s",
    },
    service={
        "small_read_s": "smallread servicetime|smallread",
        "large_read_s": "largeread servicetime|largeread",
    },
)
_FUNCTION = {**IO, **columns(words={"function": "functionname function function/filename"})}
_FILETYPE = {**IO, **columns(words={"filetype": "filetypename"})}

_SIZES = columns(
    words={"function": "function functionname", "filetype": "filetypename"},
    count={
        "small_read_requests": "smallreadreqs",
        "large_read_requests": "largereadreqs",
        "small_write_requests": "smallwritereqs",
        "large_write_requests": "largewritereqs",
        "waits": "waits",
    },
    size={
        "small_read_bytes": "smalldataread",
        "large_read_bytes": "largedataread",
        "small_write_bytes": "smalldatawritn",
        "large_write_bytes": "largedatawritn",
    },
    megabytes={
        "small_read_bytes": "smallread(mb)",
        "large_read_bytes": "largeread(mb)",
        "small_write_bytes": "smallwrite(mb)",
        "large_write_bytes": "largewrite(mb)",
    },
    seconds={"wait_s": "waittime"},
)
"""Statspack: single-block (small) and multi-block (large) I/O."""

FILES = columns(
    words={"tablespace": "tablespace", "data_file": "filename", "container": "pdbname"},
    tally={"reads": "reads", "writes": "writes", "buffer_waits": "bufferwaits"},
    count={
        "read_iops": "avrds/s avreads/s",
        "one_block_read_iops": "1-bkrds/s",
        "write_iops": "writesavg/s avwrites/s",
    },
    seconds={
        "read_avg_s": "avrd",
        "one_block_read_avg_s": "av1-bkrd",
        "write_avg_s": "avwrites",
        "buffer_wait_avg_s": "avbufwt",
    },
    number={"blocks_per_read": "avblks/rd"},
    percent={"optimized_ratio": "%optreads"},
)

_IO_HEADER = (
    "Reads: Data | Reqs per sec | Data per sec | Writes: Data | Reqs per sec | Data per sec"
)
_RAC_HEADER = (
    "Requests/Total | Requests/IOs/s | Requests/Reads/s | Requests/Writes/s | MB/Total | "
    "MB/IO MB/s | MB/Read MB/s | MB/Write MB/s"
)
_FUNCTION_HEADERS = (
    f"Function Name | {_IO_HEADER} | Waits: Count | Avg Tm(ms)",
    f"Function Name | {_IO_HEADER} | Waits: Count | Avg Time",
    "Function | Read/Data Volume | Read/Requests /sec | Read/Data Vol/sec | Write/Data Volume? | "
    "Write/Requests /sec? | Write/Data Vol/sec? | Wait/Count? | Wait/Avg Tm(ms)",
    f"I# | Function Name | {_RAC_HEADER} | Waits: Count | Avg Time?",
)
_FILETYPE_HEADERS = (
    f"Filetype Name | {_IO_HEADER} | Small Read? | Large Read?",
    f"I# | Filetype Name | {_RAC_HEADER} | Service Time/Small Read? | Service Time/Large Read?",
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
        signatures=(("readpersecond", "totalrequests"),),
        columns=columns(
            number={
                "total_per_s": "read+writepersecond read+write/second read+write/s",
                "read_per_s": "readpersecond read/second reads/s",
                "write_per_s": "writepersecond write/second writes/s",
            },
        ),
        ignored=("", "ioprofile", "statistic"),
        headers=(
            "IO Profile | Read+Write/Second | Read/Second | Write/Second",
            "Statistic | Read+Write/s | Reads/s | Writes/s",
        ),
        scopes=EVERY, forms=("awr",),
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
        headers=_FUNCTION_HEADERS,
        scopes=EVERY,
    ),
    Section(
        "io_sizes", ("io_sizes",),
        titles=("IO Stat by Function - detail",),
        required=("function", "smallreadreqs"),
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
        required=("functionname", "filetypename"),
        columns=_SIZES,
        headers=(
            "Function Name | FileType Name | Small Read (MB) | Small Write (MB) | "
            "Large Read (MB) | Large Write (MB) | Waits | Wait Time (ms)",
        ),
    ),
    Section(
        "io_by_filetype", ("io_by_filetype",), "io",
        titles=("IOStat by Filetype summary", "IOStat by File Type"),
        summaries=(
            "This table displays IO Statistics for different file types", "IOStat by File Type",
        ),
        columns=_FILETYPE,
        headers=_FILETYPE_HEADERS,
        scopes=EVERY, forms=("awr",),
    ),
    Section(
        "io_by_function", ("io_by_function",), "wide_io",
        headings=("IOStat by Function (per Second)",),
        required=("i#",),
        headers=_FUNCTION_HEADERS,
    ),
    Section(
        "io_by_filetype", ("io_by_filetype",), "wide_io",
        headings=("IOStat by File Type (per Second)",),
        required=("i#",),
        headers=_FILETYPE_HEADERS,
    ),
    Section(
        "io_by_tablespace", ("io_by_tablespace",), "files",
        titles=("Tablespace IO Stats",),
        summaries=("This table displays IO Statistics for different tablespaces",),
        required=("tablespace",),
        columns=FILES,
        headers=(f"Tablespace | {_FILES_HEADER}", f"Tablespace | {_OLD_FILES_HEADER}"),
        scopes=INSTANCE,
    ),
    Section(
        "io_by_file", ("io_by_file",), "files",
        titles=("File IO Stats",),
        summaries=("This table displays IO Statistics for different physical files",),
        required=("tablespace", "filename"),
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
    Section(
        "file_read_histogram", ("file_read_histogram",), "file_histogram",
        titles=("File Read Histogram Stats",),
        required=("tablespace", "filename"),
        columns=columns(
            words={"tablespace": "tablespace", "data_file": "filename"},
            # 0 - 2 ms: a dash alone is none of a name
            tally={
                "0-2": "02ms", "2-4": "24ms", "4-8": "48ms", "8-16": "816ms", "16-32": "1632ms",
                "32-": "32+ms",
            },
        ),
        headers=(
            "Tablespace! | Filename! | 0 2 ms! | 2 4 ms! | 4 8 ms! | 8 16 ms! | 16 32 ms! | "
            "32+ ms!",
        ),
    ),
)  # fmt: skip
"""Every section of I/O."""
