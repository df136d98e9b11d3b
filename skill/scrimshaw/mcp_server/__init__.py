"""The memory of one agent as a server of the Model Context Protocol: seven tools, and resources to read.

`tools` describes the tools, `calls` runs them through `Memory`, `answers` shapes the results. There are two
transports: `stdio`, written without the protocol's own library, which takes longer to load than a host waits,
and `http`, which uses that library.
"""
