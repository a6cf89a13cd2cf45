"""The pseudo-invertible ILD: x ≈ decode(g(f_d(ε))), and the image had it come from elsewhere."""

import equinox as eqx
import numpy as np
from jaxtyping import Float, Shaped

from elsewhere.datasets.pictures.image_data import as_floats
from elsewhere.images.autoencoder import Autoencoder
from elsewhere.images.code_models import CodeModel


class ImageILD(eqx.Module):
    """One autoencoder for all domains, and a model that moves its codes between them.

    Attributes:
        autoencoder: reads and draws images.
        codes: moves codes.
        detail: the share of x − decode(z) that an answer keeps, from every domain to every other;
            None where it keeps nothing that the decoder did not draw.
    """

    autoencoder: Autoencoder
    codes: CodeModel
    detail: Float[np.ndarray, "D D"] | None = None

    def counterfactual(
        self, images: Shaped[np.ndarray, "n h w c"], source: int, target: int
    ) -> Float[np.ndarray, "n h w c"]:
        """x̂_{d→d'} = decode(z_{d→d'}) + detail_{dd'} (x − decode(z)), cut to 0..1.

        z is as the autoencoder reads it off x.
        """
        z = self.autoencoder.read(images)
        answer = self.autoencoder.decode(self.codes.move(z, d=source, d_prime=target))
        share = 0.0 if self.detail is None else float(self.detail[source, target])
        if not share:
            return answer
        missing = as_floats(images) - self.autoencoder.decode(z)
        return np.clip(answer + np.float32(share) * missing, 0, 1)

    def reconstruct(self, images: Shaped[np.ndarray, "n h w c"]) -> Float[np.ndarray, "n h w c"]:
        """decode(z): what is left of images, whatever their domain."""
        return self.autoencoder.decode(self.autoencoder.read(images))
