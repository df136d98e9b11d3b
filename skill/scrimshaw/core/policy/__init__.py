"""What is due, what it may cost, and who may ask: decisions from facts and settings, without a clock.

`schedule` says when to observe, to write and to reflect; `spending` whether a call to a model is within the
limits, `forecast` what a day would take, `caching` what a cache spared; `audience` whether a shell is a
private conversation's own.
"""
