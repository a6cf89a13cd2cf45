"""The command. Heavy imports happen inside the commands, so that `--help` answers at once."""

import logging
import os
import sys
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from elsewhere import __version__
from elsewhere.cli import (
    add_domain,
    counterfactual,
    demo,
    doctor,
    evaluate,
    fit,
    inspect,
    report,
    reproduce,
)
from elsewhere.cli import app as app_command
from elsewhere.escaping import for_terminal
from elsewhere.scikit_learn import load_later
from elsewhere.signals import Stopped, stoppable
from elsewhere.streams import open_streams

BAD_INPUT, BAD_LINE, NO_FILE = 1, 2, 3
UsageError: Any = typer.BadParameter.__base__  # click's, or that of the copy that typer brings
EPILOG = (
    "Exit codes: 0 success; 1 unusable data, model or choice; 2 invalid command line; 3 a file "
    "cannot be read or written; 129, 130, 131 or 143 stopped by SIGHUP, Ctrl-C, SIGQUIT or "
    "SIGTERM. Errors are printed as one line on standard error."
)

GREETING = """\
elsewhere: what would this sample look like, had it come from elsewhere?

  elsewhere app
      in the browser: drop a table, look, decide
  elsewhere fit data.csv --domain site --out m.model
      fit a model to a table
  elsewhere report m.model data.csv
      one page: the answers, and whether to use them

elsewhere demo shows it on simulated data; elsewhere --help lists all commands.
"""


class PlainList(TyperGroup):
    """The commands listed as plain text: loading what draws boxes takes longer than all else."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Usage, options and commands; those of one command keep their boxes."""
        self.rich_markup_mode = None
        super().format_help(ctx, formatter)

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        """Every command with the first sentence of its help, whole."""
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(n, c.get_short_help_str(300)) for n, c in commands if c])


def paragraphs(text: str) -> str:
    """Paragraphs of one line each: terminals differ in width."""
    return "\n\n".join(" ".join(part.split()) for part in text.split("\n\n"))


COMPLETES = "_ELSEWHERE_COMPLETE"  # what a shell sets when it asks how a line may go on

app = typer.Typer(
    name="elsewhere",
    cls=PlainList,
    help="What would this sample look like, had it come from elsewhere?",
    epilog=EPILOG,
    no_args_is_help=True,
    add_completion=True,
    pretty_exceptions_enable=False,
)
for command in (
    fit.fit,
    counterfactual.counterfactual,
    add_domain.add_domain,
    evaluate.evaluate,
    report.report,
    inspect.inspect,
    demo.demo,
    reproduce.reproduce,
    app_command.app,
    doctor.doctor,
):
    app.command(help=paragraphs(command.__doc__ or ""))(command)


def _say_version(wanted: bool) -> bool:
    if wanted:
        typer.echo(f"elsewhere {__version__}")
        raise typer.Exit
    return wanted


@app.callback()
def _root(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_say_version, is_eager=True, help="Print the version and exit."
        ),
    ] = False,
) -> None:
    """What would this sample look like, had it come from elsewhere?"""


def main() -> None:
    """Run the command; a user's mistake is one line on stderr and a documented exit code."""
    open_streams()
    load_later()
    logging.getLogger("matplotlib").setLevel(logging.ERROR)  # of a home that takes no cache
    try:
        with stoppable():
            _run()
    except Stopped as stopped:
        _stop(str(stopped), stopped.code)
    except BrokenPipeError:  # the reader has seen enough; nothing more can be said to it
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        raise SystemExit(0) from None
    except SystemExit as ended:
        if type(ended.__context__) is BrokenPipeError:  # which typer takes for a failure
            raise SystemExit(0) from None
        raise
    except OSError as error:
        _stop(_words(error), NO_FILE)
    except ValueError as error:
        _stop(str(error), BAD_INPUT)


def _run() -> None:
    """The command, and what it said out to the last byte: a closed pipe is noticed here."""
    try:
        if len(sys.argv) == 1 and COMPLETES not in os.environ:
            typer.echo(GREETING, nl=False)
        else:
            raise SystemExit(app(standalone_mode=False) or 0)
    except UsageError as error:
        within = error.ctx if error.ctx and error.ctx.parent else None
        command = f"elsewhere {within.info_name}" if within else "elsewhere"
        _stop(f"{error.format_message().rstrip('.')}. See {command} --help.", BAD_LINE)
    except typer.Abort:
        _stop("stopped.", BAD_INPUT)
    finally:
        sys.stdout.flush()


def _words(error: OSError) -> str:
    named = f"{error.filename}: " if error.filename else ""
    return f"{named}{error.strerror}" if error.strerror else str(error)


def _stop(message: str, code: int) -> None:
    sys.stderr.write(f"elsewhere: {for_terminal(' '.join(message.split()))}\n")
    raise SystemExit(code) from None
