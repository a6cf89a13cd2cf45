"""Latent causal models f_d: ε → z, one invertible autoregressive map per domain."""

from elsewhere.scm.additive import AdditiveSCM
from elsewhere.scm.autoregressive import AutoregressiveSCM
from elsewhere.scm.linear import LinearSCM
from elsewhere.scm.mechanisms import Mechanism, MechanismSCM, mechanisms_of, monotone_inverse
from elsewhere.scm.rosenblatt import from_conditional_cdfs
from elsewhere.scm.sharing import Pattern, entry_kinds, share, specific_rows, tie
from elsewhere.scm.tail import TailSCM

__all__ = [
    "AdditiveSCM",
    "AutoregressiveSCM",
    "LinearSCM",
    "Mechanism",
    "MechanismSCM",
    "Pattern",
    "TailSCM",
    "entry_kinds",
    "from_conditional_cdfs",
    "mechanisms_of",
    "monotone_inverse",
    "share",
    "specific_rows",
    "tie",
]
