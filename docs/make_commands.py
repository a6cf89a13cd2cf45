"""The command reference, from the command itself: `python docs/make_commands.py` prints it.

`docs/hooks.py` puts it into the page when the site is built, so that it cannot go stale.
"""

from typing import Any

import typer

from elsewhere.cli import app

MARK = "<!-- commands -->"


def commands() -> str:
    """Markdown: one section per command, with its arguments and options."""
    root: Any = typer.main.get_command(app)
    return "\n\n".join(section(name, one) for name, one in root.commands.items())


def section(name: str, command: Any) -> str:
    """The usage line, what the command does, and one table of options per help panel."""
    arguments = [one for one in command.params if one.param_type_name == "argument"]
    named = " ".join(one.name.upper() for one in arguments)
    panels: dict[str, list[Any]] = {}
    for one in command.params:
        kind = "Arguments" if one in arguments else one.rich_help_panel or "Options"
        panels.setdefault(kind, []).append(one)
    usage = f"```\nelsewhere {' '.join([name, *named.split(), '[OPTIONS]'])}\n```"
    body = [f"## {name}", usage, command.help]
    body += [table(title, members) for title, members in panels.items()]
    return "\n\n".join(body)


def table(title: str, members: list[Any]) -> str:
    """One row per argument or option."""
    lines = [f"| {title} | | default |", "|---|---|---|"]
    for one in members:
        names = ", ".join(f"`{name}`" for name in flags(one))
        lines.append(f"| {names} | {cell(one.help or '')} | {default(one)} |")
    return "\n".join(lines)


def flags(one: Any) -> list[str]:
    """The names by which a user gives it."""
    if one.param_type_name == "argument":
        return [one.name.upper()]
    return [*one.opts, *one.secondary_opts]


def default(one: Any) -> str:
    """What holds where it is left out; nothing where the help text says it."""
    if one.required:
        return "required"
    shown = one.default is not None and one.default is not False and one.default != ""
    return f"`{one.default}`" if shown else ""


def cell(text: str) -> str:
    """Text that a Markdown table can hold."""
    return text.replace("|", "\\|").replace("\n", " ")


if __name__ == "__main__":
    print(commands())
