"""The conversation with a model, pure: what is asked (request), and what is made of the answer (reply)."""
