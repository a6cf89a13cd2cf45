"""A fit of many rows holds few copies of them."""

import subprocess
import sys

import numpy as np
import pytest

from elsewhere.fitting.moments.parts import parts_of, sizes_of, together

FIT = """
import sys, tracemalloc, numpy as np
from elsewhere.estimators import DomainCounterfactual
from elsewhere.fitting.moments import permutation
permutation.MANY = 500  # groups that change places, beside which rows are many
rng = np.random.default_rng(0)
x = rng.standard_normal((60_000, 20))
x[30_000:] += 0.5
x = np.exp(0.3 * x) if sys.argv[1] == "amounts" else x
labels = np.repeat(["north", "south"], 30_000)
DomainCounterfactual(mixing="moments").fit(x[::50], labels[::50])
tracemalloc.start()
DomainCounterfactual(mixing="moments").fit(x, labels)
print(tracemalloc.get_traced_memory()[1] / x.nbytes)
"""


@pytest.mark.parametrize("kind", ["any", "amounts"])
def test_a_fit_holds_few_copies_of_its_rows(kind):
    """In a process of its own: the checks of types that tests add make copies, too."""
    command = [sys.executable, "-c", FIT, kind]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert float(done.stdout) < 5.5


def test_parts_are_made_anew_and_kept_by_nobody():
    parts = parts_of(lambda rows: 2 * rows, [np.ones((3, 2)), np.ones((1, 2))])
    assert (sizes_of(parts), len(parts)) == ((3, 1), 2)
    assert parts[0] is not parts[0]
    np.testing.assert_array_equal(together(parts), np.full((4, 2), 2.0))
    assert [len(rows) for rows in parts[1:]] == [1]
