"""Fits: the commands `fit` and `report` in processes of their own, which may fail or be ended."""

import asyncio
import os
import re
import signal
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress

from elsewhere.app.store import CANCELLED, DONE, FAILED, RUNNING, Store

PROGRESS = re.compile(r"(?:fitting|checking): (\d+) %, (?:\d+ s left, )?(.*)")
START, END = 0.03, 0.97  # how far it is when the first command starts and the last ends
DOING = {"fit": "fitting", "report": "checking"}
AT_ONCE, SECONDS = 2, "0.3"  # fits that run together, and seconds between lines of progress
PATIENCE = 3.0  # seconds to end by itself
Ends = tuple[float, float]


class Jobs:
    """The fits that run now."""

    def __init__(self, store: Store):
        self.store = store
        self.running: dict[str, asyncio.subprocess.Process] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self.room = asyncio.Semaphore(AT_ONCE)

    def start(self, name: str, commands: Mapping[str, Sequence[str]], share: float) -> None:
        """Run the commands in the fit's folder; the first takes about this share of the time."""
        self.tasks[name] = asyncio.create_task(self._run(name, commands, share))

    async def cancel(self, name: str) -> None:
        """End a fit and all it started."""
        task = self.tasks.pop(name, None)
        if task is None or task.done():
            return
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await self._end(self.running.pop(name, None))
        self.store.change("fits", name, status=CANCELLED, text="Cancelled.")

    async def close(self) -> None:
        """End all fits."""
        for name in list(self.tasks):
            await self.cancel(name)

    async def _run(self, name: str, commands: Mapping[str, Sequence[str]], share: float) -> None:
        async with self.room:
            start = time.time()
            ends = dict(zip(commands, ((START, share), (share, END)), strict=False))
            for word, arguments in commands.items():
                self._say(name, start, ends[word][0], f"{DOING[word]}: starting")
                code, last = await self._one(name, word, arguments, start, ends[word])
                if code:
                    text = last or f"The command ended with code {code}."
                    self.store.change("fits", name, status=FAILED, text=text)
                    return
            took = round(time.time() - start, 1)
            self.store.change("fits", name, status=DONE, fraction=1.0, text="", took=took)
        self.tasks.pop(name, None)

    async def _one(
        self, name: str, word: str, arguments: Sequence[str], start: float, ends: Ends
    ) -> tuple[int, str]:
        """(exit code, last line on stderr) of one command; what it prints is kept in a file."""
        place = self.store.place("fits", name)
        with (place / f"{word}.json").open("wb") as out:
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "elsewhere", *arguments),
                cwd=place,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=out,
                stderr=asyncio.subprocess.PIPE,
                env=os.environ | {"ELSEWHERE_PROGRESS": SECONDS, "PYTHONUTF8": "1"},
                start_new_session=True,
            )
        self.running[name] = process
        last = await self._follow(name, word, process, start, ends)
        code = await process.wait()
        self.running.pop(name, None)
        return code, last

    async def _follow(
        self, name: str, word: str, process: asyncio.subprocess.Process, start: float, ends: Ends
    ) -> str:
        last, (low, high) = "", ends
        assert process.stderr is not None
        while line := await process.stderr.readline():
            last = line.decode(errors="replace").strip().removeprefix("elsewhere: ") or last
            if found := PROGRESS.fullmatch(last):
                done = low + (high - low) * int(found[1]) / 100
                text = "writing the page" if found[2] == "done" else f"{DOING[word]}: {found[2]}"
                self._say(name, start, done, text)
        return last

    def _say(self, name: str, start: float, done: float, text: str) -> None:
        """Write down how far it is; never less far than before."""
        with suppress(LookupError):  # it may have been removed
            done = max(done, float(self.store.about("fits", name).get("fraction", 0.0)))
            left = (time.time() - start) * (1 - done) / done
            known = {"left": round(left)} if done > START else {}
            self.store.change("fits", name, status=RUNNING, fraction=done, text=text, **known)

    async def _end(self, process: asyncio.subprocess.Process | None) -> None:
        if process is None or process.returncode is not None:
            return
        for how in (signal.SIGTERM, signal.SIGKILL):
            with suppress(ProcessLookupError):
                os.killpg(process.pid, how)
            try:
                await asyncio.wait_for(process.wait(), PATIENCE)
                return
            except TimeoutError:
                continue
