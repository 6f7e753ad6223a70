"""The hash of a frame's content, by which a lineage knows its data again."""

from __future__ import annotations

import hashlib
import json
import sys
from array import array
from typing import Any

import polars as pl

MANY = 4096
"""A column of more rows is hashed in a shorter form: what repeats is counted, not written out."""

_ALL_NULL = b"\2"


def hash_frame(frame: pl.DataFrame) -> str:
    """SHA-256 over names, types, nulls and values, in row and column order.

    Independent of chunking, of polars' memory layout and of the machine; NaN and -0.0 each have
    one form.
    """
    digest = hashlib.sha256()
    head = [frame.height, [[name, str(dtype)] for name, dtype in frame.schema.items()]]
    digest.update(json.dumps(head, separators=(",", ":"), ensure_ascii=False).encode())
    nulls = frame.null_count().row(0) if frame.width and frame.height > MANY else ()
    for place in range(frame.width):
        if nulls and nulls[place] == frame.height:
            digest.update(_ALL_NULL)  # without making the column: a long table has many such
        else:
            _hash_series(digest, frame.to_series(place))
    return digest.hexdigest()


def _hash_series(digest: Any, column: pl.Series) -> None:
    # the bytes are those of nulls, then values; the short cuts are for many small frames
    dtype, size, nulls = column.dtype, len(column), column.null_count()
    if size > MANY and nulls in {0, size}:
        digest.update(_ALL_NULL if nulls else b"\0")
        if nulls:
            return
    elif nulls == size and (dtype.is_float() or dtype == pl.String):
        digest.update(b"\1" * size + bytes(8 * size))
        return
    else:
        digest.update(column.is_null().to_numpy().tobytes() if nulls else bytes(size))
    if isinstance(dtype, pl.List | pl.Array):
        digest.update(column.list.len().fill_null(0).cast(pl.Int64).to_numpy().tobytes())
        _hash_series(digest, column.drop_nulls().explode(empty_as_null=False))
    elif isinstance(dtype, pl.Struct):
        for inner in column.struct.unnest().iter_columns():
            _hash_series(digest, inner)
    elif dtype in {pl.UInt64, pl.Int128}:
        _hash_series(digest, column.cast(pl.String))
    else:
        digest.update(_value_bytes(column))


def _value_bytes(column: pl.Series) -> Any:
    """The values of a plain column as bytes, or as an array of them; null: 0 or empty text."""
    dtype = column.dtype
    if dtype.is_float():
        import numpy

        values = column.to_numpy().astype("<f8")  # a copy; a null is NaN in it
        values[numpy.isnan(values)] = float("nan")  # every NaN has one form
        if column.null_count():
            values[column.is_null().to_numpy()] = 0.0
        values += 0.0  # -0.0 becomes 0.0
        return values
    if dtype.is_integer() or dtype == pl.Boolean:
        whole = column if dtype == pl.Int64 else column.cast(pl.Int64)
        whole = whole.fill_null(0) if whole.null_count() else whole
        return whole.to_numpy().astype("<i8", copy=False)
    texts = column if dtype == pl.String else column.cast(pl.String)
    if len(texts) <= MANY:
        # many small columns: an operation of polars costs more than all of their texts here
        encoded = [(text or "").encode() for text in texts.to_list()]
        sizes = array("q", map(len, encoded))
        if sys.byteorder == "big":
            sizes.byteswap()
        return sizes.tobytes() + b"".join(encoded)
    texts = texts.fill_null("")
    runs = texts.rle()  # keys that repeat are most of a long table
    lengths = runs.struct.field("len").cast(pl.Int64).to_numpy().astype("<i8")
    return bytes(lengths.tobytes()) + _text_bytes(runs.struct.field("value"))


def _text_bytes(texts: pl.Series) -> bytes:
    sizes = texts.str.len_bytes().cast(pl.Int64).to_numpy().astype("<i8").tobytes()
    return bytes(sizes + str(texts.str.join("").item() if len(texts) else "").encode())
