"""Work done ahead keeps its order, raises where it goes wrong, and ends when nobody wants more."""

import threading
import time

import pytest

from elsewhere.datasets.ahead import ahead, each_ahead

pytestmark = pytest.mark.fast


def slowly(number):
    time.sleep(0.02 * (number % 3))  # later items are done before earlier ones
    return number**2


def test_answers_come_in_the_order_of_the_questions():
    assert list(each_ahead(slowly, range(12))) == [n**2 for n in range(12)]


def test_several_are_under_way_but_not_all():
    started = []

    def work(number):
        started.append(number)
        return number

    found = each_ahead(work, iter(range(100)))
    assert next(found) == 0
    time.sleep(0.1)
    assert 1 < len(started) < 20
    found.close()


@pytest.mark.parametrize("wrong", [0, 5])
def test_what_goes_wrong_is_raised(wrong):
    def work(number):
        if number == wrong:
            raise ValueError(f"number {number}")
        return number

    with pytest.raises(ValueError, match=f"number {wrong}"):
        list(each_ahead(work, range(9)))


def test_items_that_cannot_be_made_are_raised():
    def items():
        yield 1
        raise OSError("the disk")

    for found in (ahead(items()), each_ahead(slowly, items())):
        with pytest.raises(OSError, match="the disk"):
            list(found)


def test_threads_end_when_nobody_wants_more():
    before = threading.active_count()
    found = each_ahead(slowly, iter(range(10_000)))
    next(found)
    found.close()
    for _ in range(100):
        if threading.active_count() <= before:
            break
        time.sleep(0.05)
    assert threading.active_count() <= before
