"""Several tasks at once, each process on a core of its own."""

import multiprocessing
import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from multiprocessing.queues import SimpleQueue
from threading import Thread
from typing import Protocol, runtime_checkable

from threadpoolctl import threadpool_limits

from elsewhere.terminal import bars


@runtime_checkable
class Task(Protocol):
    """What can be sent to another process and run there."""

    def run(self) -> str:
        """Do it, keep what it made, and say what was done."""
        ...


def run_all(tasks: Sequence[Task], jobs: int, on: str | None = None) -> None:
    """Run every task, with a bar on stderr; several jobs are processes with a core each.

    Args:
        tasks: what to run.
        jobs: processes of this machine.
        on: the address of a Ray cluster that runs them instead; "local" starts one here.
    """
    if not tasks:
        return
    with bars(count=True) as bar:
        line = bar.add_task("starting", total=len(tasks))
        if on is None:
            texts = each_done(tasks, jobs)
        else:
            from elsewhere.experiments.on_ray import each_done_on_ray

            texts = each_done_on_ray(tasks, on)
        for text in texts:
            bar.update(line, advance=1, description=text)


def each_done(tasks: Sequence[Task], jobs: int) -> Iterator[str]:
    """What each task says when it is done."""
    if jobs == 1:
        yield from (task.run() for task in tasks)
        return
    spawn = multiprocessing.get_context("spawn")  # JAX does not survive a fork
    turns = spawn.SimpleQueue()
    for turn in range(jobs):
        turns.put(turn)
    with ProcessPoolExecutor(jobs, spawn, initializer=_start, initargs=(turns,)) as pool:
        try:
            for done in as_completed([pool.submit(task.run) for task in tasks]):
                yield done.result()
        except BaseException:  # a pool would first do all that it was ever asked for
            _end_the_workers()
            raise


def _end_the_workers() -> None:
    for worker in multiprocessing.active_children():
        worker.terminate()


def _start(turns: SimpleQueue) -> None:
    Thread(target=_end_with_the_parent, daemon=True).start()
    _keep_to_a_core(turns)


def _end_with_the_parent() -> None:
    """A parent that is killed says nothing, and what it had asked for is wanted by nobody."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _keep_to_a_core(turns: SimpleQueue) -> None:
    """One core and one thread per process, where possible: sharing cores costs twice the time.

    NumPy has its threads already; XLA's are yet to come, and will be where this one is.
    """
    threadpool_limits(1)
    if hasattr(os, "sched_setaffinity"):
        cores = sorted(os.sched_getaffinity(0))
        os.sched_setaffinity(0, {cores[turns.get() % len(cores)]})
