"""A cluster whose scheduler is gone: what was sent there ends, and nothing waits for ever."""

from concurrent.futures import BrokenExecutor, Future

import pytest
from waiting import wait_for

from perfkit.core import dask


class Client:
    """A client of a cluster that answers nothing."""

    def __init__(self):
        self.status = "running"

    def get_executor(self, **_):
        return self

    def submit(self, *_):
        return Future()

    def shutdown(self, **_):
        """The cluster itself goes on."""


@pytest.fixture
def client(monkeypatch):
    monkeypatch.setattr(dask, "_LOOK_S", 0.01)
    return Client()


def test_what_was_sent_ends_when_the_scheduler_is_gone(client):
    with dask._Cluster(client) as cluster:
        sent = cluster.submit(len, "work")
        client.status = "closed"
        wait_for(lambda: sent.done() or not cluster._watcher.is_alive())
        with pytest.raises(BrokenExecutor, match="the scheduler is gone"):
            sent.result(timeout=0)
        with pytest.raises(BrokenExecutor, match="the scheduler is gone"):
            cluster.submit(len, "more")


def test_what_was_sent_waits_while_the_scheduler_is_there(client):
    with dask._Cluster(client) as cluster:
        sent = cluster.submit(len, "work")
        with pytest.raises(TimeoutError):
            sent.result(timeout=0.1)
