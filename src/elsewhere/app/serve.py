"""Start the app on an address of this machine, and open a browser on it."""

import secrets
import socket
import tempfile
import webbrowser
from contextlib import nullcontext
from pathlib import Path

import uvicorn

from elsewhere.app.server import make_app
from elsewhere.cli.output import remark


def serve(host: str, port: int, folder: Path | None, browser: bool) -> None:
    """Serve until interrupted; without a folder, tables and models go when the app ends."""
    token = secrets.token_urlsafe(24)
    place = tempfile.TemporaryDirectory(prefix="elsewhere-") if folder is None else None
    with place or nullcontext(folder) as kept, socket.socket() as listener:
        app = make_app(Path(str(kept)), token)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _bind(listener, host, port)
        address = f"http://{host}:{listener.getsockname()[1]}/?token={token}"
        remark(f"elsewhere app: {address}")
        remark("Only who has this address can open it. Press Ctrl+C to end the app.")
        if browser:
            webbrowser.open(address)
        settings = uvicorn.Config(app, log_level="warning")
        uvicorn.Server(settings).run(sockets=[listener])


def _bind(listener: socket.socket, host: str, port: int) -> None:
    """Take the address, or say which one cannot be had."""
    try:
        listener.bind((host, port))
    except OSError as error:
        error.filename = f"{host}:{port}"
        raise
