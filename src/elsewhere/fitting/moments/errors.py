"""How estimates of effects on many columns err together, and what is left of them for that."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from elsewhere.fitting.moments.common import Common, along_pattern, share_of
from elsewhere.fitting.moments.contrasts import Contrasts, contrasts
from elsewhere.fitting.moments.directions import NARROW, Directions, principal_directions
from elsewhere.fitting.moments.populations import shrink_along
from elsewhere.fitting.moments.shrinkage import MOST, Values, shrink_columns

LEAST_OWN = 0.02  # of a column's variance that no direction explains, at least
CHANNELS = 12  # columns, at least, of an instrument that may be off by one amount in all of them
FEW_ROWS = 5
NEGLIGIBLE = 1e-12  # the variance of the influences on a column that never varies within domains
Estimates = Float[np.ndarray, "D p"]
Pattern = Float[np.ndarray, " p"]
Moments = tuple[Values, Values]


@dataclass(frozen=True)
class Errors:
    """How estimates of all columns err together: along codes, and each column on its own.

    Attributes:
        compared: contrasts of the domains.
        codes: directions along which the rows' influences vary.
        along: the variance of the influences along each.
        own: their variance outside the codes, by column; None for a narrow table, which has none.
        few: whether all domains but one are tiny.
    """

    compared: Contrasts
    codes: Directions
    along: Float[np.ndarray, " r"]
    own: Float[np.ndarray, " p"] | None
    few: bool

    def parts(self, estimates: Estimates) -> list[tuple[Values, Values]]:
        """Contrasts with their sampling variances, along codes and for what they leave out."""
        b, V = self.compared.of(estimates), self.codes.basis
        found = [(b @ V, np.multiply.outer(self.compared.variances, self.along))]
        if self.own is not None:
            rest = b - (b @ V) @ V.T
            found.append((rest, np.multiply.outer(self.compared.variances, self.own)))
        return found

    def shrunken(
        self, estimates: Estimates, most: float = MOST, pattern: Pattern | None = None
    ) -> Moments:
        """Posterior means and variances of the contrasts, by column.

        Domains may differ along some directions or in some columns: of a narrow table, the answer
        is the mean of both.
        With a pattern, averaged over effects of no order and effects of that pattern plus others.
        """
        (b, v), *left = self.parts(estimates)
        plain = shrink_along(b, v, self.along, most, one_size=self.few)
        without = self._of_columns(plain.means, plain.variances, left, most)
        if self.own is None:
            without = mixed(0.5, without, self._of_each(estimates, most))
        if pattern is None or np.count_nonzero(pattern) < CHANNELS or not len(self.along):
            return without
        w: Pattern = pattern / np.sqrt((pattern**2).mean())
        along = w @ self.codes.basis
        common = along_pattern(b, v, self.along, along, most, one_size=self.few)
        return mixed(share_of(common, plain), self._with(common, w, left, most), without)

    def _of_each(self, estimates: Estimates, most: float) -> Moments:
        """Of effects that some columns have and others not, in whatever directions these vary."""
        alone, b = self._by_column, self.compared.of(estimates)
        varies = alone > NEGLIGIBLE * alone.max(initial=0.0)
        errors = np.multiply.outer(self.compared.variances, alone[varies])
        found = shrink_along(b[:, varies], errors, alone[varies], most)
        means, variances = np.zeros_like(b), np.zeros_like(b)
        means[:, varies], variances[:, varies] = found.means, found.variances
        return means, variances

    def _with(self, common: Common, pattern: Pattern, left: list[Moments], most: float) -> Moments:
        """Moments of c w + e, where c moves what e leaves of w.

        However little the codes tell of c, each column's own rows tell what it has of c w + e.
        """
        V, size = self.codes.basis, common.size[:, None]
        outside = pattern - (pattern @ V) @ V.T
        left = [(rest - size * outside, error) for rest, error in left]
        others = self._of_columns(common.others.means, common.others.variances, left, most)
        felt = common.felt @ V.T + outside
        unknown = others[1] + common.variance[:, None] * felt**2
        alone = np.multiply.outer(self.compared.variances, self._by_column)
        return size * pattern + others[0], np.minimum(unknown, np.maximum(others[1], alone))

    @property
    def _by_column(self) -> Float[np.ndarray, " p"]:
        """The variance of the influences on each column."""
        return self.codes.basis**2 @ self.along + (0.0 if self.own is None else self.own)

    def _of_columns(
        self, means: Values, variances: Values, left: list[Moments], most: float
    ) -> Moments:
        V = self.codes.basis
        means, variances = means @ V.T, variances @ (V**2).T
        for rest, error in left:
            more = shrink_columns(rest, error, most)
            means, variances = means + more[0], variances + more[1]
        return means, variances


def mixed(share: float, one: Moments, other: Moments) -> Moments:
    """Mean and variance of a draw from `one` with this probability, else from `other`."""
    mean = share * one[0] + (1 - share) * other[0]
    between = share * (1 - share) * (one[0] - other[0]) ** 2
    return mean, share * one[1] + (1 - share) * other[1] + between


def errors_of(
    influences: Float[np.ndarray, "N p"], counts: Float[np.ndarray, " D"], freedom: int
) -> Errors:
    """Every direction of a narrow table; of a wide one those that are more than noise."""
    compared, found = contrasts(counts), principal_directions(influences, freedom)
    tiny = all_but_one_tiny(counts)
    if influences.shape[1] <= NARROW:
        floor = 1e-12 * found.variances.max(initial=1e-300)
        return Errors(compared, found, np.maximum(found.variances, floor), None, tiny)
    codes = found.first(int((found.signal > 0).sum()))
    total = (influences**2).sum(axis=0) / freedom
    own = np.maximum(total - codes.basis**2 @ codes.signal, LEAST_OWN * total)
    return Errors(compared, codes, codes.signal + own.mean(), np.maximum(own, NEGLIGIBLE), tiny)


def all_but_one_tiny(counts: Float[np.ndarray, " D"]) -> bool:
    """Whether no second domain has FEW_ROWS rows."""
    return bool(np.sort(counts)[-2] < FEW_ROWS)
