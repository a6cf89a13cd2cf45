"""What methods are called where people read."""

NAMES = {
    "identity": "nothing: rows as they are",
    "mean_shift": "shift to the mean",
    "mean_variance": "mean and variance",
    "quantile": "quantile by quantile",
    "gaussian_ot": "Gaussian transport",
    "entropic_ot": "optimal transport",
    "combat": "ComBat",
}


def in_words(method: str) -> str:
    """The method's name in words; one that somebody registered keeps its own."""
    return NAMES.get(method, method)
