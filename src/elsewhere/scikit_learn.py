"""Whether scikit-learn is loaded with the first estimator, or only where something asks for it."""

_later: list[bool] = [False]


def load_later() -> None:
    """For a process that hands no estimator to scikit-learn, such as a command.

    It takes longer to load than JAX, and a fit needs none of it.
    """
    _later[0] = True


def is_for_later() -> bool:
    """Whether estimators do without it until something asks for it."""
    return _later[0]
