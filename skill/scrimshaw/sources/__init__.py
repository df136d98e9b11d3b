"""Where transcripts come from: found, listed and read, never written.

`discover` (on `openclaw_config`, `versions`) finds every agent of this machine with its stores; `stamps`
tells cheaply whether one has changed. `reading` is what every source hands out; `openclaw_sqlite` (on
`sqlite_store` and `sqlite_tables`) and `openclaw_jsonl` (on `jsonl_folder`) are the host's two stores,
`plugin` is a source that another package brings.
"""
