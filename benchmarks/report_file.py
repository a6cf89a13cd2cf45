"""A benchmark's report: shown, and kept with what made it."""

import json
import sys

from elsewhere.experiments.provenance import provenance


def show_and_keep(report, out, seeds=(0,)):
    """Print the report as JSON, and write it with command, seeds, versions, commit and machine."""
    print(json.dumps(report, indent=1))
    if out:
        made_by = provenance(" ".join(["python", *sys.argv]), seeds)
        out.write_text(json.dumps({"made_by": made_by} | report, indent=1) + "\n")
