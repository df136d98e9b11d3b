"""The pass that makes the ledger's lines fewer.

`run` applies the rules' or a model's plan in one transaction; `ask_model` asks for the plan.
"""
