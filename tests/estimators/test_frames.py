"""polars and Arrow tables: the same answers as with pandas, in the kind and types that came."""

from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from elsewhere import DomainCounterfactual, ToReference
from elsewhere.estimators.frames import as_pandas

pl = pytest.importorskip("polars")

N = 120
RNG = np.random.default_rng(0)
SITE = np.repeat(["a", "b"], N // 2)
STAGES = ["low", "mid", "high"]
GAP = np.arange(N) % 10 == 0


@pytest.fixture(scope="module")
def frame():
    """Fractions with null and NaN, whole numbers with nulls, float32, and an ordered Enum."""
    u = RNG.normal(size=N) + 3.0 * (SITE == "b")
    counts = [None if gap else int(n) for gap, n in zip(GAP, RNG.poisson(9, N), strict=True)]
    return pl.DataFrame(
        {
            "u": [None if i == 1 else float("nan") if i == 2 else x for i, x in enumerate(u)],
            "visits": pl.Series(counts, dtype=pl.Int32),
            "small": pl.Series(RNG.normal(size=N), dtype=pl.Float32),
            "stage": pl.Series(RNG.choice(STAGES, N).tolist(), dtype=pl.Enum(STAGES)),
        }
    )


@pytest.fixture(scope="module")
def model(frame):
    made = DomainCounterfactual(mixing="moments", links={"stage": "levels"})
    return made.fit(frame, pl.Series("site", SITE))


def kinds(frame):
    return {"polars": frame, "arrow": frame.to_arrow()}


@pytest.mark.parametrize("kind", ["polars", "arrow"])
def test_the_answer_is_that_of_pandas_in_the_kind_and_types_asked(frame, model, kind):
    table = kinds(frame)[kind]
    answer = model.counterfactual(table, source=SITE, target="b")
    assert type(answer) is type(table)
    assert answer.schema == table.schema
    expected = model.counterfactual(as_pandas(frame), source=SITE, target="b")
    pd.testing.assert_frame_equal(as_pandas(answer), expected)
    assert as_pandas(answer)["u"][:40].mean() > as_pandas(frame)["u"][:40].mean() + 2


def test_null_stays_null_and_nan_stays_nan(frame, model):
    answer = model.counterfactual(frame, source=SITE, target="b")
    assert answer["u"].is_null().to_list() == frame["u"].is_null().to_list()
    assert answer["u"][2] != answer["u"][2]
    assert answer["visits"].is_null().to_numpy().tolist() == GAP.tolist()
    filled = model.counterfactual(frame, source=SITE, target="b", fill=True)
    assert sum(filled.null_count().row(0)) == 0


@pytest.mark.parametrize("kind", ["polars", "arrow"])
def test_intervals_spreads_and_all_targets_come_in_the_same_kind(frame, model, kind):
    table, source = kinds(frame)[kind], pa.array(SITE)
    low, high = model.interval(table, source=source, target="b")
    least, _ = model.spread(table, source=source, target="b")
    every = model.counterfactual(X=table, source=source, target="all")
    assert {type(t) for t in (low, high, least, *every.values())} == {type(table)}
    assert (as_pandas(low)["u"].dropna() <= as_pandas(high)["u"].dropna()).all()
    assert model.domain_name_ == "site"


def test_covariates_may_be_polars_too(frame):
    table, age = frame.select("u", "small").fill_nan(0).fill_null(0), RNG.normal(50, 9, N)
    kept = pl.DataFrame({"age": age})
    fair = DomainCounterfactual(mixing="moments").fit(table, SITE, covariates=kept)
    asked = {"source": SITE, "target": "b"}
    answer = fair.counterfactual(table, **asked, covariates=kept)
    same = fair.counterfactual(table, **asked, covariates=pd.DataFrame({"age": age}))
    assert answer.equals(same)


def test_levels_of_a_dictionary_keep_their_order_and_decimals_their_places(frame):
    coded = pa.array(frame["stage"].to_list()).dictionary_encode()
    stages = pa.DictionaryArray.from_arrays(coded.indices, coded.dictionary, ordered=True)
    cost = pa.array([Decimal(f"{x:.2f}") for x in RNG.normal(50, 9, N)], pa.decimal128(9, 2))
    table = pa.table({"stage": stages, "cost": cost, "u": RNG.normal(size=N) + (SITE == "b")})
    made = DomainCounterfactual(mixing="moments", links={"stage": "levels"}).fit(table, SITE)
    answer = made.counterfactual(table, source=SITE, target="b")
    assert answer.schema == table.schema
    assert answer["stage"].chunk(0).dictionary.equals(coded.dictionary)


def test_whole_numbers_modelled_as_fractions_become_fractions(frame):
    table = frame.select("visits", "small").fill_null(3)
    made = DomainCounterfactual(mixing="moments", links={"visits": "identity"}).fit(table, SITE)
    moved = made.counterfactual(table, source=SITE, target="b")
    assert moved.schema == {"visits": pl.Float64, "small": pl.Float32}


@pytest.mark.parametrize("container", ["default", "pandas", "polars"])
@pytest.mark.parametrize("kind", ["polars", "arrow"])
def test_the_pipeline_step_takes_frames_and_gives_what_set_output_asks(frame, kind, container):
    table = kinds(frame.select("u", "small"))[kind]
    step = ToReference("b", DomainCounterfactual(mixing="moments"))
    step.set_output(transform=container)
    moved = step.fit(table, sample_domain=SITE).transform(table, sample_domain=pl.Series(SITE))
    wanted = {"default": type(table), "pandas": pd.DataFrame, "polars": pl.DataFrame}
    assert type(moved) is wanted[container]
    assert step.get_feature_names_out().tolist() == ["u", "small"]


def test_what_is_not_whole_in_memory_is_refused_with_the_remedy(frame, model):
    with pytest.raises(TypeError, match="Collect a LazyFrame"):
        model.counterfactual(frame.lazy(), "a", "b")
