"""Other ways to find a text, run beside ours on the same questions: none of them is part of the product."""
