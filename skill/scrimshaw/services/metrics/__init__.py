"""An agent's figures for `/metrics`.

`catalogue` names them, `gather` reads them from kept counts.
"""
