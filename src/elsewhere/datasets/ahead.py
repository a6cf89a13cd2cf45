"""Items made in threads of their own while others are used: reading and writing overlap."""

import os
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from queue import Full, Queue
from typing import Any, TypeVar

Item = TypeVar("Item")
Made = TypeVar("Made")
_WORKERS = min(os.cpu_count() or 1, 4)  # each holds a batch or two, so that memory stays small
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


def each_ahead(work: Callable[[Item], Made], items: Iterable[Item]) -> Iterator[Made]:
    """work(item) of every item, in their order, some at a time; items are made ahead, too."""
    under_way: deque[Future[Made]] = deque()
    with ThreadPoolExecutor(_WORKERS) as pool:
        try:
            for item in ahead(items):
                under_way.append(pool.submit(work, item))
                if len(under_way) > _WORKERS:
                    yield under_way.popleft().result()
            while under_way:
                yield under_way.popleft().result()
        finally:
            for rest in under_way:
                rest.cancel()


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
