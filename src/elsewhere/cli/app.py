"""`elsewhere app`: a page in the browser, on this machine alone."""

from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated

import typer

NEEDS = ("starlette", "uvicorn", "multipart")


def app(
    port: Annotated[int, typer.Option(help="Port; 0 picks a free one.", min=0, max=65535)] = 0,
    folder: Annotated[
        Path | None,
        typer.Option(help="Keep tables and models here (default: a temporary folder)."),
    ] = None,
    browser: Annotated[bool, typer.Option(help="Open the browser.")] = True,
    host: Annotated[
        str,
        typer.Option(help="Address to listen on. Any but 127.0.0.1 lets other machines connect."),
    ] = "127.0.0.1",
) -> None:
    """Open the app in a browser: drop a table, fit, look, download. Nothing leaves this machine."""
    if missing := [name for name in NEEDS if find_spec(name) is None]:
        raise ValueError(
            f"the app needs packages that are not installed: {', '.join(missing)}. Run: pip "
            "install 'elsewhere[app]'"
        )
    serve = import_module("elsewhere.app.serve").serve  # the app stands above the commands
    serve(host, port, folder, browser)
