"""Changes of the covariance beyond offsets and scales: symmetric maps of few codes."""

from collections.abc import Callable, Sequence

import numpy as np
from jaxtyping import Bool, Float, Int

from elsewhere.fitting.moments.contrasts import NO_ROWS, contrasts
from elsewhere.fitting.moments.directions import Directions
from elsewhere.fitting.moments.effects import Effects, judged
from elsewhere.fitting.moments.parts import Parts, parts_of, sizes_of, together
from elsewhere.fitting.moments.permutation import p_values
from elsewhere.fitting.moments.shrinkage import Values, blocks, shrink

SMALLEST_STRETCH = 1e-3
SMALLEST_SHARE = 1e-9  # of the largest variance of a code
FLOOR = 1e-3  # of the product of two variances: the least variance of their codes' products
Matrix = Float[np.ndarray, "r r"]


def shrunken_turns(
    rows: Sequence[Float[np.ndarray, "_ p"]],
    codes: Directions,
    counts: Float[np.ndarray, " D"] | None = None,
    p: float | None = None,
) -> Effects:
    """G_d with A_d = exp G_d symmetric and A_d Λ A_d = Cov_d(codes), shrunken towards 0.

    Of all linear maps between two normals with these covariances, the symmetric one changes the
    rows least in the units of the columns. Along codes a and b, G errs with the variance of
    c_a c_b/(λ_a + λ_b) over the rows; a domain with fewer rows than codes keeps G = 0.

    Args:
        rows: of each domain, about their mean.
        codes: the directions.
        counts: how many rows each domain has, where these are a sample of them.
        p: the probability of covariances that differ as much by chance, where it is known.
    """
    lam, coded = codes.variances, parts_of(lambda table: table @ codes.basis, rows)
    freedom = max(sum(coded.sizes) - len(coded), 1)
    free = np.array(coded.sizes) - 1.0
    enough = _enough(coded, len(lam))
    covariances = [c.T @ c / max(n, 1.0) for c, n in zip(coded, free, strict=True)]
    logs = np.stack(
        [
            log_least_change(lam, S, n) if known else np.zeros_like(S)
            for S, n, known in zip(covariances, free, enough, strict=True)
        ]
    )
    products = sum((c**2).T @ c**2 - len(c) * S**2 for c, S in zip(coded, covariances, strict=True))
    errors = (
        np.maximum(products / freedom, FLOOR * np.outer(lam, lam)) / np.add.outer(lam, lam) ** 2
    )
    compared = contrasts(np.where(enough, free if counts is None else counts - 1, NO_ROWS))
    p = turns_by_chance(coded) if p is None else p
    means, variances = _shrunken(compared.of(logs), errors, compared.variances)
    comparable = enough.sum() > 1  # where there is none to compare, no turn is assumed
    return judged(compared, means, variances if comparable else 0 * variances, p)


def _enough(rows: Sequence[Float[np.ndarray, "_ q"]], codes: int) -> Bool[np.ndarray, " D"]:
    """Which domains have more rows than codes, so that their covariance is known."""
    return np.array(sizes_of(rows)) - 1 > codes + 1


def turns_by_chance(
    every: Sequence[Float[np.ndarray, "_ r"]], strata: Int[np.ndarray, " N"] | None = None
) -> float:
    """The first of `of_turns`; 1 where there are no covariances to compare."""
    return float(of_turns(every, strata)[0])


def of_turns(
    every: Sequence[Float[np.ndarray, "_ r"]], strata: Int[np.ndarray, " N"] | None = None
) -> Float[np.ndarray, " t"]:
    """The p-values of differences between the domains' covariances of codes, or one of 1.

    Each exchange has means, pooled covariance and directions of its own, as the observed domains
    have theirs. A domain with fewer rows than codes is left out: it keeps G = 0, whatever its rows.
    With strata, rows change places within these.
    """
    r = every[0].shape[1]
    enough = _enough(every, r)
    known = np.flatnonzero(enough).tolist()
    if strata is not None:
        strata = strata[np.repeat(enough, sizes_of(every))]
    if len(known) < 2 or not r:
        return np.ones(1)
    i, j = np.tril_indices(r)
    counts = np.array(sizes_of(every), float)[known]
    compared = contrasts(counts - 1)

    def statistic(means: Float[np.ndarray, "t D q"]) -> Float[np.ndarray, " t"]:
        S = _covariances(means[..., :-r], means[..., -r:], counts)
        pooled = np.einsum("tdab,d->tab", S, (counts - 1) / (counts - 1).sum())
        lam, V = np.linalg.eigh(pooled)
        root = V / np.sqrt(np.maximum(lam, SMALLEST_SHARE * lam[:, -1:]))[:, None, :]
        apart = np.einsum("cd,tdab->tcab", compared.weights, S)
        found = np.swapaxes(root, 1, 2)[:, None] @ apart @ root[:, None]
        found = found[..., i, j] ** 2 / compared.variances[:, None]
        return np.log1p(found).sum(axis=(1, 2))

    def products_and_codes(groups: Float[np.ndarray, "G s r"]) -> Float[np.ndarray, "G q"]:
        products = np.swapaxes(groups, 1, 2) @ groups
        return np.concatenate([products[:, i, j], groups.sum(axis=1)], axis=1)

    coded = Parts(lambda d: every[known[d]], tuple(counts.astype(int).tolist()))
    return p_values(together(coded), counts, statistic, products_and_codes, strata)


def _covariances(
    products: Float[np.ndarray, "t D q"],
    centre: Float[np.ndarray, "t D r"],
    counts: Float[np.ndarray, " D"],
) -> Float[np.ndarray, "t D r r"]:
    """Cov_d of the codes, from the mean products of the lower triangle and the mean codes."""
    r = centre.shape[-1]
    i, j = np.tril_indices(r)
    full = np.empty((*products.shape[:2], r, r))
    full[..., i, j] = full[..., j, i] = products
    return (counts / (counts - 1))[:, None, None] * (
        full - centre[..., :, None] * centre[..., None, :]
    )


def log_least_change(
    variances: Float[np.ndarray, " r"], covariance: Matrix, freedom: float
) -> Matrix:
    """log A with A Λ A = S, A symmetric; with few rows S is drawn towards Λ first."""
    r = len(variances)
    drawn = 0.0 if freedom > 3 * r else r / (freedom + r)
    S = (1 - drawn) * covariance + drawn * np.diag(variances)
    root = np.sqrt(variances)
    A = _of_eigenvalues(root[:, None] * S * root, _root) / np.outer(root, root)
    return _of_eigenvalues(A, lambda w: np.log(np.maximum(w, SMALLEST_STRETCH)))


def _root(values: np.ndarray) -> np.ndarray:
    return np.sqrt(np.maximum(values, 0.0))


def exponential(G: Matrix) -> Matrix:
    """exp G of a symmetric matrix."""
    return _of_eigenvalues(G, np.exp)


def _of_eigenvalues(matrix: Matrix, function: Callable[[np.ndarray], np.ndarray]) -> Matrix:
    values, vectors = np.linalg.eigh((matrix + matrix.T) / 2)
    return (vectors * function(values)) @ vectors.T


def _shrunken(
    b: Float[np.ndarray, "a r r"], errors: Matrix, variances: Float[np.ndarray, " a"]
) -> tuple[Values, Values]:
    """Posterior means and variances of the contrasts."""
    places = _places(len(errors))
    found = shrink(
        [b[:, i, j] for i, j in places],
        [np.multiply.outer(variances, errors[i, j]) for i, j in places],
        least=1e-6,
        most=1.0,
    )
    means, spread = np.zeros_like(b), np.zeros_like(b)
    for (i, j), m, v in zip(places, found.means, found.variances, strict=True):
        means[:, i, j] = means[:, j, i] = m
        spread[:, i, j] = spread[:, j, i] = v
    return means, spread


def _places(r: int) -> list[tuple[np.ndarray, np.ndarray]]:
    """The lower triangle in blocks of codes of like variance."""
    cut, places = blocks(r), []
    for n, a in enumerate(cut):
        for b in cut[: n + 1]:
            i, j = np.mgrid[a, b]
            places.append((i[i >= j], j[i >= j]))
    return places
