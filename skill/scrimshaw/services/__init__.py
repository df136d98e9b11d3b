"""What the product can do: a package a capability.

Services hold the locks, the transactions and the files around what core decides; they know no surface.
`results` and `runs` are what they share.
"""
