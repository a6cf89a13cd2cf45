"""The arrays of a fitted model, and which of its mechanisms the domains share."""

import numpy as np
from jaxtyping import Int

from elsewhere.fitting.engine import FitError, Mover
from elsewhere.fitting.kinds import OWN, OWN_BUT_SCALE, SHARED
from elsewhere.fitting.profile.moments import Mechanisms
from elsewhere.model import ILD
from elsewhere.scm import LinearSCM


def ild_of(model: Mover) -> ILD:
    """The model, if it is an ILD, whose mixing and mechanisms can be read."""
    if isinstance(model, ILD):
        return model
    raise FitError(
        f"this needs a model with mixing and mechanisms (ILD); got a {type(model).__name__}. Fit "
        "with engine 'linear' or 'leaky'."
    )


def linear_mechanisms(model: ILD) -> Mechanisms | None:
    """L_d, s_d and c_d of every domain; None where some mechanism is not linear."""
    scms = [f for f in model.scms if isinstance(f, LinearSCM)]
    if len(scms) < model.num_domains:
        return None
    weights, scales, biases = (
        np.stack([np.asarray(getattr(f, part), float) for f in scms])
        for part in ("weights", "scale", "bias")
    )
    return Mechanisms(np.tril(weights, -1), scales, biases)


def kinds_of_mechanisms(mechanisms: Mechanisms) -> Int[np.ndarray, " m"]:
    """SHARED where all domains have the same row; OWN_BUT_SCALE where only the scale is one."""
    scale = _varies(mechanisms.scales)
    rest = _varies(mechanisms.weights).any(axis=-1) | _varies(mechanisms.biases)
    return np.where(scale, OWN, np.where(rest, OWN_BUT_SCALE, SHARED))


def _varies(values: np.ndarray) -> np.ndarray:
    return (values != values[:1]).any(axis=0)
