"""From a host's stored event to evidence: what was said, by whom, and whose words they are.

`events` parses one stored event with the fields that decide; `entries` makes it an Entry, or says why it is
no evidence, by the marks that `classify` knows; `session_kind` says what a conversation is for, `branch`
which of its items are current. `own_words` (on `paste_forms`) leaves of a message only what the person said
themselves, `privacy` cuts what they called private, `windows` cuts a conversation where an observer may be
asked.
"""
