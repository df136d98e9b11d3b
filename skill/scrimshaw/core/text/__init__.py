"""Text as it is compared: words, numbers, times and dates, whoever wrote them.

Texts in, values out; nothing here knows lines, entries or the ledger. `normalize` gives two texts one
spelling, `stems` their words, `numbers` what they measure, `entities` what can be found again, `sentences`
a text as its sentences. The words and phrases for days of eight languages stand in `data/dates` and are
found by `languages`. Dates are read twice. `dates` (on `date_grammar`, `tense`, `times`) is sure: it gives
a day only where one follows from the words and from when they were said. `loose_dates` and `loose_times`
give every reading, and are good only for supporting what a note already names; they know English, into
which `in_english` puts the days and hours of the others. `moments` reads what a person types as an option.
"""
