"""The memory of one agent as a server of the Model Context Protocol: seven tools, and resources to read.

`tools` says what there is, `calls` does it through `Memory`, `answers` shapes what comes back. Two transports
speak for them: `stdio`, complete in itself, since the protocol's own library takes longer to load than a host
waits, and `http`, which is that library's.
"""
