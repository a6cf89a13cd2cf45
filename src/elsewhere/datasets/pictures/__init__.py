"""Images of several domains: the paper's five data sets, your folders and your arrays."""

from typing import TYPE_CHECKING

# not on first use: the module image_data would hide the function of that name
from elsewhere.datasets.pictures.arrays import image_data, split
from elsewhere.lazy import lazily

if TYPE_CHECKING:
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

__getattr__ = lazily(
    __name__,
    {
        "ImageData": "image_data",
        "ImageSplits": "image_data",
        "as_bytes": "image_data",
        "as_floats": "image_data",
        "coloured_rotated_mnist": "coloured",
        "load_folder": "folders",
        "load_ident": "ident_release",
        "load_mnist": "mnist",
        "load_shapes": "shapes3d_release",
        "rendered_ident": "causal3dident",
        "rendered_shapes": "shapes3d",
        "rotated_mnist": "rotated",
    },
)
