"""Items made in a thread of their own while others are used: reading and writing overlap."""

import threading
from collections.abc import Iterable, Iterator
from queue import Full, Queue
from typing import Any, TypeVar

Item = TypeVar("Item")
_WAIT = 0.1  # seconds until a maker looks whether anybody still wants its items


def ahead(items: Iterable[Item], most: int = 2) -> Iterator[Item]:
    """The items in their order, at most `most` made ahead; errors are raised here."""
    queue: Queue[tuple[bool, Any]] = Queue(most)
    unwanted = threading.Event()
    maker = threading.Thread(target=_make, args=(items, queue, unwanted), daemon=True)
    maker.start()
    try:
        while True:
            is_item, value = queue.get()
            if is_item:
                yield value
            elif value is None:
                return
            else:
                raise value
    finally:
        unwanted.set()


def _make(items: Iterable[Any], queue: "Queue[tuple[bool, Any]]", unwanted: Any) -> None:
    last: BaseException | None = None
    try:
        for item in items:
            if not _put(queue, (True, item), unwanted):
                return
    except BaseException as error:
        last = error
    _put(queue, (False, last), unwanted)


def _put(queue: "Queue[tuple[bool, Any]]", entry: tuple[bool, Any], unwanted: Any) -> bool:
    """Whether somebody wanted it."""
    while not unwanted.is_set():
        try:
            queue.put(entry, timeout=_WAIT)
        except Full:
            continue
        return True
    return False
