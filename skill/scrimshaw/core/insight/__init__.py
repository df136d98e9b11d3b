"""What the memory knows, how fresh it is and what of it may no longer hold: figures, and lists to decide on.

A *memory* is a line in force (not replaced, withdrawn, taken out, forgotten). A *fact* is a memory that
somebody stands behind: noted from a conversation and checked, or the person's own; a reflection only sums up
others, and what a program stored is nobody's word until the person pins it. A *source* is a conversation, or
a file, that a fact rests on.
"""
