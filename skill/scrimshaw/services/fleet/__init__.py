"""One memory for agents on many machines, on top of `fleet/`.

`join` and `link` hold who takes part, `sync` sends and `fetch` receives, `find` searches the others' lines.
"""
