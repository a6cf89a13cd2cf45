"""The app on a port of this machine, in a thread, with a folder of its own."""

import socket
import threading
import time
from contextlib import closing

import numpy as np
import pandas as pd
import pytest

uvicorn = pytest.importorskip("uvicorn")

# in one thread: Python 3.11 cannot make the syntax trees of the type checks in two at once
import elsewhere.app.answers  # noqa: E402, F401
from browsing import TOKEN, tab_with_token  # noqa: E402
from elsewhere.app.server import make_app  # noqa: E402

NASTY = "<script>window.ran = 1</script>"


@pytest.fixture(scope="module")
def served(tmp_path_factory):
    """The address of a running app."""
    app = make_app(tmp_path_factory.mktemp("app"), TOKEN)
    server = uvicorn.Server(uvicorn.Config(app, log_level="error"))
    with closing(socket.socket()) as listener:
        listener.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{listener.getsockname()[1]}"
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
        thread.start()
        while not server.started:
            time.sleep(0.02)
        yield address
        server.should_exit = True
        thread.join(20)


@pytest.fixture
def page(browser, served):
    with tab_with_token(browser, served) as tab:
        yield tab


@pytest.fixture(scope="session")
def stranger():
    """A table whose names and cells were written by somebody who means harm."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((80, 2))
    x[40:] += 2
    frame = pd.DataFrame(x, columns=[f"dose {NASTY}", "mass [mg]"])
    return frame.assign(site=np.repeat([f"a{NASTY}", "b"], 40), note=NASTY)
