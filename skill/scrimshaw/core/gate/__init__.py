"""What the gate (core/verify) looks at: literals, who said it, what goes with what, what is denied."""
