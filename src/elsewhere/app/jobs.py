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
DOING = {"fit": "learning how the domains differ", "report": "checking"}
AT_ONCE, SECONDS = 2, "0"  # fits that run together, and seconds between lines of progress
PATIENCE = 3.0  # seconds to end by itself
Ends = tuple[float, float]
Shares = Mapping[str, Ends]  # by command: how far all is when it has started, and when it ends


class Jobs:
    """The fits that run now."""

    def __init__(self, store: Store):
        self.store = store
        self.running: dict[str, asyncio.subprocess.Process] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}
        self.room = asyncio.Semaphore(AT_ONCE)

    def start(self, name: str, commands: Mapping[str, Sequence[str]], shares: Shares) -> None:
        """Run the commands in the fit's folder, each of which takes its share of the time."""
        self.tasks[name] = asyncio.create_task(self._run(name, commands, shares))

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

    async def _run(self, name: str, commands: Mapping[str, Sequence[str]], shares: Shares) -> None:
        async with self.room:
            start = time.time()
            for word, arguments in commands.items():
                self._say(name, start, 0.0, f"{DOING[word]}: starting")
                code, last = await self._one(name, word, arguments, start, shares[word])
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
                inside = (
                    f": {found[2]}" if word == "report" else ""
                )  # a fit's own words are technical
                self._say(name, start, done, DOING[word] + inside)
        return last

    def _say(self, name: str, start: float, done: float, text: str) -> None:
        """Write down how far it is; never less far than before."""
        with suppress(LookupError):  # it may have been removed
            about, now = self.store.about("fits", name), time.time()
            before = float(about.get("fraction", 0.0))
            known = {"until": now + (now - start) * (1 - done) / done} if done > before else {}
            done = max(done, before)
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
