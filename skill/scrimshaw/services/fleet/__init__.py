"""One memory for agents on many machines, over `fleet/`.

`join` and `link` say who is in it, `sync` sends and `fetch` takes in, `find` searches the others.
"""
