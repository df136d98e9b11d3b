"""Text as it is compared: words, numbers, times and dates, whoever wrote them.

Texts in, values out; nothing here knows lines, entries or the ledger. `normalize` gives two texts one
spelling, `stems` their words, `numbers` what they measure, `entities` what can be found again, `clauses` a
sentence as its parts. Dates are read twice. `dates` (on `date_grammar`, `tense`, `times`) is sure: it gives a
day only where one follows from the words and from when they were said. `loose_dates` and `loose_times` give
every reading, and are good only for supporting what a note already names; `foreign_dates` puts five
languages' words for days and hours into English for them. `moments` reads what a person types as an option.
"""
