"""The paper's definitions and theorems, as functions that compute or check."""

from elsewhere.theory.bound import (
    ErrorBound,
    LipschitzTerm,
    error_bound,
    largest_latent_difference,
    lipschitz_term,
)
from elsewhere.theory.canonical import (
    CanonicalForm,
    canonical_form,
    identity_canonical_form,
    swap,
)
from elsewhere.theory.characterisation import (
    Characterisation,
    equivalent_model,
    is_autoregressive,
    recover_transforms,
)
from elsewhere.theory.distance import Distance, counterfactual_distance
from elsewhere.theory.equivalence import counterfactually_equivalent, distributionally_equivalent
from elsewhere.theory.intervention import InterventionSet, intervention_set
from elsewhere.theory.lipschitz import lipschitz_constant
from elsewhere.theory.members import equivalent_members
from elsewhere.theory.smallest import SmallestForm, smallest_form
from elsewhere.theory.standard import standard_form
from elsewhere.theory.verdict import Verdict

__all__ = [
    "CanonicalForm",
    "Characterisation",
    "Distance",
    "ErrorBound",
    "InterventionSet",
    "LipschitzTerm",
    "SmallestForm",
    "Verdict",
    "canonical_form",
    "counterfactual_distance",
    "counterfactually_equivalent",
    "distributionally_equivalent",
    "equivalent_members",
    "equivalent_model",
    "error_bound",
    "identity_canonical_form",
    "intervention_set",
    "is_autoregressive",
    "largest_latent_difference",
    "lipschitz_constant",
    "lipschitz_term",
    "recover_transforms",
    "smallest_form",
    "standard_form",
    "swap",
]
