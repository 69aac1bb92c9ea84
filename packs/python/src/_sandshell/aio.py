"""`asyncio` without socket pairs: the loop wakes itself with a pipe and polls for the end of
children."""

import os
import subprocess


def install():
    """Changes the event loop of `asyncio.unix_events`."""
    from asyncio import base_events, selector_events, unix_events

    def make_self_pipe(self):
        self._ssock, self._csock = _End(0), _End(1)
        reader, writer = os.pipe()
        os.set_blocking(reader, False)
        os.set_blocking(writer, False)
        self._ssock.fd, self._csock.fd = reader, writer
        self._internal_fds += 1
        self._add_reader(reader, self._read_from_self)

    selector_events.BaseSelectorEventLoop._make_self_pipe = make_self_pipe
    unix_events.can_use_pidfd = lambda: False
    unix_events._ThreadedChildWatcher = ChildWatcher
    unix_events._PidfdChildWatcher = ChildWatcher
    base_events.BaseEventLoop.create_server = create_server


class _End:
    """One end of a loop's own pipe, with the few socket methods that the loop calls."""

    def __init__(self, fd):
        self.fd = fd

    def fileno(self):
        """The descriptor."""
        return self.fd

    def recv(self, size):
        """Reads what is there."""
        return os.read(self.fd, size)

    def send(self, data):
        """Writes."""
        return os.write(self.fd, data)

    def close(self):
        """Closes the descriptor."""
        if self.fd >= 0:
            os.close(self.fd)
            self.fd = -1


class ChildWatcher:
    """Polls for the end of children from the loop, less often the longer a child runs."""

    SHORTEST, LONGEST = 0.0005, 0.02

    def is_active(self):
        """Always."""
        return True

    def add_child_handler(self, pid, callback, *args):
        """Calls back when the child has ended."""
        from asyncio import events
        self._look(events.get_running_loop(), pid, callback, args, self.SHORTEST)

    def remove_child_handler(self, pid):
        """Nothing is kept."""
        return True

    def _look(self, loop, pid, callback, args, pause):
        try:
            found, status = os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            found, status = pid, 255 << 8
        if found:
            callback(pid, os.waitstatus_to_exitcode(status), *args)
        elif not loop.is_closed():
            loop.call_later(pause, self._look, loop, pid, callback, args, min(pause * 2, self.LONGEST))


async def create_server(self, *arguments, **options):
    """Refuses: asyncio would only say that it cannot bind."""
    raise PermissionError(1, "Operation not permitted: this sandbox has no network")
