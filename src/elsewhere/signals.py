"""Signals that end the command: one line, no half-written files, also while native code runs."""

import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator
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
    if not _here():
        yield
        return
    woken, wakes = os.pipe()
    os.set_blocking(wakes, False)
    before = signal.set_wakeup_fd(wakes, warn_on_full_buffer=False)
    done = threading.Event()
    threading.Thread(target=_watch, args=(woken, done), daemon=True).start()
    try:
        with ending(_stop):
            yield
    finally:
        done.set()
        signal.set_wakeup_fd(before)
        os.close(wakes)


@contextmanager
def ending(handler: Callable[[int, Any], None]) -> Iterator[None]:
    """Within, this is called with the number of a signal that ends the command."""
    old = {number: signal.signal(number, handler) for number in _numbers() if _here()}
    try:
        yield
    finally:
        for number, before in old.items():
            signal.signal(number, before)


def _here() -> bool:
    """Whether this thread may have handlers."""
    return threading.current_thread() is threading.main_thread()


def _numbers() -> set[int]:
    return {getattr(signal, name) for name in ENDING if hasattr(signal, name)}


def _stop(number: int, frame: Any) -> None:
    raise Stopped(number)


def _watch(woken: int, done: threading.Event) -> None:
    """End the process some time after a signal, unless it ends before."""
    while byte := os.read(woken, 1):
        if byte[0] in _numbers():
            time.sleep(PATIENCE)
            if not done.is_set():
                end_at_once(byte[0])
    os.close(woken)


def end_at_once(number: int, frame: Any = None) -> None:
    """Say it, remove what is half written, and go without asking native code."""
    remove_open_parts()
    stopped = Stopped(number)
    os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, f"elsewhere: {stopped}\n".encode())
    os._exit(stopped.code)
