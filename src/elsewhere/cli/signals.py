"""Signals that end the command: one line, no half-written files, also while native code runs."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from elsewhere.files import remove_open_parts

ENDING = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT")  # as far as the system has them
PATIENCE = 2.0  # seconds that Python gets to end by itself, before the process is ended


class Stopped(BaseException):
    """A signal asks the command to end; no handler of ordinary errors may catch it."""

    def __init__(self, number: int):
        super().__init__(number)
        self.number = number

    @property
    def code(self) -> int:
        """The exit code, as a shell has it: 130 SIGINT, 143 SIGTERM, 129 SIGHUP, 131 SIGQUIT."""
        return 128 + self.number

    def __str__(self) -> str:
        return f"stopped ({signal.Signals(self.number).name})."


@contextmanager
def stoppable() -> Iterator[None]:
    """Within, these signals raise `Stopped`.

    Python sees a signal only between two of its own steps, and a fit may spend minutes in one. So
    a thread is woken by the system itself, and ends the process if that has not happened in time.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    old = {number: signal.signal(number, _stop) for number in numbers}
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    before = signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    done = threading.Event()
    threading.Thread(target=_watch, args=(woken, {*numbers}, done), daemon=True).start()
    try:
        yield
    finally:
        done.set()
        signal.set_wakeup_fd(before)
        for number, handler in old.items():
            signal.signal(number, handler)
        os.close(wakes)


def _stop(number: int, frame: Any) -> None:
    raise Stopped(number)


def _watch(woken: int, numbers: set[int], done: threading.Event) -> None:
    """End the process some time after a signal, unless it ends before."""
    while byte := os.read(woken, 1):
        if byte[0] in numbers:
            time.sleep(PATIENCE)
            if not done.is_set():
                end_at_once(byte[0])
    os.close(woken)


def end_at_once(number: int) -> None:
    """Say it, remove what is half written, and go without asking native code."""
    remove_open_parts()
    stopped = Stopped(number)
    os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, f"elsewhere: {stopped}\n".encode())
    os._exit(stopped.code)
