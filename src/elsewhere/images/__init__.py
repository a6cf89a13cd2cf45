"""Images: autoencoder and flow, classifiers, and how good image counterfactuals are."""

from elsewhere.images.autoencoder import Autoencoder, ImageCodes
from elsewhere.images.classifiers import Classifier
from elsewhere.images.elbo import train_autoencoder
from elsewhere.images.fit_codes import FlowSettings
from elsewhere.images.image_ild import ImageILD
from elsewhere.images.layers import DownConv, UpConv
from elsewhere.images.metrics import ImageModel, ImageScores, Judges, image_scores
from elsewhere.images.training import train_classifier

__all__ = [
    "Autoencoder",
    "Classifier",
    "ImageCodes",
    "DownConv",
    "FlowSettings",
    "ImageILD",
    "ImageModel",
    "ImageScores",
    "Judges",
    "UpConv",
    "image_scores",
    "train_autoencoder",
    "train_classifier",
]
