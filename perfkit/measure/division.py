"""How a load is divided among jobs: whole I/Os per second, streams, parts of the file."""

from __future__ import annotations

MIX_TOLERANCE = 0.01
"""How far whole I/Os per second may move the read share of a paced point."""


def split_rate(total: int, jobs: int, read_percent: int) -> tuple[tuple[int, int, int], ...]:
    """Divide a total rate among jobs, exactly: ``rate_iops`` is per job and per direction in fio.

    Returns ``(jobs, reads, writes)`` groups, rates in whole I/Os per second per job; over all jobs
    the sum is ``total``. Jobs differ by at most 1 in each direction. A rate of 0 stands only for a
    direction that is not asked for: to fio a 0 would mean "no limit".

    Raises ValueError when a job would be left without I/O, or when whole numbers would move the
    read share by more than ``MIX_TOLERANCE``.
    """
    reads = round(total * read_percent / 100)
    if abs(reads / total - read_percent / 100) > MIX_TOLERANCE:
        raise ValueError(f"{total} whole IOPS cannot be split into {read_percent}% reads")
    shares = {"reads": (reads, read_percent), "writes": (total - reads, 100 - read_percent)}
    for name, (rate, percent) in shares.items():
        if percent and rate < jobs:
            raise ValueError(f"{rate} {name} per second cannot be spread over {jobs} jobs")
    groups: dict[tuple[int, int], int] = {}
    for job in range(jobs):
        # the extra reads go to the first jobs and the extra writes to the last ones
        pair = (_share(reads, jobs, job), _share(total - reads, jobs, jobs - 1 - job))
        groups[pair] = groups.get(pair, 0) + 1
    return tuple((count, *pair) for pair, count in groups.items())


def _share(total: int, jobs: int, job: int) -> int:
    return total // jobs + (job < total % jobs)


def readers_and_writers(streams: int, read_percent: int) -> tuple[int, int]:
    """How many of a number of sequential streams read, and how many write.

    Raises ValueError when the share does not give whole streams.
    """
    readers, rest = divmod(streams * read_percent, 100)
    if rest:
        raise ValueError(
            f"{streams} sequential streams cannot be {read_percent}% readers: a stream either "
            "reads or writes"
        )
    return readers, streams - readers


def stream_bytes(file_size: int, block_size: int, streams: int) -> int:
    """Bytes of the file that belong to one sequential stream: whole blocks."""
    return file_size // streams // block_size * block_size
