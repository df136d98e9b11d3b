"""Calls to models: within the spending caps, with patience, and told when they fail.

`client` makes one call; `breakers` and `outages` remember what failed; `spending` and `forecast` add up and
foretell the cost; `privacy_filter` cuts what must not be sent; `try_model` is `models test`.
"""
