"""Images of several domains: the paper's five data sets, your folders and your arrays."""

from elsewhere.datasets.pictures.arrays import image_data, split
from elsewhere.datasets.pictures.causal3dident import rendered_ident
from elsewhere.datasets.pictures.coloured import coloured_rotated_mnist
from elsewhere.datasets.pictures.folders import load_folder
from elsewhere.datasets.pictures.ident_release import load_ident
from elsewhere.datasets.pictures.image_data import ImageData, ImageSplits, as_bytes, as_floats
from elsewhere.datasets.pictures.mnist import load_mnist
from elsewhere.datasets.pictures.rotated import rotated_mnist
from elsewhere.datasets.pictures.shapes3d import rendered_shapes
from elsewhere.datasets.pictures.shapes3d_release import load_shapes

__all__ = [
    "ImageData",
    "ImageSplits",
    "as_bytes",
    "as_floats",
    "coloured_rotated_mnist",
    "image_data",
    "load_folder",
    "load_ident",
    "load_mnist",
    "load_shapes",
    "rendered_ident",
    "rendered_shapes",
    "rotated_mnist",
    "split",
]
