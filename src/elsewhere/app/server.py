"""The app: which address shows which page."""

import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import FormData, UploadFile
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import (
    FileResponse,
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    RedirectResponse,
    Response,
)
from starlette.routing import Route

from elsewhere.app import fit_pages, folder_pages, pages, tables
from elsewhere.app.asked import MODEL, REPORT, Asked, can_keep
from elsewhere.app.asked_images import AskedImages
from elsewhere.app.example import NAME, example_table
from elsewhere.app.folder_routes import FolderRoutes
from elsewhere.app.gate import Gate
from elsewhere.app.jobs import Jobs
from elsewhere.app.store import DONE, RUNNING, MissingError, Store
from elsewhere.datasets.pictures.files import SUFFIXES
from elsewhere.datasets.tables import TableError
from elsewhere.escaping import Html
from elsewhere.report.page import CSS, script

BLOCK = 1 << 20  # bytes that are copied at once
MORE_CSS = """
header { margin-bottom: 1rem; } .home { font-weight: 700; text-decoration: none; }
.problem { border-left: .4rem solid #b3372f; background: var(--bad-soft); padding: .6rem .9rem; }
progress { width: 100%; max-width: 40rem; height: 1.2rem; } form { margin: .6rem 0; }
td form { margin: 0; } .button.small { padding: .05rem .5rem; font-size: .85rem; }
input[type=number] { width: 7rem; padding: .2rem .3rem; }
.strip { display: flex; flex-wrap: wrap; gap: .3rem; } .strip figcaption { width: 100%; }
.strip img { width: min(4rem, calc((100% - 1.5rem) / 6)); image-rendering: pixelated; }
"""
Handler = Callable[["App", Request], Awaitable[Response]]


class App:
    """The store, the fits that run, and a method for each address."""

    def __init__(self, folder: Path):
        self.store = Store(folder)
        self.jobs = Jobs(self.store)
        self.folders = FolderRoutes(self.store, self.jobs, self._home)

    async def home(self, request: Request) -> Response:
        """What is here, and where to drop a table."""
        return self._home()

    def _home(self, wrong: str = "", status: int = 200) -> Response:
        here = {kind: self.store.all(kind) for kind in ("tables", "folders", "fits")}
        made = pages.home(here, folder_pages.choose_folder(sorted(SUFFIXES)), wrong)
        return HTMLResponse(made, status)

    async def upload(self, request: Request) -> Response:
        """Keep the file that was dropped."""
        async with request.form(max_files=1) as form:
            given = form.get("file")
            if not isinstance(given, UploadFile) or not given.filename:
                return self._home("Choose a file first.", 400)
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
            return self._home(_without(str(error), upload.parent), 400)
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
            asked = _asked(name, data.name, form)
        if not asked.columns:
            return await self._table(name, asked.domain, "Tick at least one column to move.")
        fit = self.store.new("fits", {"asked": asked.plain(), "status": RUNNING, "text": ""})
        if asked.drop:
            place, columns = self.store.place("fits", fit), asked.columns
            try:
                data = await run_in_threadpool(tables.complete_rows, data, columns, place)
            except TableError as error:
                self.store.remove("fits", fit)
                return await self._table(name, asked.domain, str(error))
        self.store.change("fits", fit, data=str(data))
        self.jobs.start(fit, asked.commands(data))
        return RedirectResponse(f"/fits/{fit}", 303)

    async def shown(self, request: Request) -> Response:
        """A fit, whatever its state."""
        about = self.store.about("fits", request.path_params["id"])
        if about["status"] == RUNNING:
            return HTMLResponse(fit_pages.running_page(about))
        if about["status"] != DONE:
            return HTMLResponse(fit_pages.ended_page(about))
        place = self.store.place("fits", about["id"])
        trust = json.loads((place / "report.json").read_text(encoding="utf-8"))
        if "answer" not in about:
            self.store.change("fits", about["id"], answer=trust["decision"]["answer"])
        domains = json.loads((place / "fit.json").read_text(encoding="utf-8"))["domains"]
        whole = (place / REPORT).read_text(encoding="utf-8")
        inner = whole.split("<main>\n", 1)[1].rsplit("\n</main>", 1)[0]
        body = Html(inner.split("</h1>", 1)[1])  # blocks that the report has escaped
        asked, names = _asked_again(about), list(map(str, domains))
        if isinstance(asked, AskedImages):
            return HTMLResponse(fit_pages.images_page(about, asked, names, body))
        return HTMLResponse(fit_pages.done_page(about, asked, names, body))

    async def status(self, request: Request) -> Response:
        """How far a fit is."""
        about = self.store.about("fits", request.path_params["id"])
        told = {"status": about["status"], "fraction": about.get("fraction", 0.0)}
        return JSONResponse(told | {"said": fit_pages.said(about)})

    async def cancel(self, request: Request) -> Response:
        """Stop a fit."""
        await self.jobs.cancel(request.path_params["id"])
        return RedirectResponse(f"/fits/{request.path_params['id']}", 303)

    async def remove(self, request: Request) -> Response:
        """Delete a table, a folder or a fit."""
        kind, name = request.path_params["kind"], request.path_params["id"]
        if kind == "fits":
            await self.jobs.cancel(name)
        self.store.remove(kind, name)
        return RedirectResponse("/", 303)

    async def row(self, request: Request) -> Response:
        """One row, before and after."""
        about = self._done(request)
        asked, to = request.query_params.get("row", ""), request.query_params.get("to", "")
        try:
            answers = import_module("elsewhere.app.answers")
            where = self._model(about), Path(about["data"]), int(asked), to
            source, cells = await run_in_threadpool(answers.detail, *where)
        except ValueError as error:
            return HTMLResponse(pages.problem(str(error))[0], 400)
        block = fit_pages.row_block(int(asked), source, to, cells)
        if "text/fragment" in request.headers.get("accept", ""):
            return HTMLResponse(block)
        return HTMLResponse(pages.document("One row", [block]))

    async def answers(self, request: Request) -> Response:
        """Every row as if from another domain, as a file."""
        about, to = self._done(request), request.query_params.get("to", "")
        answers = import_module("elsewhere.app.answers")
        data = Path(about["data"])
        out = await run_in_threadpool(answers.all_answers, self._model(about), data, to)
        return FileResponse(out, filename=f"{_name(about)}-as-if-from-{_plain(to)}{out.suffix}")

    async def file(self, request: Request) -> Response:
        """The model, the report or the data of a fit."""
        about, what = self._done(request), request.path_params["what"]
        place = self.store.place("fits", about["id"])
        found = {"model": place / MODEL, "report": place / REPORT}
        if not Path(about["data"]).is_dir():
            found["data"] = Path(about["data"])
        return FileResponse(found[what], filename=found[what].name)

    async def compare(self, request: Request) -> Response:
        """Several fits side by side."""
        names = request.query_params.getlist("fit")
        fits = [self.store.about("fits", name) for name in names]
        done = [fit for fit in fits if fit["status"] == DONE]
        if len(done) < 2:
            return self._home("Tick at least two fits that are done.", 400)
        read = [self.store.place("fits", fit["id"]) / "report.json" for fit in done]
        trusts = [json.loads(path.read_text(encoding="utf-8")) for path in read]
        return HTMLResponse(fit_pages.compare_page(done, trusts))

    def _data(self, name: str) -> Path:
        return self.store.place("tables", name) / self.store.about("tables", name)["file"]

    def _model(self, about: dict[str, Any]) -> Path:
        return self.store.place("fits", about["id"]) / MODEL

    def _done(self, request: Request) -> dict[str, Any]:
        about = self.store.about("fits", request.path_params["id"])
        if about["status"] != DONE:
            raise MissingError("This fit is not done.")
        return about


def make_app(folder: Path, token: str) -> Starlette:
    """The app that keeps its tables and fits in a folder, for those who have the token."""
    app = App(folder)
    one = "/{kind:str}/{id:str}"
    routes = [
        Route("/", app.home),
        Route("/tables", app.upload, methods=["POST"]),
        Route("/example", app.example, methods=["POST"]),
        Route("/tables/{id}", app.table),
        Route("/tables/{id}/fit", app.fit, methods=["POST"]),
        *app.folders.routes(),
        Route("/compare", app.compare),
        Route("/fits/{id}", app.shown),
        Route("/fits/{id}/status", app.status),
        Route("/fits/{id}/cancel", app.cancel, methods=["POST"]),
        Route("/fits/{id}/row", app.row),
        Route("/fits/{id}/answers", app.answers),
        Route(f"{one}/remove", app.remove, methods=["POST"]),
        Route("/fits/{id}/{what:str}", app.file),
        Route("/static/{name}", static),
    ]
    return Starlette(
        routes=routes,
        middleware=[Middleware(Gate, token=token)],
        lifespan=_lifespan(app),
        exception_handlers={
            LookupError: _not_found,
            ValueError: _refused,
            OSError: _refused,
            HTTPException: _http_error,
        },
    )


async def static(request: Request) -> Response:
    """The style and the scripts."""
    name = request.path_params["name"]
    if name == "style.css":
        return Response(CSS + MORE_CSS, media_type="text/css")
    if name in ("move_rows.js", "page.js"):
        return Response(script(name), media_type="text/javascript")
    if name == "app.js":
        code = (files("elsewhere.app") / "static" / name).read_text(encoding="utf-8")
        return Response(code, media_type="text/javascript")
    raise MissingError("There is no such file.")


def _lifespan(app: App) -> Callable[[Starlette], Any]:
    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        warm = threading.Thread(target=_import_early, daemon=True)
        warm.start()
        yield
        await app.jobs.close()

    return lifespan


def _import_early() -> None:
    """What the first row needs, loaded while the first fit runs."""
    with suppress(ImportError):
        import_module("elsewhere.app.answers")


def _described(data: Path, about: dict[str, Any], domain: str | None, wrong: str) -> str:
    file, table = tables.opened(data)
    known = tables.domain_columns(file, table)
    if not known:
        return pages.no_domain_page(about)
    chosen = domain if domain in known else known[0]
    columns, sizes = tables.describe(file, table, chosen), tables.sizes(table, chosen)
    return pages.table_page(about, columns, known, sizes, keeps=can_keep(), wrong=wrong)


def _asked(table: str, file: str, form: FormData) -> Asked:
    def ticked(name: str) -> tuple[str, ...]:
        return tuple(value for value in form.getlist(name) if isinstance(value, str))

    keep = ticked("keep")
    columns = tuple(name for name in ticked("move") if name not in keep)
    invariants = tuple(name for name in ticked("invariant") if name in columns)
    how = {name: name in form for name in ("drop", "planted", "thorough")}
    return Asked(table, file, str(form.get("domain", "")), columns, invariants, keep, **how)


def _name(about: dict[str, Any]) -> str:
    return Path(about["asked"]["file"]).stem


def _asked_again(about: dict[str, Any]) -> Asked | AskedImages:
    given = about["asked"]
    if "folder" in given:
        return AskedImages(**given)
    lists = {name: tuple(given[name]) for name in ("columns", "invariants", "keep")}
    return Asked(**(given | lists | {"file": Path(about["data"]).name}))


def _without(words: str, folder: Path) -> str:
    """A message without the path of the app's own folder."""
    return words.replace(f"{folder}/", "")


def _plain(text: str) -> str:
    return "".join(c if c.isalnum() else "-" for c in text)[:40]


async def _not_found(request: Request, error: Exception) -> Response:
    words = str(error.args[0]) if error.args else "There is no such page."
    return HTMLResponse(pages.document("Not found", pages.problem(words)), 404)


async def _refused(request: Request, error: Exception) -> Response:
    return HTMLResponse(pages.document("Not possible", pages.problem(str(error))), 400)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return PlainTextResponse(str(error.detail), error.status_code)
