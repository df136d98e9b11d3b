"""Where the log of a command that goes on running is written."""

from __future__ import annotations

import logging
import sys
import time


def log_to_stderr() -> None:
    """Send the program's log to the standard error output, with times in UTC."""
    handler = logging.StreamHandler(sys.stderr)
    form = logging.Formatter("%(asctime)sZ %(levelname)s %(message)s", "%Y-%m-%dT%H:%M:%S")
    form.converter = time.gmtime
    handler.setFormatter(form)
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(logging.WARNING)
    logging.getLogger("scrimshaw").setLevel(logging.INFO)
