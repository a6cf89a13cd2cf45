"""What was found between domains, in plain words."""

import numpy as np
from jaxtyping import Bool

from elsewhere.fitting.moments.affine_map import AffineMap
from elsewhere.fitting.moments.effects import LEVEL_OF_DIFFERENT, Effects
from elsewhere.fitting.moments.permutation import LEVEL, TIMES
from elsewhere.fitting.result import Explanation

NOTICEABLE = 0.05  # deviations, or of a scale: a smaller effect is not counted
SUSPECTED = 0.05
CERTAIN = 2.0  # posterior deviations
LEVELS = {"offsets": SUSPECTED, "scales": LEVEL_OF_DIFFERENT, "turns": LEVEL}


def explanations(model: AffineMap) -> tuple[Explanation, ...]:
    """Nothing, offsets, scales and turns, each with evidence."""
    effects = {"offsets": model.offsets, "scales": model.scales, "turns": model.turns}
    any_supported = any(effect.supported for effect in effects.values())
    nothing = "no difference between domains is more than chance brings"
    first = Explanation("nothing", nothing if not any_supported else "ruled out", not any_supported)
    return (
        first,
        *(Explanation(n, _words(n, e, model), certain(n, e)) for n, e in effects.items()),
    )


def described(model: AffineMap) -> str:
    """The differences that the answer uses, in one line."""
    used = [one.words for one in explanations(model) if one.used]
    if not moves(model):
        return used[0]
    return "domains differ by " + ("; ".join(used) or "effects of which no kind is certain")


def certain(name: str, effect: Effects) -> bool:
    """Whether chance does not explain these effects, whatever the others are."""
    return effect.supported and effect.p_value <= LEVELS[name]


def moves(model: AffineMap) -> bool:
    """Whether any difference was found."""
    return any(effect.supported for effect in (model.offsets, model.scales, model.turns))


def notes_of(model: AffineMap) -> tuple[str, ...]:
    """That there is nothing to harmonise, what is only suspected, and what is an assumption."""
    notes = []
    if not moves(model):
        notes.append(
            "there is nothing to harmonise: the domains do not differ by more than chance would "
            "bring, and no row is moved."
        )
    effects = {"offsets": model.offsets, "scales": model.scales}
    if doubtful := [n for n, e in effects.items() if not e.supported and e.p_value <= SUSPECTED]:
        notes.append(
            f"a difference in {' and '.join(doubtful)} is suspected but not certain enough to be "
            f"removed (chance brings as much in 1 of {1 / SUSPECTED:.0f} tables or less): more "
            "rows would tell."
        )
    if model.carried < 1:
        notes.append(
            f"wide table: {len(model.reliability)} codes are told from noise. Of what they leave "
            f"out, a share of {model.carried:g} is taken to belong to the sample and the rest to "
            "the measurement, which no unpaired row can tell: calibrate with pairs."
        )
    return tuple(notes)


def _words(name: str, effect: Effects, model: AffineMap) -> str:
    if not effect.supported:
        return f"not supported (p = {effect.p_value:.2g})"
    if not certain(name, effect):
        return f"not certain (p = {effect.p_value:.2g}): drawn close to none"
    bound = f"p < {1.5 / (TIMES + 1):.2g}" if effect.p_value < 1.5 / TIMES else ""
    p = bound or f"p = {effect.p_value:.2g}"
    if name == "turns":
        return f"a change of how the columns vary together ({p})"
    count = int(noticeable(effect).sum())
    if not count:
        return f"{name} that are small in every column ({p})"
    what = "an offset" if name == "offsets" else "a scale"
    return f"{what} in {count} of {len(model.unit)} columns ({p})"


def noticeable(effect: Effects) -> Bool[np.ndarray, " p"]:
    """Columns with an effect that is large enough to count, and by CERTAIN errors no accident."""
    b = np.linalg.pinv(effect.weights.T) @ effect.means
    along = np.abs(b) > CERTAIN * np.sqrt(effect.variances)
    return along.any(axis=0) & (np.ptp(effect.means, axis=0) > NOTICEABLE)
