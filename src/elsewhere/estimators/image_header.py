"""What the header of a model of images must hold, checked before anything is built from it."""

from collections.abc import Mapping
from dataclasses import fields as fields_of
from typing import Any, get_args

from elsewhere.estimators.labels import check_label
from elsewhere.images.autoencoder import Architecture
from elsewhere.images.fit_codes import FlowSettings, Variant
from elsewhere.saving import Reader
from elsewhere.saving.rules import (
    Optional,
    fields,
    like,
    listed,
    nullable,
    number,
    one_of,
    text,
    truth,
    unique,
    whole,
    wrong,
)

_SIZE = whole(1, 1_000_000_000)
_LATER = {"paired"}  # settings that older files do not name
_FLOW = {f.name: like(getattr(FlowSettings(), f.name)) for f in fields_of(FlowSettings)}
_SETTINGS = {
    "m": _SIZE,
    "k": _SIZE,
    "variant": one_of(*get_args(Variant)),
    "beta": number(0.0),
    "architecture": one_of(*get_args(Architecture)),
    "colours": Optional(whole(0, 4096)),
    "steps": _SIZE,
    "size": nullable(_SIZE),
    "detail": Optional(truth),
    "flow": nullable(fields({n: Optional(r) if n in _LATER else r for n, r in _FLOW.items()})),
    "random_state": nullable(whole(-(2**63), 2**63)),
}
_HEADER = fields(
    {
        "settings": fields(_SETTINGS, exact=True),
        "domains": listed(text, 2, 4096),
        "notes": Optional(listed(text)),
        "model": fields({"ImageILD": fields({})}, exact=True),
    }
)


def check_header(header: Mapping[str, Any], reader: Reader) -> None:
    """Raise ValueError where the header makes no estimator; no model is built."""
    _HEADER(header, "the header")
    domains, built = header["domains"], header["model"]["ImageILD"]
    unique(domains, "domains")
    for domain in domains:
        check_label(domain)
    reader.check(header["model"])
    if built["codes"]["num_domains"] != len(domains):
        raise wrong("domains", f"{built['codes']['num_domains']} names, one each", domains)
    for name in ("m", "architecture"):
        if header["settings"][name] != built["autoencoder"][name]:
            raise wrong(f"settings.{name}", "that of the model", header["settings"][name])
