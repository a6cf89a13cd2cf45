"""Images as arrays: what is refused, what rows and splits keep."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from elsewhere.datasets.pictures import ImageData, as_bytes, as_floats, image_data, split


def numbered(counts, truth=False):
    """Images that carry their row in their pixels."""
    n = sum(counts)
    images = np.tile(np.arange(n, dtype=np.uint8)[:, None, None, None], (1, 4, 5, 1))
    domains = np.repeat(np.arange(len(counts)), counts)
    return ImageData(
        images,
        domains,
        tuple(f"d{d}" for d in range(len(counts))),
        np.arange(n) % 2,
        ("even", "odd"),
        {"row": np.arange(n)},
        (lambda rows, target: images[rows] + np.uint8(100 * target)) if truth else None,
    )


def test_take_keeps_everything_in_step():
    data = numbered([4, 6], truth=True).take([7, 2, 9])
    assert data.images[:, 0, 0, 0].tolist() == data.factors["row"].tolist() == [7, 2, 9]
    assert data.domains.tolist() == [1, 0, 1]
    assert data.classes.tolist() == [1, 0, 1]
    assert data.counterfactual([1, 2], "d1")[:, 0, 0, 0].tolist() == [102, 109]
    assert data.take([2]).counterfactual([0], 1)[0, 0, 0, 0] == 109


def test_domains_by_name_and_number():
    data = numbered([4, 6])
    assert data.rows_of("d1").tolist() == data.rows_of(1).tolist() == list(range(4, 10))
    for wrong in ("d7", 2, -1):
        with pytest.raises(ValueError, match="one of"):
            data.domain(wrong)


def test_unknown_truth_is_said():
    with pytest.raises(ValueError, match="not known"):
        numbered([2, 2]).counterfactual([0], 1)


@given(st.lists(st.integers(5, 25), min_size=2, max_size=4), st.integers(0, 99))
def test_a_split_is_a_partition_with_every_domain_everywhere(counts, seed):
    data = numbered(counts)
    parts = split(np.random.default_rng(seed), data, valid=0.2, test=0.2)
    three = (parts.train, parts.valid, parts.test)
    rows = np.concatenate([part.factors["row"] for part in three])
    assert sorted(rows.tolist()) == list(range(len(data)))
    assert all(len(part.rows_of(d)) for part in three for d in range(len(counts)))


@pytest.mark.parametrize(("valid", "test"), [(0.0, 0.1), (0.6, 0.4), (0.1, -0.1)])
def test_shares_that_are_none(valid, test):
    with pytest.raises(ValueError, match="shares"):
        split(np.random.default_rng(0), numbered([9, 9]), valid=valid, test=test)


def test_a_domain_too_small_to_split():
    with pytest.raises(ValueError, match="only 2"):
        split(np.random.default_rng(0), numbered([2, 30]))


def test_arrays_by_domain_or_by_label():
    grey = np.arange(2 * 4 * 5).reshape(2, 4, 5)
    by_domain = image_data({"b": grey, "a": grey + 1})
    assert by_domain.domain_names == ("b", "a")
    assert by_domain.images.shape == (4, 4, 5, 1)
    assert by_domain.images.dtype == np.uint8
    by_label = image_data(np.concatenate([grey, grey]), ["x", "y", "x", "y"], [3, 3, 1, 1])
    assert by_label.domains.tolist() == [0, 1, 0, 1]
    assert by_label.classes.tolist() == [1, 1, 0, 0]
    assert by_label.class_names == ("1", "3")


GREY = np.zeros((4, 8, 8), np.uint8)
AB = ["a", "a", "b", "b"]


@pytest.mark.parametrize(
    ("images", "domains", "message"),
    [
        (GREY + 300.0, AB, r"images of floats must lie in 0\.\.1; got 300"),
        (GREY.astype(int) + 256, AB, r"images of integers must lie in 0\.\.255; got 256\.\.256"),
        (GREY.astype(int) - 1, AB, r"got -1\.\.-1"),
        (GREY + np.nan, AB, "finite"),
        (GREY[0], AB, r"shape \[n, height"),
        (GREY[:0], [], "none of them 0"),
        (GREY[..., None].repeat(2, -1), AB, "1, 3 or 4 channels"),
        (GREY.astype("U1"), AB, "integers or floats"),
        (GREY, ["a"] * 4, "at least 2"),
        (GREY, ["a", "b"], "one label per image, 4"),
        (GREY, None, "domains must have one label"),
        ({"a": GREY}, None, "at least 2"),
        ({}, None, "at least 2"),
        ({"a": GREY, "b": GREY[:, :7]}, None, r"images\['b'\] must have the size"),
        ({"a": GREY, "b": np.stack([GREY] * 3, -1)}, None, r"images\['b'\].*channels"),
        ({"a": GREY, "b": GREY / 255}, None, r"images\['b'\].*type"),
    ],
)
def test_arrays_that_are_refused(images, domains, message):
    with pytest.raises(ValueError, match=message):
        image_data(images, domains)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"domains": np.array([0, 1, 2, 1])}, r"domains must lie in 0\.\.1.*got 2"),
        ({"domain_names": ("a", "a")}, "must differ"),
        ({"classes": np.array([0, 0, 5, 0]), "class_names": ("x",)}, r"classes must lie in 0\.\.0"),
        ({"factors": {"hue": np.zeros(3)}}, r"factors\['hue'\] must have one entry"),
    ],
)
def test_codes_that_are_refused(change, message):
    given = {
        "images": GREY[..., None],
        "domains": np.array([0, 0, 1, 1]),
        "domain_names": ("a", "b"),
    }
    with pytest.raises(ValueError, match=message):
        ImageData(**(given | change))


def test_bytes_and_floats_are_inverse():
    every = np.arange(256, dtype=np.uint8)
    assert (as_bytes(as_floats(every)) == every).all()
    assert as_floats(every)[[0, -1]].tolist() == [0, 1]
    assert as_bytes(np.array([-0.5, 1.5])).tolist() == [0, 255]
