"""The gate: what a proposal says has to stand in the entries that it cites.

`verify` runs the checks in their order and returns a verdict; `source` is one cited entry as the checks read
it, `lookup` how something is looked for in it. The checks: `literals` (numbers, names, identifiers,
quotations), `dates`, `arithmetic`, `names`, `speaker`, `polarity`. `find_sources` finds the entries for a
note that cites none or one too few; `judge` decides by a model's second reading.
"""
