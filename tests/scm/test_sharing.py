"""Which mechanisms the domains share."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.models import SCMS, compiled, masks, random_scm, seeds

from elsewhere.scm import LinearSCM, entry_kinds, share, specific_rows, tie

M = 4


@compiled
def noise_of(scm, z):
    """One executable for every domain, so that equal rows give equal bits."""
    return scm.inverse(z)


@pytest.mark.parametrize("kind", SCMS)
@given(seed=seeds, mask=masks(M))
def test_tie_takes_each_row_from_its_source(kind, seed, mask):
    rng = np.random.default_rng(seed)
    shared, specific = (random_scm(rng, kind, M, 0.5) for _ in range(2))
    tied = tie(shared, specific, mask)
    leaves = (jax.tree.leaves(scm) for scm in (tied, shared, specific))
    for row, from_shared, from_specific in zip(*leaves, strict=True):
        assert (row[~mask] == from_shared[~mask]).all()
        assert (row[mask] == from_specific[mask]).all()


@pytest.mark.parametrize("kind", SCMS)
@given(seed=seeds, k=st.integers(0, M), pattern=st.sampled_from(["dense", "canonical"]))
def test_share_gives_the_pattern(kind, seed, k, pattern):
    rng = np.random.default_rng(seed)
    shared, *specifics = (random_scm(rng, kind, M, 0.5) for _ in range(3))
    first, second = share(shared, specifics, k, pattern)
    rows = specific_rows(M, k, pattern)
    z = jnp.asarray(rng.standard_normal(M))
    assert ((noise_of(first, z) == noise_of(second, z)) == ~rows).all()


@pytest.mark.parametrize("k", range(M + 1))
def test_identity_pattern(k):
    rng = np.random.default_rng(0)
    specifics = [random_scm(rng, "linear", M, 0.5) for _ in range(3)]
    first, *rest = share(LinearSCM.identity(M), specifics, k, "identity")
    z = jnp.asarray(rng.standard_normal(M))
    assert (noise_of(first, z) == z).all()
    for scm in rest:
        assert ((noise_of(scm, z) == z) == (np.arange(M) < M - k)).all()


def test_specific_rows():
    assert specific_rows(3, 1, "dense").all()
    assert specific_rows(3, 1, "canonical").tolist() == [False, False, True]
    assert specific_rows(3, 0, "identity").tolist() == [False, False, False]
    assert specific_rows(3, 3, "identity").all()


@pytest.mark.parametrize("k", [-1, 4])
def test_k_out_of_range(k):
    with pytest.raises(ValueError, match=rf"k must be in 0\.\.3.*got {k}"):
        specific_rows(3, k, "canonical")


def test_entry_kinds():
    canonical, identity = entry_kinds(3, 1, "canonical"), entry_kinds(3, 1, "identity")
    assert canonical["L"].tolist() == [
        ["zero", "zero", "zero"],
        ["shared", "zero", "zero"],
        ["specific", "specific", "zero"],
    ]
    assert np.diagonal(canonical["S"]).tolist() == ["shared", "shared", "specific"]
    assert canonical["b"].ravel().tolist() == ["shared", "shared", "specific"]
    assert identity["L"][1].tolist() == ["zero", "zero", "zero"]
    assert np.diagonal(identity["S"]).tolist() == ["one", "one", "specific"]
    assert identity["b"].ravel().tolist() == ["zero", "zero", "specific"]
    dense = entry_kinds(3, 1, "dense")
    assert set(np.diagonal(dense["S"])) == {"specific"}
    for kinds in (canonical, identity, dense):
        assert (kinds["S"][~np.eye(3, dtype=bool)] == "zero").all()
        assert (kinds["L"][np.triu_indices(3)] == "zero").all()


@pytest.mark.parametrize("pattern", ["canonical", "identity"])
def test_entry_kinds_describe_the_shared_models(pattern):
    """An entry differs between two domains exactly where it is called specific."""
    m, k, rng = 4, 2, np.random.default_rng(0)
    base = LinearSCM.identity(m) if pattern == "identity" else random_scm(rng, "linear", m, 1.0)
    scms = share(base, [random_scm(rng, "linear", m, 1.0) for _ in range(3)], k, pattern)
    kinds, (a, b) = entry_kinds(m, k, pattern), scms[1:]
    differ = jnp.tril(a.weights, -1) != jnp.tril(b.weights, -1)
    assert (differ == (kinds["L"] == "specific")).all()
    assert ((a.scale != b.scale) == (np.diagonal(kinds["S"]) == "specific")).all()
