"""Calls functions of every kind a known number of times, and prints how often. With a word, ends in another way."""
import functools
import os
import sys
import threading

COUNTS = {}
LOCK = threading.Lock()


def counted(function):
    """Counts by a dictionary: nothing of it is a call of the program's own."""
    name = function.__qualname__
    COUNTS[name] = 0

    @functools.wraps(function)
    def counts(*arguments):
        with LOCK:
            COUNTS[name] += 1
        return function(*arguments)
    return counts


class Shop:
    @counted
    def __init__(self):
        self.sold = 0

    @counted
    def sell(self, count):
        self.sold += count
        return double(count)

    @staticmethod
    @counted
    def price():
        return 3


@counted
def double(n):
    return n * 2


@counted
def fib(n):
    return n if n < 2 else fib(n - 1) + fib(n - 2)


@counted
def fails():
    raise ValueError("always")


@counted
def catches():
    try:
        fails()
    except ValueError:
        return abs(-1)


@counted
def worker():
    for i in range(10):
        double(i)


def numbers(n):
    yield from range(n)


@counted
def child(n):
    return n


def work():
    shop = Shop()
    for i in range(100):
        shop.sell(i)
        Shop.price()
    fib(10)
    for _ in range(7):
        catches()
    for _ in numbers(5):
        pass
    threads = [threading.Thread(target=worker, name="worker %d" % i) for i in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def fork():
    for _ in range(2):
        pid = os.fork()
        if not pid:
            child(child(1))
            os._exit(0)
        os.waitpid(pid, 0)


def spin():
    while True:
        double(1)


if __name__ == "__main__":
    {"fork": fork, "spin": spin}.get(sys.argv[1] if len(sys.argv) > 1 else "", work)()
    print("\n".join("%s %d" % (name, calls) for name, calls in COUNTS.items() if calls))
    if sys.argv[1:] == ["leaves"]:
        sys.exit(3)
