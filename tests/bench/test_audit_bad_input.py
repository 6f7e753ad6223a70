"""What is not a paper with tables: the command ends well, in time, and says nothing on stderr."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SECONDS = 10
"""Of the processor: what else runs on the machine makes them neither more nor fewer."""

PAGE = """#set page(width: 16cm, height: 9cm)
= A made-up volume
#table(columns: 3, [Run], [IOPS], [MiB/s], [1], [21 500], [84], [2], [19 200], [75])
"""

SLIDE = """= Slide {n}
- {ms} ms instead of {old} ms
- *{share}%* of the clients
#pagebreak(weak: true)
"""
SLIDES = "#set page(width: 16cm, height: 9cm, margin: 1cm)\n#set text(size: 20pt)\n" + "".join(
    SLIDE.format(n=n, ms=n * 3, old=n * 9, share=n * 2) for n in range(1, 41)
)


def no_table(folder):
    path = folder / "prose.md"
    path.write_text("# Prose\n\n" + "Nothing was measured here, and nobody minds.\n\n" * 200)
    return path


def tables(folder):
    table = "| Run | Read IOPS | Write IOPS | Total IOPS |\n|---|---|---|---|\n" + "".join(
        f"| {i} | {i * 7} | {i * 3} | {i * 10} |\n" for i in range(1, 21)
    )
    path = folder / "tables.md"
    path.write_text("\n\n".join(f"## Table {n}\n\n{table}" for n in range(200)))
    return path


def typeset(path, source, **options):
    import typst

    written = path.with_suffix(".typ")
    written.write_text(source, encoding="utf-8")
    path.write_bytes(typst.compile(str(written), format=path.suffix[1:], **options))
    return path


def scanned(folder):
    typeset(folder / "page.png", PAGE, ppi=150)
    return typeset(folder / "scan.pdf", '#set page(width: 16cm, height: 9cm)\n#image("page.png")')


def slides(folder):
    return typeset(folder / "slides.pdf", SLIDES)


def chinese(folder):
    rows = "".join(f"| 第{i}次 | {i * 700} | {i * 300} | {i * 1000} |\n" for i in range(1, 9))
    path = folder / "chinese.md"
    path.write_text(
        "# 存储性能测试\n\n写入带宽为 2,734\u3000MiB/s，延迟降低了３０％。\n\n"
        f"| 轮次 | 读 IOPS | 写 IOPS | 总 IOPS |\n|---|---|---|---|\n{rows}",
        encoding="utf-8",
    )
    return path


def change_log(folder):
    entry = (
        "## v{n}.{n}.0 (2031-05-{d:02})\n\n- Reads are {n}% faster (#{i}), with {n} clients\n"
        "- Fixed: a crash of 4 threads with 0x{i:08x} (thanks to @user{i}, see #{i})\n\n"
    )
    path = folder / "CHANGELOG.md"
    path.write_text("".join(entry.format(n=i % 90, d=i % 28 + 1, i=i) for i in range(36_000)))
    assert path.stat().st_size > 5_000_000
    return path


def hex_tables(folder):
    rows = "".join(
        f"| {i:#010x} | {i * 2654435761 % 2**32:08x} | {i * 40503 % 65536:04X} | {i % 16:x} |\n"
        for i in range(3_000)
    )
    path = folder / "hex.md"
    path.write_text(f"| Address | Word | Sum | Flags |\n|---|---|---|---|\n{rows}")
    return path


def empty(folder):
    path = folder / "empty.md"
    path.write_text("")
    return path


def cut_pdf(folder):
    whole = typeset(folder / "whole.pdf", PAGE).read_bytes()
    path = folder / "cut.pdf"
    path.write_bytes(whole[: len(whole) // 2])
    return path


def audit(path):
    """The command's exit code, output, errors and seconds of the processor."""
    before = os.times()
    done = subprocess.run(
        [sys.executable, "-m", "perfkit", "audit", str(path)],
        capture_output=True, text=True, check=False, timeout=600,
    )  # fmt: skip
    after = os.times()
    seconds = after.children_user - before.children_user
    seconds += after.children_system - before.children_system
    return done.returncode, done.stdout, done.stderr, seconds


READABLE = [no_table, tables, slides, chinese, change_log, hex_tables]
UNREADABLE = [scanned, empty, cut_pdf]


@pytest.mark.parametrize("make", READABLE, ids=lambda m: m.__name__)
def test_what_has_nothing_wrong_is_read_quietly_and_in_time(tmp_path, make):
    code, out, err, seconds = audit(make(tmp_path))
    print(f"\n{make.__name__}: {seconds:.1f} s, exit code {code}, {out.strip()[-160:]}")
    assert (code, err) == (0, "")
    assert "Traceback" not in out
    assert "agree" not in out
    assert seconds < SECONDS


@pytest.mark.parametrize("make", UNREADABLE, ids=lambda m: m.__name__)
def test_what_holds_no_text_is_said_in_one_sentence(tmp_path, make):
    """Nothing to check (exit code 0), or an error of ours that names the file (2)."""
    path = make(tmp_path)
    code, out, err, seconds = audit(path)
    print(f"\n{make.__name__}: {seconds:.1f} s, exit code {code}, {(out + err).strip()[-160:]}")
    assert "Traceback" not in out + err
    assert path.name in (out + err).replace("\n", "")
    assert code in {0, 1, 2}
    assert all(line.startswith(("error:", " ")) for line in err.splitlines()), err
    assert seconds < SECONDS
