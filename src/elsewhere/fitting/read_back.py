"""The mechanisms of a fitted model as arrays."""

import numpy as np

from elsewhere.fitting.mechanisms import Mechanisms
from elsewhere.fitting.split import FitError
from elsewhere.model import ILD
from elsewhere.movers import Mover
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
