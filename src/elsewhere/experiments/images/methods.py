"""The models that an image experiment compares, and how each is fitted, kept and judged."""

import itertools
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import jax

from elsewhere.draws import generator
from elsewhere.experiments.images.pairs import drawn_pairs
from elsewhere.experiments.images.settings import JUDGED, ImageSetting
from elsewhere.experiments.images.store import RunStore, judged
from elsewhere.experiments.rows import RowKey
from elsewhere.images.classifiers import NetworkName
from elsewhere.images.code_models import CodeModel
from elsewhere.images.detail import detail_shares
from elsewhere.images.fit_codes import FlowSettings, fit_codes, likelihood_alone
from elsewhere.images.image_ild import ImageILD
from elsewhere.images.metrics import ImageModel, Judges, image_scores
from elsewhere.images.paired_codes import PairedCodes, paired_codes
from elsewhere.images.paper_recipe import train_paper_recipe
from elsewhere.saving import read_model, reading, write_model
from elsewhere.saving.images import code_model_back, code_model_parts

NAMES = {
    "can": "ILD-Can",
    "can_detail": "ILD-Can with detail",
    "likelihood": "ILD-Can by likelihood alone",
    "identity": "ILD-Identity-Can",
    "dense": "ILD-Dense",
    "independent": "ILD-Independent",
    "recipe_can": "ILD-Can, the paper's recipe",
    "recipe_dense": "ILD-Dense, the paper's recipe",
    "recipe_independent": "ILD-Independent, the paper's recipe",
}
OURS = ("can", "identity", "dense", "independent")
CURVED = ("can", "likelihood")  # those that are fitted with several k
PAIRED = ("can", "dense")  # those that are fitted with pairs, too
PAPER_K = 5
_RECIPE, _DETAIL = "recipe_", "_detail"


@dataclass(frozen=True)
class ImageMethod:
    """One of `NAMES`, how many mechanisms differ between domains, and how many pairs it has."""

    name: str
    k: int
    pairs: int = 0

    @property
    def label(self) -> str:
        """As it is called in tables."""
        chosen = self.name in (*CURVED, "can_detail", "recipe_can")
        label = f"{NAMES[self.name]}, k = {self.k}" if chosen else NAMES[self.name]
        return f"{label}, {self.pairs} pairs" if self.pairs else label

    @property
    def slug(self) -> str:
        """As its files and rows are called."""
        plain = f"{self.name}-k{self.k}"
        return f"{plain}-p{self.pairs}" if self.pairs else plain

    @property
    def fitted(self) -> str:
        """The name of the fit behind it: detail is added to one."""
        return self.name.removesuffix(_DETAIL)

    @property
    def sparse(self) -> bool:
        """Whether k is a choice, not m."""
        return not self.name.endswith(("dense", "independent"))


@dataclass(frozen=True)
class ImagePlan:
    """What to run: seeds, more k of Can (None is m), the recipe too or not, which judges.

    `jobs` models are fitted at once. `only` names the models wanted, of `NAMES`; () is `OURS`, and
    the recipe's if `recipe`. `pairs` are numbers of images seen in two domains, drawn from those
    for validation, with which the models of `PAIRED` are fitted beside.
    """

    seeds: Sequence[int] = (0, 1, 2)
    ks: tuple[int | None, ...] = ()
    recipe: bool = False
    network: NetworkName = "small"
    jobs: int = 1
    only: tuple[str, ...] = ()
    pairs: tuple[int, ...] = ()

    def __post_init__(self) -> None:
        if unknown := [name for name in self.only if name not in NAMES]:
            raise ValueError(f"models must be of {', '.join(NAMES)}; got {unknown[0]!r}.")

    def methods(self, setting: ImageSetting) -> list[ImageMethod]:
        """The models of one data set, in the order of its table."""
        ks = {setting.k, *(setting.m if k is None else k for k in self.ks)}
        if outside := [k for k in ks if not 1 <= k <= setting.m]:
            raise ValueError(
                f"k must be in 1..{setting.m}, the dimension of its codes; got {outside[0]}."
            )
        wanted = self.only or (*OURS, *(n for n in NAMES if self.recipe and is_recipe(n)))
        return [
            ImageMethod(name, k, pairs)
            for name in NAMES
            if name in wanted
            for k in (sorted(ks) if name in CURVED else [_usual_k(name, setting)])
            for pairs in self._pairs(name, k == _usual_k(name, setting))
        ]

    def _pairs(self, name: str, usual: bool) -> list[int]:
        return sorted({0, *self.pairs}) if usual and name in PAIRED else [0]

    def runs(self, setting: ImageSetting) -> Iterator[tuple[ImageMethod, int]]:
        """Every model of every seed."""
        return itertools.product(self.methods(setting), self.seeds)


def is_recipe(name: str) -> bool:
    """Whether a model is fitted by the paper's recipe, from images and not from codes."""
    return name.startswith(_RECIPE)


def _usual_k(name: str, setting: ImageSetting) -> int:
    if name.endswith(("dense", "independent")):
        return setting.m
    return min(PAPER_K, setting.m) if is_recipe(name) else setting.k


def row_key(store: RunStore, method: ImageMethod, seed: int, network: NetworkName) -> RowKey:
    """All that the scores of a model depend on."""
    judges = network, store.setting.judge_steps, JUDGED
    return store.key(method.slug, seed, *_made_from(store, method), *judges, store.setting.draw)


def run_method(
    store: RunStore, method: ImageMethod, seed: int, judges: Judges, network: NetworkName
) -> dict[str, Any]:
    """Fit, judge, and write the row: whole, or not at all."""
    start = time.perf_counter()
    model = model_of(store, method, seed)
    fitted = time.perf_counter()
    scores = image_scores(model, judged(store.data.test, JUDGED), judges)
    row = {"method": method.name, "label": method.label, "k": method.k, "seed": seed}
    row |= {"pairs": method.pairs}
    row |= scores.to_dict() | {"seconds": round(fitted - start, 1)}
    return store.kept.put(row_key(store, method, seed, network), row)


def model_of(store: RunStore, method: ImageMethod, seed: int) -> ImageModel:
    """The model, fitted or as it was kept; the paper's recipe is not kept."""
    key = jax.random.key(100 + seed)
    if is_recipe(method.name):
        return _recipe(store, method, key)
    codes, coder = _codes(store, replace(method, name=method.fitted), seed), store.autoencoder()
    if method.name == method.fitted:
        return ImageILD(coder, codes)
    train, rng = store.data.train, generator(jax.random.fold_in(key, 4))
    return ImageILD(coder, codes, detail_shares(coder, codes, train.images, train.domains, rng))


def _codes(store: RunStore, method: ImageMethod, seed: int) -> CodeModel:
    """The model of codes, fitted or as it was kept."""
    path = store.path(f"{method.slug}-s{seed}", *_made_from(store, method))
    if not path.exists():
        parts, weights = code_model_parts(_new_codes(store, method, jax.random.key(100 + seed)))
        write_model(path, {"kind": "CodeModel"} | parts, weights)
    header, arrays = read_model(path)
    with reading(path):
        return code_model_back(header, arrays)


def _new_codes(store: RunStore, method: ImageMethod, key: jax.Array) -> CodeModel:
    return fit_codes(
        key,
        store.codes(),
        store.data.train.domains,
        k=method.k if method.sparse else None,
        variant="can" if method.name in CURVED else method.name,  # type: ignore[arg-type]
        settings=_flow(store.setting, method),
        images=store.data.train.images,
        pairs=_pairs(store, method.pairs, key),
        progress=store.bar(method.label),
    )


def _pairs(store: RunStore, count: int, key: jax.Array) -> PairedCodes | None:
    """Validation images, each in its own domain and in another at random."""
    if not count:
        return None
    pairs = drawn_pairs(generator(jax.random.fold_in(key, 3)), store.data.valid, count)
    return paired_codes(store.autoencoder(), *pairs)


def _flow(setting: ImageSetting, method: ImageMethod) -> FlowSettings:
    return likelihood_alone(setting.flow) if method.name == "likelihood" else setting.flow


def _recipe(store: RunStore, method: ImageMethod, key: jax.Array) -> ImageModel:
    setting, train = store.setting, store.data.train
    return train_paper_recipe(
        key,
        train.images,
        train.domains,
        setting.m,
        k=method.k,
        variant=method.name.removeprefix(_RECIPE),  # type: ignore[arg-type]
        beta=setting.recipe_beta,
        architecture=setting.recipe_architecture,
        steps=setting.recipe_steps,
        batch=setting.recipe_batch,
        progress=store.bar(method.label),
    )


def _made_from(store: RunStore, method: ImageMethod) -> tuple[Any, ...]:
    setting = store.setting
    if is_recipe(method.name):
        recipe = setting.recipe_beta, setting.recipe_steps, setting.recipe_batch
        return setting.m, setting.recipe_architecture, *recipe
    return *store.stage_one(), _flow(setting, method)
