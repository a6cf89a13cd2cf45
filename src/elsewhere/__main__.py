"""The command `elsewhere`, and `python -m elsewhere`: a signal ends it from its first import on."""

from elsewhere.signals import end_at_once, ending


def main() -> None:
    """Run the command."""
    with ending(end_at_once):
        from elsewhere.cli import main as run  # takes long enough to be interrupted

        run()


if __name__ == "__main__":
    main()
