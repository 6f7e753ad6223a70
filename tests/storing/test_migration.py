"""A store of form 1, as perfkit wrote it before there were answers, brought to form 2."""

import contextlib
import json
import signal
import subprocess
import sys
import tarfile

import pytest
from places import TESTS
from polars.testing import assert_frame_equal

from perfkit.core.errors import StoreError
from perfkit.storing.layout import FORMAT, Layout
from perfkit.storing.store import Store

OLD = TESTS / "data" / "store" / "form1.tar.gz"
"""Three pieces: a result of elbencho with a label, a printed table, and a result of fio without raw
evidence."""


@pytest.fixture
def old(tmp_path):
    with tarfile.open(OLD) as packed:
        packed.extractall(tmp_path, filter="data")
    return Store(tmp_path / "store")


def content(store):
    """All that a store of form 1 had, by table."""
    pieces = store.pieces().select("piece", "name", "kind", "reader", "rows", "label_firmware")
    names = [name for name in store.tables().names if name not in {"pieces", "answers"}]
    tables = {name: store.scan(name).collect().sort("piece", maintain_order=True) for name in names}
    return {"pieces": pieces.sort("piece"), **tables}


def test_the_tables_of_an_older_form_are_read_and_its_answers_refused(old):
    assert old.layout.form() == 1
    assert old.check() == []
    assert old.scan("load_points").collect().height == 6
    with pytest.raises(StoreError, match="an older perfkit took 3 pieces, which were not asked"):
        old.answers()


def test_a_migration_asks_each_piece_and_changes_nothing_else(old):
    before = content(old)
    assert {one.outcome for one in old.migrate()} == {"read"}
    after = content(old)
    assert before.keys() == after.keys()
    for name, frame in before.items():
        assert_frame_equal(frame, after[name])
    peaks = old.answers().filter(question="peak_iops", direction="total").collect()
    assert sorted(peaks["subject"]) == ["READ", "WRITE", "rr"]
    assert old.layout.form() == 2
    assert old.check() == []


def test_it_gives_the_answers_that_the_evidence_itself_gives(old, tmp_path):
    old.migrate()
    fresh = Store(tmp_path / "fresh")
    fresh.ingest(TESTS / "data" / "elbencho" / "seq_wr.json", labels={"firmware": "9.14.1"})
    mine = old.answers().filter(kind="elbencho").collect()
    assert_frame_equal(mine, fresh.answers().collect())


def test_a_second_migration_has_nothing_to_do(old):
    old.migrate()
    before = sorted(old.layout.commits.iterdir())
    assert old.migrate() == []
    assert sorted(old.layout.commits.iterdir()) == before


def test_an_ingest_migrates_first(old):
    old.ingest(TESTS / "data" / "fio" / "rw75.json")
    assert old.layout.form() == 2
    assert old.answers().collect()["piece"].n_unique() == 3


def test_an_older_perfkit_does_not_write_into_it(old):
    """It knows form 1 and refuses what says more, in store.json or in a commit."""
    old.migrate()
    newest = max(old.layout.commits.iterdir())
    assert json.loads(newest.read_text())["format"] == 2


def test_a_damaged_piece_is_left_as_it_is(old):
    (file,) = (old.path / "tables" / "cells").iterdir()
    file.write_bytes(file.read_bytes()[:-20])
    assert len(old.migrate()) == 2
    with pytest.warns(UserWarning, match="left out of the store"):
        assert old.answers().collect()["piece"].n_unique() == 2


class Killed(BaseException):
    """What nothing catches, as nothing catches a kill."""


@pytest.mark.slow
def test_a_migration_that_ends_at_any_file_costs_nothing_and_is_taken_up(old, monkeypatch):
    """It ends before or after each of the files that it writes gets its name."""
    before, place, ended = content(old), Layout.place, 0
    for step in range(40):
        count = iter(range(40))

        @contextlib.contextmanager
        def deadly(self, named, *, at=step, count=count, **options):
            number = next(count)
            with place(self, named, **options) as fresh:
                yield fresh
                if number == at // 2 and not at % 2:
                    raise Killed
            if number == at // 2:
                raise Killed

        with monkeypatch.context() as patched:
            patched.setattr(Layout, "place", deadly)
            try:
                old.migrate()
            except Killed:
                ended += 1
        assert old.check() == []
        for name, frame in content(old).items():
            assert_frame_equal(frame, before[name])
        if old.layout.form() == FORMAT:
            break
    assert ended > 5
    assert old.answers().collect()["piece"].n_unique() == 2
    assert old.migrate() == []


@pytest.mark.slow
def test_a_killed_migration_is_taken_up(old):
    """The process ends itself by signal 9 when it writes its third file."""
    code = (
        "import os, sys\nfrom perfkit.storing import layout, store\n"
        "place, count = layout.Layout.place, iter(range(9))\n"
        "def deadly(*a, **k):\n"
        "    return os.kill(os.getpid(), 9) if next(count) == 2 else place(*a, **k)\n"
        "layout.Layout.place = deadly\nstore.Store(sys.argv[1]).migrate()"
    )
    done = subprocess.run([sys.executable, "-c", code, str(old.path)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert old.check() == []
    assert len(old.migrate()) == 3
    assert len(content(old)["pieces"]) == 3
