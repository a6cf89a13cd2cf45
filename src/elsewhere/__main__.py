"""`python -m elsewhere` is the command `elsewhere`."""

from elsewhere.cli import main

main()
