"""What is done when, and for whom.

`tick` decides for one workspace what is due now; `ask_daemon` and `serve_requests` are the two ends of a
request to a daemon; `nightly` tidies.
"""
