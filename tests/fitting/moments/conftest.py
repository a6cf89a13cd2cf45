"""One thread for all tests of small matrices: more would only wait for each other."""

import pytest
from threadpoolctl import threadpool_limits


@pytest.fixture(scope="module", autouse=True)
def one_thread():
    with threadpool_limits(1, user_api="blas"):
        yield
