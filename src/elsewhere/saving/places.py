"""Which classes may stand where in a file: bijections within a model, models within a result."""

BIJECTIONS = frozenset(
    {
        "AdditiveSCM",
        "Affine",
        "AutoregressiveSCM",
        "Chain",
        "Couplings",
        "Identity",
        "Invert",
        "LeakyReLU",
        "LinearSCM",
    }
)
TABLE_MODELS = frozenset({"AffineMap", "CorrectedMap", "ILD", "PseudoILD"})
BESIDE = {"covariates": "Covariates", "gaps": "GapModel"}  # a table's model, by entry of the header
_OF_IMAGES = {"Autoencoder", "ImageILD", "OwnMixings", "SharedMixing"}
OURS = BIJECTIONS | TABLE_MODELS | {*BESIDE.values()} | _OF_IMAGES
