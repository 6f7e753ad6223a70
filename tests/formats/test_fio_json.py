"""Finding the JSON in what fio wrote."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from perfkit.core.errors import ParseError
from perfkit.formats import fio_json
from perfkit.sources.fio.source import is_fio

ONE = '{\n  "fio version" : "fio-3.33",\n  "time" : 1\n}'
TWO = ONE.replace("1", "2", 1).replace('"time" : 1', '"time" : 2')


def test_one_document():
    output = fio_json.decode(ONE, "x")
    assert (len(output.documents), output.text, output.final["time"]) == (1, (), 1)


def test_of_several_documents_the_last_is_final():
    output = fio_json.decode(f"{ONE}\n{TWO}\n", "x")
    assert [document["time"] for document in output.documents] == [1, 2]
    assert output.final["time"] == 2


def test_text_before_between_and_after_is_kept():
    output = fio_json.decode(f"note: a\n\n{ONE}\n  b {{ no json\n{TWO}\nc\n", "x")
    assert output.text == ("note: a", "b { no json", "c")


@pytest.mark.parametrize("before", [">", "Jobs: 1 (f=1): [R(1)][r=14.3M][eta 00m:14s]", "a { b "])
def test_a_document_behind_other_text_in_its_line_is_read(before):
    output = fio_json.decode(f"{before}{ONE}\n{before}{TWO}\n", "x")
    assert [document["time"] for document in output.documents] == [1, 2]
    assert output.text == (before.strip(),) * 2
    assert is_fio(before + ONE)


def test_a_program_that_names_the_key_is_no_result():
    assert not is_fio('EMPTY=\'{ "fio version" : "fio-3.43" }\'\necho')


@given(st.lists(st.text(alphabet="ab {}:\"'", max_size=9).filter(lambda t: t[:1] != "{")))
def test_lines_that_do_not_begin_with_a_brace_never_hide_the_document(lines):
    text = "\n".join([*lines, ONE, *lines])
    assert fio_json.decode(text, "x").final["time"] == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "x: the file is empty: fio wrote no result"),
        (" \n", "x: the file is empty: fio wrote no result"),
        ("hello\nworld", "x:1: no line begins a JSON document; the file begins 'hello'"),
        ("y" * 99, f"x:1: no line begins a JSON document; the file begins '{'y' * 80}'"),
        (ONE[:-2], "x:3: JSON is cut off or damaged here: "),
        ("note\n{}", "x:2: JSON, but not a fio result: no 'fio version' in it"),
        (
            '{"seq": {"fio version": "fio-3.1"}, "rand": {\n"fio version": "fio-3.1"}}',
            "x:1: JSON that holds 2 results of fio: put each into a file of its own",
        ),
        ('{"fio version": NaN}', "x: NaN was found where a number belongs"),
        ('{"fio version": 1, "a": -Infinity}', "x: -Infinity was found where a number belongs"),
        ('{"fio version": 1, "a": 1, "a": 2}', "x: 'a' appears twice, with different values"),
        ('{"a":' * 99_999, "x:1: JSON is damaged: "),
        ('{"a": ' + "9" * 5000 + "}", "x:1: JSON is damaged: "),
    ],
)
def test_what_is_no_result_names_file_and_line(text, message):
    with pytest.raises(ParseError) as caught:
        fio_json.decode(text, "x")
    assert str(caught.value).startswith(message)


def test_a_key_that_stands_twice_with_one_value_is_no_harm():
    assert fio_json.decode('{"fio version": "a", "b": 1, "b": 1}', "x").final["b"] == 1


def test_an_option_of_two_servers_that_differ_has_no_value():
    text = '{"fio version": "a", "global options": {"bs": "4k", "rw": "read", "bs": "8k"}}'
    options = fio_json.decode(text, "x").final["global options"]
    assert options == {"bs": None, "rw": "read"}


@given(st.recursive(st.none() | st.integers() | st.text(), lambda x: st.dictionaries(st.text(), x)))
def test_any_document_with_fios_key_comes_out_as_it_is(value):
    document = {"fio version": "fio-3.33", "value": value}
    assert fio_json.decode(json.dumps(document, indent=2), "x").final == document
