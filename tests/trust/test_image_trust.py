"""Checks of image models, on models whose faults are known."""

import json

import numpy as np
import pytest

from elsewhere.errors import DomainError
from elsewhere.trust import trust_report
from elsewhere.trust.images import IMAGE_TITLES
from pixels import STEP, draws, known, paint

IMAGES, WHERE = draws()


def judged(**faults):
    return trust_report(known(**faults), IMAGES, WHERE)


def levels(trust):
    return {name: verdict.level for name, verdict in trust.verdicts.items()}


def test_nothing_speaks_against_the_truth():
    trust = judged()
    assert levels(trust) == dict.fromkeys(IMAGE_TITLES, "good")
    assert (trust.level, trust.warnings) == ("good", ())
    assert [(s.domain, s.images, s.lost) for s in trust.seen] == [
        ("dim", 150, 0),
        ("bright", 150, 0),
    ]
    pairs = [(move.likeness.source, move.likeness.target) for move in trust.moves]
    assert pairs == [("dim", "bright"), ("bright", "dim")]
    unit = np.sqrt(np.mean([IMAGES[d == WHERE][:, 0, 0, 0].var() for d in ("dim", "bright")]))
    for move in trust.moves:
        assert move.round_trip == pytest.approx(0, abs=1e-9)
        assert move.change == pytest.approx(STEP / unit / np.sqrt(2), rel=1e-4)
        assert move.likeness.effect < 0.02 < 0.2 < move.likeness.effect_before


def test_a_model_that_ignores_the_domain_is_in_doubt():
    trust = judged(move=lambda z, d, d_prime: z)
    assert levels(trust)["likeness"] == "bad"
    assert "dim → bright" in trust.verdicts["likeness"].words
    assert "images" in trust.verdicts["likeness"].words
    assert trust.level == "bad"
    assert trust.moves[0].change == 0


def test_a_decoder_that_draws_one_image_for_all_sees_nothing():
    trust = judged(decode=lambda z: paint(np.full_like(z, 0.3)))
    assert levels(trust)["seen"] == "bad"
    assert trust.seen[0].lost == pytest.approx(1, abs=0.1)
    assert trust.warnings[0].startswith("The model does not see all that varies")


def test_a_way_of_no_return_is_named():
    def one_way(z, d, d_prime):
        return z if d_prime == 0 else 0 * z + 0.5

    trust = judged(move=one_way)
    assert levels(trust)["return"] == "bad"
    assert "dim → bright" in trust.verdicts["return"].words


def test_images_that_never_vary_do_not_divide_by_nothing():
    still = np.concatenate([paint(np.full((5, 2), 0.2)), paint(np.full((5, 2), [0.2 + STEP, 0.2]))])
    trust = trust_report(known(), still, np.repeat(["dim", "bright"], 5))
    assert all(np.isfinite([m.round_trip, m.change]).all() for m in trust.moves)
    assert [seen.lost for seen in trust.seen] == [0, 0]


def test_what_the_fit_said_is_a_warning():
    trust = judged(notes=("it ignores the domains.",))
    assert trust.warnings == ("it ignores the domains.",)


def test_it_is_json():
    found = json.loads(json.dumps(judged().to_dict()))
    assert found["level"] == "good"
    assert found["verdicts"]["seen"]["level"] == "good"
    assert found["moves"][0]["likeness"]["source"] == "dim"


def test_the_same_seed_draws_the_same_images():
    estimator = known()
    many, labels = draws(n=400)
    one, same, other = (trust_report(estimator, many, labels, random_state=s) for s in (1, 1, 2))
    assert one == same != other


@pytest.mark.parametrize(
    ("images", "domains", "error", "message"),
    [
        (IMAGES[:, :7], WHERE, ValueError, "height, width and channels of those fitted"),
        (IMAGES, WHERE[1:], ValueError, "domains must have one label"),
        (IMAGES, np.repeat("left", 300), DomainError, "domains must be domains of the fit"),
        (IMAGES, np.repeat("dim", 300), DomainError, "at least 2 of the domains"),
    ],
)
def test_wrong_data_are_named(images, domains, error, message):
    with pytest.raises(error, match=message):
        trust_report(known(), images, domains)
