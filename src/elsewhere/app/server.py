"""The app: which address shows which page."""

import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from elsewhere.app import folder_pages, home_page
from elsewhere.app.document import document, problem
from elsewhere.app.fit_routes import FitRoutes
from elsewhere.app.folder_routes import FolderRoutes
from elsewhere.app.gate import Gate
from elsewhere.app.jobs import Jobs
from elsewhere.app.store import MissingError, Store
from elsewhere.app.table_routes import TableRoutes
from elsewhere.datasets.pictures.files import SUFFIXES
from elsewhere.report.page import CSS, code_of_pages


class App:
    """The store, the fits that run, and the first page."""

    def __init__(self, folder: Path):
        self.store = Store(folder)
        self.jobs = Jobs(self.store)
        self.tables = TableRoutes(self.store, self.jobs, self._home)
        self.folders = FolderRoutes(self.store, self.jobs, self._home)
        self.fits = FitRoutes(self.store, self.jobs, self._home)

    async def home(self, request: Request) -> Response:
        """What is here, and where to drop a table."""
        return self._home()

    def _home(self, wrong: str = "", status: int = 200) -> Response:
        here = {kind: self.store.all(kind) for kind in ("tables", "folders", "fits")}
        made = home_page.home(here, folder_pages.choose_folder(sorted(SUFFIXES)), wrong)
        return HTMLResponse(made, status)

    async def remove(self, request: Request) -> Response:
        """Delete a table, a folder or a fit."""
        kind, name = request.path_params["kind"], request.path_params["id"]
        if kind == "fits":
            await self.jobs.cancel(name)
        self.store.remove(kind, name)
        return RedirectResponse("/", 303)


def make_app(folder: Path, token: str) -> Starlette:
    """The app that keeps its tables and fits in a folder, for those who have the token."""
    app = App(folder)
    routes = [
        Route("/", app.home),
        *app.tables.routes(),
        *app.folders.routes(),
        Route("/{kind:str}/{id:str}/remove", app.remove, methods=["POST"]),
        *app.fits.routes(),
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
        return Response(CSS + _own("app.css"), media_type="text/css")
    if name == "report.js":
        return Response(code_of_pages(), media_type="text/javascript")
    if name == "app.js":
        return Response(_own(name), media_type="text/javascript")
    raise MissingError("There is no such file.")


def _own(name: str) -> str:
    return (files("elsewhere.app") / "static" / name).read_text(encoding="utf-8")


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


async def _not_found(request: Request, error: Exception) -> Response:
    words = str(error.args[0]) if error.args else "There is no such page."
    return HTMLResponse(document("Not found", problem(words)), 404)


async def _refused(request: Request, error: Exception) -> Response:
    return HTMLResponse(document("Not possible", problem(str(error))), 400)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    return PlainTextResponse(str(error.detail), error.status_code)
