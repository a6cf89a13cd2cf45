"""Codecs of the models of tables: ILD, the pseudo-invertible model, and what they are made of."""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp
from flowjax.bijections import AbstractBijection, Chain, Identity, Invert

from elsewhere.bijections import Affine, LeakyReLU
from elsewhere.fitting.profile.whitening import Whitening
from elsewhere.fitting.pseudo.model import Coder, PseudoILD
from elsewhere.model import ILD
from elsewhere.saving.codec import Reader, Writer, register_codec
from elsewhere.saving.labels import from_json, to_json
from elsewhere.saving.weights import any_array, filled
from elsewhere.scm import AutoregressiveSCM, LinearSCM


def _ild(model: ILD, writer: Writer) -> dict[str, Any]:
    return {
        "mixing": writer.part(model.mixing),
        "scms": [writer.part(scm) for scm in model.scms],
        "domains": [to_json(d) for d in model.domains],
    }


def _ild_back(content: Mapping[str, Any], reader: Reader) -> ILD:
    scms = [reader.part(part) for part in content["scms"]]
    return ILD(reader.part(content["mixing"]), scms, [from_json(d) for d in content["domains"]])


def _pseudo(model: PseudoILD, writer: Writer) -> dict[str, Any]:
    encoder, white = model.coder.encoder, model.white
    return {
        "sizes": [encoder.in_size, model.coder.decoder.in_size, encoder.width_size],
        "coder": writer.keep([a for a in jax.tree.leaves(model.coder) if any_array(a)]),
        "scms": [writer.part(scm) for scm in model.scms],
        "white": writer.keep([white.centre, white.unit, white.matrix]),
        "domains": [to_json(d) for d in model.domains],
    }


def _pseudo_back(content: Mapping[str, Any], reader: Reader) -> PseudoILD:
    sizes = [int(n) for n in content["sizes"]]
    coder = filled(
        lambda: Coder(jax.random.key(0), *sizes), reader.taken(content["coder"]), any_array
    )
    scms = tuple(reader.part(part) for part in content["scms"])
    domains = tuple(from_json(d) for d in content["domains"])
    return PseudoILD(coder, scms, domains, Whitening(*reader.taken(content["white"])))


def _chain(chain: Chain, writer: Writer) -> list[Any]:
    return [writer.part(b) for b in chain.bijections]


def _nonlinear_back(places: Sequence[int], reader: Reader) -> AbstractBijection:
    leaves = reader.taken(places)
    m, hidden = leaves[1].shape
    return filled(lambda: AutoregressiveSCM(jax.random.key(0), m, hidden), leaves, any_array)


def _register_fields(cls: type, names: Sequence[str]) -> None:
    """A class that its arrays alone make."""
    register_codec(
        cls,
        cls.__name__,
        lambda value, writer: writer.keep([getattr(value, name) for name in names]),
        lambda places, reader: cls(*(jnp.asarray(a) for a in reader.taken(places))),
    )


register_codec(ILD, "ILD", _ild, _ild_back)
register_codec(PseudoILD, "PseudoILD", _pseudo, _pseudo_back)
register_codec(Chain, "Chain", _chain, lambda parts, reader: Chain([reader.part(p) for p in parts]))
register_codec(
    Invert,
    "Invert",
    lambda value, writer: writer.part(value.bijection),
    lambda part, reader: Invert(reader.part(part)),
)
register_codec(
    Identity,
    "Identity",
    lambda value, writer: value.shape[0],
    lambda m, reader: Identity((int(m),)),
)
register_codec(
    LeakyReLU,
    "LeakyReLU",
    lambda value, writer: [value.shape[0], value.slope],
    lambda content, reader: LeakyReLU((int(content[0]),), slope=float(content[1])),
)
register_codec(
    AutoregressiveSCM,
    "AutoregressiveSCM",
    lambda value, writer: writer.keep(
        [value.inner, value.inner_bias, value.outer, value.outer_bias]
    ),
    _nonlinear_back,
)
_register_fields(Affine, ("matrix", "offset"))
_register_fields(LinearSCM, ("weights", "scale", "bias"))
