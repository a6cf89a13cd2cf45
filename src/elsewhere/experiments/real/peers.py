"""Other packages as they are, with their defaults. Each is imported only when it is run."""

from collections.abc import Callable
from functools import cache
from importlib import import_module

import numpy as np
from jaxtyping import Float

from elsewhere.experiments.real.split import Answer, PairedSplit

Rows = Float[np.ndarray, "n p"]
Harmonise = Callable[[Rows, list[str], str], Rows]  # all rows, their batches, the reference batch


def inmoose(split: PairedSplit) -> Answer:
    """pycombat_norm of inmoose with the target as reference batch."""
    pycombat_norm = import_module("inmoose.pycombat").pycombat_norm

    def harmonise(rows: Rows, batches: list[str], reference: str) -> Rows:
        return np.asarray(pycombat_norm(rows.T, batches, ref_batch=reference), float).T

    return _towards_reference(split, harmonise)


def pot_linear(split: PairedSplit) -> Answer:
    """POT's LinearTransport, fitted for each pair of domains."""
    linear_transport = import_module("ot.da").LinearTransport

    tables = split.tables

    def answer(d: int, e: int) -> Rows:
        transport = linear_transport().fit(Xs=tables[d], Xt=tables[e])
        return np.asarray(transport.transform(Xs=tables[d]), float)

    return answer


def skada_monge(split: PairedSplit) -> Answer:
    """skada's map of every domain to the barycentre, then back along that of the target."""
    tables = split.tables
    domain = np.repeat(np.arange(1, len(tables) + 1), [len(table) for table in tables])
    adapter = import_module("skada._mapping").MultiLinearMongeAlignmentAdapter()
    adapter.fit(np.concatenate(tables), sample_domain=domain)

    def answer(d: int, e: int) -> Rows:
        (A, a), (B, b) = (adapter.mappings_[i + 1] for i in (d, e))
        return np.linalg.solve(B.T, (tables[d] @ A + a - b).T).T

    return answer


def _towards_reference(split: PairedSplit, harmonise: Harmonise) -> Answer:
    """All rows harmonised once for every target; those of d are the answer."""
    tables, names = split.tables, split.data.domains
    batches = [name for name, table in zip(names, tables, strict=True) for _ in table]
    place = np.repeat(np.arange(len(tables)), [len(table) for table in tables])

    @cache
    def towards(e: int) -> Rows:
        return harmonise(np.concatenate(tables), batches, names[e])

    return lambda d, e: towards(e)[place == d]
