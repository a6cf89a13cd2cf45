"""A stratified sample of more rows than memory holds, in one pass over the files."""

import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from jaxtyping import Float, Int

from elsewhere.datasets.joined_columns import with_joined
from elsewhere.datasets.label_columns import encoded
from elsewhere.datasets.many_files import is_many, parts_of
from elsewhere.datasets.table_reading import TableError, TableFile

SLACK = 2  # how many times the rows that stay are held before those that go are dropped


@dataclass(frozen=True)
class Sample:
    """Rows of each domain, drawn at random where there were too many, in their order in the files.

    Attributes:
        table: the rows.
        rows: how many each domain has in the files.
        kept: how many of them are in the table.
        counting: columns of whole numbers that number the rows of the files.
    """

    table: pa.Table
    rows: Mapping[Any, int]
    kept: Mapping[Any, int]
    counting: tuple[str, ...] = ()

    @property
    def note(self) -> str:
        """How many rows of which domain were used; empty where all were."""
        few = {d: (n, self.rows[d]) for d, n in self.kept.items() if n < self.rows[d]}
        if not few:
            return ""
        said = ", ".join(f"{n:,} of {of:,} of {d!r}" for d, (n, of) in few.items())
        return f"fitted on a random sample of the rows, drawn by domain: {said}."


def sampled(file: TableFile, domain: str, most: int | None, seed: int) -> Sample:
    """At most `most` rows of each domain; all of them, in their order, where there are no more.

    Each row draws a number, from the seed, the name of its file and its place there, and those
    with the smallest stay: the sample of some files is part of that of all, and which files are
    read first makes no difference.

    Args:
        file: the tables; one file, or many.
        domain: the column of domains, or a joined one.
        most: rows of each domain; None for all.
        seed: of the draws.
    """
    held = _Held(most if most is not None else np.iinfo(np.int64).max)
    for name, batches in _named_batches(file):
        rng = np.random.default_rng([seed, zlib.crc32(name.encode())])
        for table in batches:
            rows = with_joined(table, domain, file.name)
            held.add(rows, domain, rng.random(rows.num_rows), file.name)
    return held.sample(file)


def _named_batches(file: TableFile) -> Iterator[tuple[str, Iterable[pa.Table]]]:
    if not is_many(file.name):
        yield "", file.batches()
        return
    for part in parts_of(file.name):
        yield part.relative.as_posix(), (t.cast(file.schema) for t in part.open().batches())


@dataclass
class _Held:
    """Rows held so far with their draws; those that cannot stay are dropped now and then."""

    most: int
    tables: list[pa.Table] = field(default_factory=list)
    draws: list[Float[np.ndarray, " n"]] = field(default_factory=list)
    codes: list[Int[np.ndarray, " n"]] = field(default_factory=list)
    rows: dict[Any, int] = field(default_factory=dict)
    ends: dict[str, tuple[int, int]] = field(default_factory=dict)
    limit: Float[np.ndarray, " D"] = field(default_factory=lambda: np.zeros(0))

    def add(self, table: pa.Table, domain: str, draws: Float[np.ndarray, " n"], file: str) -> None:
        """Some more rows."""
        codes = self._codes(encoded(table[domain], domain, file))
        self._see_ends(table)
        stay = draws <= self.limit[codes]
        whole = bool(stay.all())
        self.tables.append(table if whole else table.filter(pa.array(stay)))
        self.draws.append(draws[stay])
        self.codes.append(codes[stay])
        if sum(map(len, self.draws)) > SLACK * self.most * len(self.rows):
            self._drop()

    def sample(self, file: TableFile) -> Sample:
        """What stays in the end."""
        if not self.tables:
            raise TableError(f"{file.name} holds no rows, only column names.")
        self._drop()
        kept = np.bincount(self.codes[0], minlength=len(self.rows))
        total = sum(self.rows.values())
        full = kept.sum() == total
        counting = () if full else tuple(n for n, (a, b) in self.ends.items() if b - a == total - 1)
        numbers = dict(zip(self.rows, map(int, kept), strict=True))
        return Sample(self.tables[0], dict(self.rows), numbers, counting)

    def _codes(self, column: pa.DictionaryArray) -> Int[np.ndarray, " n"]:
        """The number of every row's label, in the order in which labels came."""
        plain = column.cast(column.type.value_type)
        coded = plain.dictionary_encode(null_encoding="encode")
        places, labels = coded.indices.to_numpy(zero_copy_only=False), coded.dictionary.to_pylist()
        counts = np.bincount(places, minlength=len(labels))
        for label, count in zip(labels, counts.tolist(), strict=True):
            self.rows[label] = self.rows.get(label, 0) + count
        new = len(self.rows) - len(self.limit)
        self.limit = np.append(self.limit, np.full(new, np.inf))
        order = {label: i for i, label in enumerate(self.rows)}
        return np.array([order[label] for label in labels], int)[places]

    def _see_ends(self, table: pa.Table) -> None:
        for one in table.schema:
            if pa.types.is_integer(one.type) and table.num_rows:
                found = pc.min_max(table[one.name]).as_py()  # type: ignore[attr-defined]
                if found["min"] is not None:
                    low, high = self.ends.get(one.name, (found["min"], found["max"]))
                    self.ends[one.name] = min(low, found["min"]), max(high, found["max"])

    def _drop(self) -> None:
        """Keep the smallest draws of each domain, in the order in which the rows came."""
        draws, codes = np.concatenate(self.draws), np.concatenate(self.codes)
        table = pa.concat_tables(self.tables)
        stay = np.ones(len(draws), bool)
        for code in range(len(self.rows)):
            rows = np.flatnonzero(codes == code)
            if len(rows) > self.most:
                chosen = np.argpartition(draws[rows], self.most - 1)
                stay[rows[chosen[self.most :]]] = False
                self.limit[code] = draws[rows[chosen[: self.most]]].max()
        if not stay.all():  # else the pieces stay as they are: to join them would hold them twice
            table = table.filter(pa.array(stay)).combine_chunks()
        self.tables, self.draws, self.codes = [table], [draws[stay]], [codes[stay]]
