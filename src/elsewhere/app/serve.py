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
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        address = f"http://{host}:{listener.getsockname()[1]}/?token={token}"
        remark(f"elsewhere app: {address}")
        remark("Only who has this address can open it. Press Ctrl+C to end the app.")
        if browser:
            webbrowser.open(address)
        settings = uvicorn.Config(make_app(Path(str(kept)), token), log_level="warning")
        uvicorn.Server(settings).run(sockets=[listener])
