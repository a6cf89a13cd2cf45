"""The pseudo-invertible ILD: x ≈ decode(g(f_d(ε))), and the image had it come from elsewhere."""

import equinox as eqx
import numpy as np
from jaxtyping import Float, Shaped

from elsewhere.images.autoencoder import Autoencoder
from elsewhere.images.code_models import CodeModel


class ImageILD(eqx.Module):
    """One autoencoder for all domains, and a model that moves its codes between them."""

    autoencoder: Autoencoder
    codes: CodeModel

    def counterfactual(
        self, images: Shaped[np.ndarray, "n h w c"], source: int, target: int
    ) -> Float[np.ndarray, "n h w c"]:
        """x̂_{d→d'} = decode(z_{d→d'}), z as the autoencoder reads it off x; floats in 0..1."""
        z = self.autoencoder.read(images)
        return self.autoencoder.decode(self.codes.move(z, d=source, d_prime=target))

    def reconstruct(self, images: Shaped[np.ndarray, "n h w c"]) -> Float[np.ndarray, "n h w c"]:
        """decode(z): what is left of images, whatever their domain."""
        return self.autoencoder.decode(self.autoencoder.read(images))
