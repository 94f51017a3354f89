"""A plugin of pytest: marks each test that sends something to a server over TCP (property `reached` in the JUnit report)."""

import socket

import pytest

_sent = 0


def _counting(method):
    def send(self, *args):
        global _sent
        if self.family in (socket.AF_INET, socket.AF_INET6):
            _sent += 1
        return method(self, *args)

    return send


socket.socket.send = _counting(socket.socket.send)
socket.socket.sendall = _counting(socket.socket.sendall)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    item.sent_before = _sent
    return (yield)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item):
    # Runs before the report of the teardown, which closes the test case.
    if _sent > item.sent_before:
        item.user_properties.append(("reached", "true"))
