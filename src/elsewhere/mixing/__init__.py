"""Invertible mixings g: z → x, shared by all domains. Any FlowJAX bijection can be one."""

from elsewhere.mixing.coupling import neural_spline, real_nvp
from elsewhere.mixing.linear import leaky_linear, linear
from elsewhere.mixing.rotated import RotatedCouplings

__all__ = ["RotatedCouplings", "leaky_linear", "linear", "neural_spline", "real_nvp"]
