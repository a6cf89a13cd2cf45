"""The bijections that FlowJAX lacks, and how to compose any of them."""

from elsewhere.bijections.affine import Affine, as_affine
from elsewhere.bijections.apply import jacobians, pull, pull_and_log_det, push
from elsewhere.bijections.compose import compose, inverse
from elsewhere.bijections.leaky_relu import LeakyReLU

__all__ = [
    "Affine",
    "LeakyReLU",
    "as_affine",
    "compose",
    "inverse",
    "jacobians",
    "pull",
    "pull_and_log_det",
    "push",
]
