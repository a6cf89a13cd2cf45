"""A table that was dropped: kept as the commands read it, and described column by column."""

import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from elsewhere.datasets.table_columns import sort_columns
from elsewhere.datasets.table_numbers import missing_as_null, numbers
from elsewhere.datasets.tables import FORMATS, TableError, TableFile, open_table, writing_table

EXCEL = (".xlsx", ".xlsm")
MOST_UNPACKED = 512 << 20  # bytes of a workbook
MOST_DOMAINS, ENOUGH = 60, 2  # labels of a column of domains, and rows of each at least
LOOKED_AT = 200_000  # rows from which a column's range is read
_DOMAIN = re.compile(
    r"site|domain|batch|scanner|hospital|cent(er|re)|lab|plate|source|cohort|device|run|group", re.I
)


@dataclass(frozen=True)
class Column:
    """One column: what it holds, how many cells are empty, and what becomes of it."""

    name: str
    holds: str
    gaps: int
    fate: str  # modelled, carried, or domain
    why: str
    distinct: int


def suffixes() -> tuple[str, ...]:
    """The endings of files that can be dropped."""
    return (*(s for form in FORMATS.values() for s in form.suffixes), *EXCEL)


def keep_table(upload: Path, name: str) -> str:
    """The name of the file that commands can read, beside the one that came; Excel becomes CSV."""
    suffix = Path(name).suffix.lower()
    if suffix not in suffixes():
        raise TableError(f"{name} must end in one of {', '.join(suffixes())}.")
    if suffix not in EXCEL:
        return _renamed(upload, name)
    try:
        import pandas as pd

        _check_unpacked(upload, name)
        frame = pd.read_excel(upload, engine="openpyxl")
    except ImportError:
        raise TableError(
            "Excel files need openpyxl. Save the table as CSV, or: pip install openpyxl"
        ) from None
    except TableError:
        raise
    except Exception as error:  # openpyxl raises whatever its parsers do
        raise TableError(f"{name} cannot be read as Excel: {error}") from None
    made = f"{Path(name).stem}.csv"
    frame.to_csv(upload.with_name(plain_name(made)), index=False)
    upload.unlink()
    return plain_name(made)


def _check_unpacked(upload: Path, name: str) -> None:
    """Refuse a workbook that is small only as long as it is packed."""
    with zipfile.ZipFile(upload) as book:
        unpacked = sum(entry.file_size for entry in book.infolist())
    if unpacked > MOST_UNPACKED:
        raise TableError(
            f"{name} must have at most {MOST_UNPACKED >> 20} MB unpacked; it has "
            f"{unpacked >> 20:,}. Save the table as CSV."
        )


def _renamed(upload: Path, name: str) -> str:
    upload.rename(upload.with_name(plain_name(name)))
    return plain_name(name)


def plain_name(name: str) -> str:
    """A file name of letters, digits and a few signs, so that it is a path nowhere."""
    stem, suffix = Path(Path(name).name).stem, Path(name).suffix.lower()
    return (re.sub(r"[^\w.-]+", "_", stem).strip("._-")[:60] or "table") + suffix


def domain_columns(file: TableFile, table: pa.Table) -> list[str]:
    """Columns that may say where rows came from, the likeliest first."""
    found = [name for name in table.column_names if _may_be_domain(table[name])]
    text = {n for n in found if file.is_text and not _numeric(file, table, n)}
    return sorted(found, key=lambda n: (not _DOMAIN.search(n), n not in text))


def _may_be_domain(column: pa.ChunkedArray) -> bool:
    if column.null_count or not len(column):
        return False
    sizes = pc.value_counts(column).field("counts").to_numpy()  # type: ignore[attr-defined]
    return 2 <= len(sizes) <= MOST_DOMAINS and bool(sizes.min() >= ENOUGH)


def _numeric(file: TableFile, table: pa.Table, name: str) -> bool:
    try:
        numbers(file, table, name)
    except TableError:
        return False
    return True


def describe(file: TableFile, table: pa.Table, domain: str) -> list[Column]:
    """Every column, with how it would be treated."""
    return [_column(file, table, name, domain) for name in table.column_names]


def _column(file: TableFile, table: pa.Table, name: str, domain: str) -> Column:
    present = missing_as_null(table[name]) if file.is_text else table[name]
    gaps, distinct = present.null_count, len(pc.unique(present.drop_null()))  # type: ignore[attr-defined]
    if name == domain:
        return Column(name, f"{distinct} labels", gaps, "domain", "", distinct)
    try:
        found = sort_columns(file, table.select([name, domain]), domain)
    except TableError as error:
        return Column(name, "text", gaps, "carried", str(error), distinct)
    if name in found.carried:
        holds = "numbers" if _numeric(file, table, name) else "text"
        return Column(name, holds, gaps, "carried", found.carried[name], distinct)
    values = numbers(file, table, name).slice(0, LOOKED_AT).drop_null().to_numpy()
    return Column(name, _range(np.asarray(values, float)), gaps, "modelled", "", distinct)


def _range(x: np.ndarray) -> str:
    from elsewhere.estimators.choose_links import choose_link
    from elsewhere.report.in_plain_words import range_in_plain_words

    if not len(x) or np.ptp(x) == 0:
        return "always the same number"
    link = choose_link("", x, np.zeros(len(x), int), "auto")
    return f"{range_in_plain_words(link)} ({x.min():.4g} to {x.max():.4g})"


def sizes(table: pa.Table, domain: str) -> dict[str, int]:
    """Rows by label, the largest first."""
    counts = pc.value_counts(table[domain])  # type: ignore[attr-defined]
    found = {str(one["values"]): int(one["counts"]) for one in counts.to_pylist()}
    return dict(sorted(found.items(), key=lambda item: -item[1]))


def opened(path: Path) -> tuple[TableFile, pa.Table]:
    """A kept table, read."""
    file = open_table(str(path))
    return file, file.read()


def complete_rows(path: Path, columns: tuple[str, ...], out: Path) -> Path:
    """A file beside `out` with the rows that have no gap in these columns."""
    file, table = opened(path)
    null = [missing_as_null(table[n]) if file.is_text else table[n] for n in columns]
    whole = np.all([column.is_valid().to_numpy() for column in null], axis=0)
    if not whole.any():
        raise TableError("Every row has a gap in a column that is moved: leave columns out.")
    made = out / f"{path.stem}-complete{path.suffix}"
    with writing_table(str(made), table.schema) as write:
        write(table.filter(pa.array(whole)))
    return made
