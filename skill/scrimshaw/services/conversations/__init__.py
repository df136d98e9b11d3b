"""Conversations that programs hand in message by message.

`messages` takes them in, `follow` has a full tail observed and moves the cursor, `context` builds what the
program sends to its model.
"""
