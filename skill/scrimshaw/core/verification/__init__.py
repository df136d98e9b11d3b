"""What the gate (verify) looks at: literals, who said it, what goes with what, what is denied."""
