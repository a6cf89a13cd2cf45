"""`python -m elsewhere.fitting`: the engines, their options and the defaults."""

from dataclasses import fields, is_dataclass
from inspect import getdoc
from typing import Any

from elsewhere.fitting.engines import registered_engines


def listing() -> str:
    """Every engine by name: what it does, and its options with their defaults."""
    blocks = []
    for name, engine in registered_engines().items():
        first = (getdoc(engine) or "").splitlines()[0]
        lines = [f"{name}: {type(engine).__name__}", f"    {first}"]
        blocks.append("\n".join(lines + [f"    {line}" for line in _options(engine)]))
    return "\n\n".join(blocks)


def _options(engine: Any, prefix: str = "") -> list[str]:
    lines = []
    for field in fields(engine):
        value = getattr(engine, field.name)
        if is_dataclass(value):
            lines += _options(value, f"{prefix}{field.name}.")
        else:
            lines.append(f"{prefix}{field.name} = {value!r}")
    return lines


if __name__ == "__main__":
    print(listing())
