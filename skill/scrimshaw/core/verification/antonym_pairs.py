"""Verbs whose forms are not made by an ending. Data only."""

from __future__ import annotations

IRREGULAR = """
give gave given, take took taken, go went gone goes, come came, get got gotten, keep kept, hold held, throw
threw thrown, write wrote written, rise rose risen, fall fell fallen, grow grew grown, shrink shrank shrunk,
sink sank sunk, swell swollen, begin began begun, buy bought, sell sold, lose lost, win won, forbid forbade
forbidden, forget forgot forgotten, hide hid hidden, break broke broken, tear tore torn, wear wore worn,
speak spoke spoken, freeze froze frozen, wake woke woken, sleep slept, lend lent, spend spent, send sent,
feel felt, meet met, lead led, fly flew flown, run ran, withdraw withdrew withdrawn, withhold withheld, draw
drew drawn, forgo forwent forgone, forego foregone, undo undid undone, overspend overspent, make made, build
built, teach taught, think thought, catch caught, bring brought, fight fought, stand stood, stick stuck,
strike struck, swear swore sworn, shake shook shaken, shoot shot, seek sought, say said, tell told, pay
paid, lay laid, know knew known, show shown, see saw seen, eat ate eaten, drink drank drunk, drive drove
driven, uphold upheld, overrun overran, slow slowed, blow blew blown, have had, do did, wind wound, bend
bent, sit sat, hang hung, cling clung, dig dug, steal stole stolen, beat beaten, become became, choose chose
chosen, deny denied, repay repaid, mistake mistook mistaken, arise arose, outdo outdid,
understand understood, oversleep overslept, light lit, sweep swept
"""
"""Verbs, each with its forms that are not made by an ending."""
