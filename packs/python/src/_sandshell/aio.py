"""`asyncio`'s loop polls for the end of children."""

import os
import subprocess


def install():
    """Changes the event loop of `asyncio.unix_events`."""
    from asyncio import unix_events

    unix_events.can_use_pidfd = lambda: False
    unix_events._ThreadedChildWatcher = ChildWatcher
    unix_events._PidfdChildWatcher = ChildWatcher


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
