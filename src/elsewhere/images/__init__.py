"""Images: fast layers, classifiers, and how good image counterfactuals are."""

from elsewhere.images.classifiers import Classifier
from elsewhere.images.layers import DownConv, UpConv
from elsewhere.images.metrics import ImageModel, ImageScores, Judges, image_scores
from elsewhere.images.training import train_classifier

__all__ = [
    "Classifier",
    "DownConv",
    "ImageModel",
    "ImageScores",
    "Judges",
    "UpConv",
    "image_scores",
    "train_classifier",
]
