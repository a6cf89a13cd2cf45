"""Codecs of the models of tables: ILD, the pseudo-invertible model, and what they are made of."""

from collections.abc import Mapping, Sequence
from typing import Any

import jax
from flowjax.bijections import AbstractBijection, Chain, Identity, Invert

from elsewhere.bijections import LeakyReLU
from elsewhere.fitting.profile.whitening import Whitening
from elsewhere.fitting.pseudo.model import Coder, PseudoILD
from elsewhere.model import ILD
from elsewhere.saving.codec import Reader, Writer, register_codec
from elsewhere.saving.labels import domains_from_json, to_json
from elsewhere.saving.leaky_linear import CHECKS, SIZE, check_matrix, one_width
from elsewhere.saving.rules import fields, listed
from elsewhere.saving.shapes import Axes, check_arrays
from elsewhere.saving.weights import any_array, check_filled, filled
from elsewhere.scm import AutoregressiveSCM

_PSEUDO = fields({"sizes": listed(SIZE, 3, 3), "scms": listed(lambda *_: None, 1)})
_WHITE = {"centre": Axes("p"), "unit": Axes("p", 1e-30), "matrix": Axes("p p")}
_NONLINEAR = {
    "inner": Axes("m h m"),
    "inner_bias": Axes("m h"),
    "outer": Axes("m four h"),
    "outer_bias": Axes("m four"),
}


def _ild(model: ILD, writer: Writer) -> dict[str, Any]:
    return {
        "mixing": writer.part(model.mixing),
        "scms": [writer.part(scm) for scm in model.scms],
        "domains": [to_json(d) for d in model.domains],
    }


def _ild_back(content: Mapping[str, Any], reader: Reader) -> ILD:
    scms = [reader.part(part) for part in content["scms"]]
    return ILD(reader.part(content["mixing"]), scms, domains_from_json(content["domains"]))


def _pseudo(model: PseudoILD, writer: Writer) -> dict[str, Any]:
    encoder, white = model.coder.encoder, model.white
    return {
        "sizes": [encoder.in_size, model.coder.decoder.in_size, encoder.width_size],
        "coder": writer.keep([a for a in jax.tree.leaves(model.coder) if any_array(a)]),
        "scms": [writer.part(scm) for scm in model.scms],
        "white": writer.keep([white.centre, white.unit, white.matrix]),
        "domains": [to_json(d) for d in model.domains],
    }


def _check_pseudo(content: Any, reader: Reader) -> int:
    _PSEUDO(content, "PseudoILD")
    columns, latent, _ = content["sizes"]
    check_filled(_coder, content["sizes"], reader.taken_once(content.get("coder")), any_array)
    white = reader.taken_once(content.get("white"))
    check_arrays(white, _WHITE, {"p": columns})
    check_matrix(white[2])
    domains = domains_from_json(content.get("domains"))
    if len(domains) != len(content["scms"]) or one_width(content["scms"], reader) != latent:
        raise ValueError(f"scms must be one per domain, of {latent} latents each.")
    if any([*scm] != ["LinearSCM"] for scm in content["scms"]):
        raise ValueError("scms of a PseudoILD must be linear.")
    return columns


def _pseudo_back(content: Mapping[str, Any], reader: Reader) -> PseudoILD:
    coder = filled(_coder, content["sizes"], reader.taken(content["coder"]), any_array)
    scms = tuple(reader.part(part) for part in content["scms"])
    domains = domains_from_json(content["domains"])
    return PseudoILD(coder, scms, domains, Whitening(*reader.taken(content["white"])))


def _coder(columns: int, latent: int, width: int) -> Coder:
    return Coder(jax.random.key(0), columns, latent, width)


def _check_nonlinear(places: Any, reader: Reader) -> int:
    return check_arrays(reader.taken_once(places), _NONLINEAR, {"four": 4})["m"]


def _nonlinear_back(places: Sequence[int], reader: Reader) -> AbstractBijection:
    leaves = reader.taken(places)
    return filled(_nonlinear, leaves[0].shape[:2], leaves, any_array)


def _nonlinear(m: int, hidden: int) -> AutoregressiveSCM:
    return AutoregressiveSCM(jax.random.key(0), m, hidden)


register_codec(ILD, "ILD", _ild, _ild_back, CHECKS["ILD"])
register_codec(PseudoILD, "PseudoILD", _pseudo, _pseudo_back, _check_pseudo)
register_codec(
    Chain,
    "Chain",
    lambda chain, writer: [writer.part(b) for b in chain.bijections],
    lambda parts, reader: Chain([reader.part(p) for p in parts]),
    CHECKS["Chain"],
)
register_codec(
    Invert,
    "Invert",
    lambda value, writer: writer.part(value.bijection),
    lambda part, reader: Invert(reader.part(part)),
    CHECKS["Invert"],
)
register_codec(
    Identity,
    "Identity",
    lambda value, writer: value.shape[0],
    lambda m, reader: Identity((m,)),
    CHECKS["Identity"],
)
register_codec(
    LeakyReLU,
    "LeakyReLU",
    lambda value, writer: [value.shape[0], value.slope],
    lambda content, reader: LeakyReLU((content[0],), slope=float(content[1])),
    CHECKS["LeakyReLU"],
)
register_codec(
    AutoregressiveSCM,
    "AutoregressiveSCM",
    lambda value, writer: writer.keep(
        [value.inner, value.inner_bias, value.outer, value.outer_bias]
    ),
    _nonlinear_back,
    _check_nonlinear,
)
