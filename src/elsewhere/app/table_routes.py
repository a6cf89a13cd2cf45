"""The addresses of tables: take one in, show it, fit it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import UploadFile
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from elsewhere.app import table_pages, tables
from elsewhere.app.example import NAME, example_table
from elsewhere.app.fit_request import FitRequest
from elsewhere.app.folder_routes import Refuse
from elsewhere.app.jobs import Jobs
from elsewhere.app.store import RUNNING, Store
from elsewhere.app.table_pages import KEEP, LEAVE, MOVE, STAY, use_of
from elsewhere.datasets.tables import TableError

BLOCK = 1 << 20  # bytes that are copied at once


class TableRoutes:
    """What the app does with tables; `refuse` shows the first page and the error."""

    def __init__(self, store: Store, jobs: Jobs, refuse: Refuse):
        self.store, self.jobs, self.refuse = store, jobs, refuse

    def routes(self) -> list[Route]:
        """Their addresses."""
        return [
            Route("/tables", self.upload, methods=["POST"]),
            Route("/example", self.example, methods=["POST"]),
            Route("/tables/{id}", self.table),
            Route("/tables/{id}/fit", self.fit, methods=["POST"]),
        ]

    async def upload(self, request: Request) -> Response:
        """Keep the file that was dropped."""
        async with request.form(max_files=1) as form:
            given = form.get("file")
            if not isinstance(given, UploadFile) or not given.filename:
                return self.refuse("Choose a file first.", 400)
            name = self.store.new("tables", {"file": given.filename})
            target = self.store.place("tables", name) / "upload"
            with target.open("wb") as out:
                while block := await given.read(BLOCK):
                    out.write(block)
            return await self._kept(name, target, given.filename)

    async def example(self, request: Request) -> Response:
        """Keep the bundled example."""
        name = self.store.new("tables", {"file": NAME})
        target = self.store.place("tables", name) / "upload"
        await run_in_threadpool(lambda: example_table().to_csv(target, index=False))
        return await self._kept(name, target, NAME)

    async def _kept(self, name: str, upload: Path, given: str) -> Response:
        try:
            file = await run_in_threadpool(tables.keep_table, upload, given)
            _, table = await run_in_threadpool(tables.opened, upload.with_name(file))
        except (ValueError, OSError) as error:
            self.store.remove("tables", name)
            return self.refuse(_without(str(error), upload.parent), 400)
        shape = {"rows": table.num_rows, "columns": table.num_columns}
        self.store.change("tables", name, file=file, **shape)
        return RedirectResponse(f"/tables/{name}", 303)

    async def table(self, request: Request) -> Response:
        """A table, its columns and its domains."""
        asked = request.query_params.get("domain")
        return await self._table(request.path_params["id"], asked)

    async def _table(self, name: str, domain: str | None, wrong: str = "") -> Response:
        about = self.store.about("tables", name)
        return HTMLResponse(
            await run_in_threadpool(_described, self._data(name), about, domain, wrong),
            400 if wrong else 200,
        )

    async def fit(self, request: Request) -> Response:
        """Start a fit of what the form asks for."""
        name = request.path_params["id"]
        data = self._data(name)
        async with request.form() as form:
            given = {key: value for key, value in form.items() if isinstance(value, str)}
        asked = await run_in_threadpool(_asked, name, data, given)
        if not asked.columns:
            return await self._table(name, asked.domain, "Choose at least one column to move.")
        fit = self.store.new("fits", {"asked": asked.plain(), "status": RUNNING, "text": ""})
        if asked.drop:
            place, columns = self.store.place("fits", fit), asked.columns + asked.keep
            try:
                data = await run_in_threadpool(tables.complete_rows, data, columns, place)
            except TableError as error:
                self.store.remove("fits", fit)
                return await self._table(name, asked.domain, str(error))
        self.store.change("fits", fit, data=str(data))
        self.jobs.start(fit, asked.commands(data), asked.shares)
        return RedirectResponse(f"/fits/{fit}", 303)

    def _data(self, name: str) -> Path:
        return self.store.place("tables", name) / self.store.about("tables", name)["file"]


def _described(data: Path, about: dict[str, Any], domain: str | None, wrong: str) -> str:
    file, table = tables.opened(data)
    known = tables.domain_columns(file, table)
    if not known:
        return table_pages.no_domain_page(about)
    chosen = domain if domain in known else known[0]
    columns, sizes = tables.describe(file, table, chosen), tables.sizes(table, chosen)
    return table_pages.table_page(about, columns, known, sizes, wrong=wrong)


def _asked(name: str, data: Path, given: Mapping[str, str]) -> FitRequest:
    """What the form asks for; a column of which it says nothing is moved if it can be."""
    file, table = tables.opened(data)
    domain = given.get("domain", "")
    if domain not in table.column_names:
        raise TableError(f"{data.name} has no column {domain!r}.")
    columns = tables.describe(file, table, domain)
    usual = {"modelled": MOVE}
    uses = {
        c.name: given.get(use_of(i), usual.get(c.fate, LEAVE))
        for i, c in enumerate(columns)
        if c.fate != "domain"
    }
    movable = [c.name for c in columns if c.fate == "modelled"]
    moved = tuple(n for n in movable if uses[n] in (MOVE, STAY))
    left = tuple(n for n in movable if uses[n] not in (MOVE, STAY, KEEP))
    invariants = tuple(n for n in moved if uses[n] == STAY)
    keep = tuple(n for n, use in uses.items() if use == KEEP)
    how = {one: one in given for one in ("drop", "planted", "thorough")}
    return FitRequest(name, data.name, domain, moved, left, invariants, keep, **how)


def _without(words: str, folder: Path) -> str:
    """A message without the path of the app's own folder."""
    return words.replace(f"{folder}/", "")
