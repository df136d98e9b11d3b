"""Looking back; nothing here writes.

`revisions` has the log, diffs, and the section or the lines as of a time; `provenance` traces a line to its
messages (`cited_entries`); `lines` pages through all of them.
"""
