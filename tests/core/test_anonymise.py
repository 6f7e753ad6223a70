"""Names to words: the same word for the same thing, whole names only, and nothing else changed."""

import json
import re

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.core import anonymise
from perfkit.core.anonymise import ADDRESS, HOST, KEEP, SERIAL, Names


def names(*pairs):
    return Names.of(pairs)


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("db01 was busy", "host-1 was busy"),
        ("awr_db01_0412.html", "awr_host-1_0412.html"),
        ("on DB01, Db01 and db01.", "on host-1, host-1 and host-1."),
        ("/data/db01/fio.json", "/data/host-1/fio.json"),
        ("db010 xdb01 db01x", "db010 xdb01 db01x"),
        ("**db01**: 3", "**host-1**: 3"),
        ("", ""),
    ],
)
def test_a_name_is_replaced_wherever_it_stands_alone(text, hidden):
    assert names((HOST, "db01")).apply(text) == hidden


def test_the_same_thing_has_one_word_and_different_things_have_different_ones():
    found = names((HOST, "db01"), (HOST, "db02"), (HOST, "DB01"), (SERIAL, "S5GX"))
    assert found.apply("db02 db01 DB01 S5GX db02") == "host-2 host-1 host-1 serial-1 host-2"
    assert found.counts() == {"host": 2, "serial": 1}


def test_a_full_name_hides_its_short_form_and_its_domain():
    found = names((HOST, "db01.corp.example.com"))
    assert found.apply("db01.corp.example.com db01 db07.corp.example.com") == (
        "host-1 host-1 db07.domain-1"
    )


def test_the_longest_name_goes_first():
    found = names((HOST, "db"), (HOST, "db-01"), (HOST, "db-01-vip"))
    assert found.apply("db-01-vip db-01 db") == "host-3 host-2 host-1"


def test_a_name_with_markdowns_backslashes_is_the_same_name():
    assert names((HOST, "db_load_1")).apply(r"db\_load\_1 db_load_1") == "host-1 host-1"


@pytest.mark.parametrize(
    "name", ["localhost", "all", "unknown", "Not Specified", "0000000000", "--------", "n/a"]
)
def test_words_that_name_nothing_are_left(name):
    assert names((HOST, name), (SERIAL, name)).apply(f"a {name} b") == f"a {name} b"


def test_short_names_are_replaced_as_written_or_in_capitals():
    """ "vm" is somebody's host; "Vm" begins a word of nobody's."""
    assert names((HOST, "vm")).apply("vm VM Vm") == "host-1 host-1 Vm"


def test_a_serial_of_few_digits_is_no_number_in_a_text():
    found = names((SERIAL, "1234"), (SERIAL, "12345678"))
    assert found.apply("1234") == "serial-1"
    assert found.apply("1234 IOPS") == "1234 IOPS"
    assert found.apply("disk 12345678") == "disk serial-2"


def test_a_word_that_is_somebodys_name_is_not_given_twice():
    found = names((HOST, "host-1"), (HOST, "db01"))
    assert found.apply("host-1 db01") == "anonymous-host-1 host-2"


@pytest.mark.parametrize(
    "address",
    [
        "10.20.30.40",
        "192.168.0.1",
        "10.2.0.5",
        "fe80::1ff:fe23:4567:890a",
        "2001:db8::1",
        "00:1b:44:11:3a:b7",
        "21:00:00:24:ff:4a:bc:de",
        "naa.600a098038303053453f463045727777",
        "0x21000024ff4abcde",
        "iqn.1994-05.com.redhat:abc123",
        "nqn.2014-08.org.nvmexpress:uuid:0-1",
        "eui.0025385b21404321",
    ],
)
def test_addresses_are_known_by_their_form(address):
    found = names()
    assert found.apply(f"to {address}, from {address.upper()}") == "to address-1, from address-1"
    assert found.apply(f"(addr={address})") == "(addr=address-1)"


@pytest.mark.parametrize(
    "text",
    [
        "12:30:45", "2026-11-21T08:00:00+00:00", "12.1.0.2", "11.2.0.4.0", "19.3.0.0.0", "a::b",
        "perfkit::x", "3.10.0-1160.88.1.el7", "0:0:0:0", "1.2.3", "300.1.1.1", "1,024.5", "0x1f",
        "iodepth=1:2:4", "50:95:99:99.9:99.99", "{{say peak-iops}}", "8:16", "std::vector",
    ],
)  # fmt: skip
def test_what_only_looks_like_an_address_stays(text):
    assert names().apply(text) == text


def test_a_release_that_a_source_gave_is_no_address():
    found = names((KEEP, "10.2.0.5"))
    assert found.apply("Release 10.2.0.5 on 10.2.0.6") == "Release 10.2.0.5 on address-1"


def test_a_host_that_is_given_as_an_address_is_one():
    assert names((HOST, "10.0.0.7")).apply("10.0.0.7:8765") == "address-1:8765"
    assert names((ADDRESS, "fe80::1")).apply("fe80::1") == "address-1"


def test_json_keeps_its_structure():
    """A host that is called like a part of the notebook's form does not break it."""
    found = names((HOST, "table"), (HOST, "code"))
    cell = {"cell_type": "code", "kind": "table", "source": ["table code"], "n": 3, "x": None}
    assert found.apply_json(cell) == {**cell, "source": ["host-1 host-2"]}


def test_the_names_in_tables():
    facts = pl.DataFrame(
        [("hostname", "db01"), ("device.serial", "S1, S2"), ("device.adapter.port_wwn",
         "0x2100 (2)"), ("kernel", "6.1"), ("version", "10.1.0.3"), ("serial", None)],
        schema=["fact", "value"], orient="row",
    )  # fmt: skip
    points = pl.DataFrame({"host": ["a1", None, "a1", "a2"], "iops": [1.0] * 4})
    instances = pl.DataFrame({"release": ["11.2.0.4"], "host": ["-"], "cpus": [4]})
    counted = pl.DataFrame({"host": [1.5]})
    found = list(anonymise.names_in({"a": facts, "b": points, "c": instances, "d": counted}))
    assert found == [
        (HOST, "db01"), (SERIAL, "S1"), (SERIAL, "S2"), (SERIAL, "0x2100"), (KEEP, "10.1.0.3"),
        (HOST, "a1"), (HOST, "a2"), (KEEP, "11.2.0.4"),
    ]  # fmt: skip


def test_names_are_noted_only_when_asked_for(tmp_path, monkeypatch):
    frame = pl.DataFrame({"host": ["db01"]})
    notes = tmp_path / "notes"
    monkeypatch.delenv(anonymise.NOTES_VARIABLE, raising=False)
    anonymise.note_names({"t": frame})
    assert not notes.exists()
    monkeypatch.setenv(anonymise.NOTES_VARIABLE, str(notes))
    anonymise.note_names({"t": frame}, ["fio-3.33", None])
    anonymise.note_names({"t": frame})
    assert [json.loads(line) for line in notes.read_text().splitlines()] == [
        ["host", "db01"], ["keep", "fio-3.33"], ["host", "db01"],
    ]  # fmt: skip
    monkeypatch.setattr(anonymise.platform, "node", lambda: "laptop")
    assert Names.noted(notes).apply("db01 laptop") == "host-1 host-2"


NAME = st.from_regex(r"[a-z][a-z0-9_-]{2,12}[a-z0-9]", fullmatch=True)


@given(st.lists(NAME, min_size=1, max_size=4, unique=True), st.data())
def test_no_original_is_left_standing_alone(originals, data):
    """Whatever text the names stand in, in whatever case, none can be found in it afterwards."""
    found = Names.of([(HOST, name) for name in originals])
    parts = data.draw(st.lists(st.one_of(
        st.sampled_from(originals), st.sampled_from([n.upper() for n in originals]),
        st.text(alphabet="xyz .,/_-:\\(\"'", max_size=5)), max_size=8))  # fmt: skip
    hidden = found.apply(" ".join(parts))
    words = set(found.words.values())
    for word in words:
        hidden = hidden.replace(word, "")
    for name in originals:
        if name not in anonymise._NOT_SECRET:
            assert not re.search(rf"(?<![a-z0-9]){re.escape(name)}(?![a-z0-9])", hidden, re.I)


@given(st.text(alphabet=st.characters(codec="utf-8", exclude_characters="0123456789"), max_size=60))
def test_a_text_without_names_or_digits_keeps_every_character(text):
    """But for IPv6, nothing without a digit is an address."""
    if ":" not in text:
        assert Names.of([(HOST, "q7q7q7")]).apply(text) == text
