"""Words of ordinary English that say the opposite of each other, with others that say the same.

A line is one matter: what stands left of the bar and what stands right of it exclude each other when
said of the same thing. A word may be in several matters. Words in one piece ("turn off") are written
with a plus sign.
"""

from __future__ import annotations

import re

from scrimshaw.core.claims import stem

_MATTERS = """
enable activate turn+on turned+on switch+on switched+on switches+on turns+on turning+on enabling /
 disable deactivate turn+off turned+off switch+off switched+off turns+off switches+off turning+off
 disabling
allow permit allowed permitted permits / forbid ban prohibit disallow block forbidden banned bans
accept approve agree agreed sign+off signed+off grant granted endorse say+yes said+yes go+ahead confirm
 welcome take+up / reject decline refuse deny turn+down turned+down turns+down turning+down veto
 disapprove rejected denied said+no withdraw
pass succeed green success successful successfully finish finished complete completed / fail failure red
 unsuccessful failing
increase raise rise rose risen grow grew grown went+up go+up goes+up higher up+from climb climbed put+up
 puts+up gain+weight increased boost / decrease lower reduce fall fell fallen shrink shrank went+down
 go+down goes+down down+from decline dip cut shorten lose+weight put+down
faster quicker speed+up sped+up speeds+up quick fast accelerate / slower slow slowed slowly slow+down
 slowed+down
add added insert include including incl incl. included plus / remove exclude excluding excl excl.
 excluded delete leave+out leaves+out left+out omit without except drop dropped minus
open opened opens / close closed shut closes
outstanding unpaid unsettled overdue / paid settled
start begin began begun starts launch starting commence resume / stop end finish finished cease quit
 stopped ended ends ending expire expires runs+out run+out ran+out over
~ buy bought purchase purchased buying / sell sold selling
before prior beforehand / after afterwards afterward later+than following
earlier early sooner / later late
with / without
always every+time / never
more plus / fewer less no+more
like love enjoy favour likes fond / dislike hate detest can't+stand dislikes
keep retain stay remain leave leaving leaves stays kept stayed unchanged remains / move moves relocate
 change changed moved moving
keep retain kept stay stays keeps / drop remove discard abandon dropped removing delete dropping give+up
 gave+up gives+up
still keeps / no+longer not+any+more not+anymore used+to stopped ceased
still not+yet unfinished pending / already done finished
public publicly / private privately confidential
internal in-house internally / external externally outsource
cheap cheaper / expensive pricey dear dearer
high higher highest / low lower lowest
long longer longest / short shorter shortest
first firstly / last lastly
best better / worst worse
good well great fine excellent nicely smoothly okay / bad badly poor poorly terrible awful
big large larger bigger / small smaller tiny
hot warm warmer / cold cool colder
full / empty vacant
light lighter lightest / heavy heavier heaviest dark
strong stronger / weak weaker
hard difficult / easy easier simple
new brand-new / used second-hand secondhand
rich / poor
safe safer / unsafe dangerous
right correct / wrong incorrect false
left left-hand / right right-hand
inside indoors / outside outdoors
inside in+time / outside
formal formally / informal informally casual
morning mornings / evening evenings night nights
day daytime / night nighttime
stable reliable solid steady flat / unstable flaky unreliable
available free / unavailable busy taken
possible / impossible
required mandatory compulsory obligatory must / optional voluntary
known / unknown
vacant empty unoccupied unused / occupied
ill sick unwell flu sickness / well healthy recovered
win won / lose lost
~ borrow borrowed / lend lent
~ arrive arrives arrival arrived / depart departs departure
~ import imports imported / export exports exported
upload uploads uploaded / download downloads downloaded
connect connected reconnect / disconnect disconnected
lock locked / unlock unlocked
install installed / uninstall uninstalled
join joined joins joining / leave left quit leaving
hire hired / fire fired dismissed
recommend advise encourage advised recommended / advise+against advised+against discourage
 advises+against
for in+favour in+favor supports / against opposed opposes
most / least
maximum at+most up+to no+more+than below under within / minimum at+least over above more+than exceeds
above over exceed exceeds exceeded exceeding overspent overspend / below under beneath underspent
 stays+below
ahead / behind
north northern / south southern
east eastern / west western
split separate divided / merge merged combine
attach attached / detach detached
valid / invalid expired
expire expires expired runs+out run+out ends end / begin begins start starts renew renewed renewal
resolve resolved fix fixed fixes solve solved repaired / unresolved broken unsolved
working works work worked / broken breaks broke fail fails failed
done finish finished complete completed / unfinished pending incomplete
online / offline
remote remotely from+home / on+site on-site onsite in+the+office
manual manually by+hand / automatic automatically automated
intentional intentionally on+purpose purposely deliberate deliberately / accidental accidentally
 by+mistake unintended
gain gained / lose loss lost
save saved saving / spend spent spending
tolerate tolerates tolerant / allergic intolerant intolerance allergy
present / absent
missing lacks lacking miss without / has have with
set / unset
clean / dirty
on / off
up / down
promote promoted promoting / demote demoted roll+back rolled+back revert
upgrade upgraded / downgrade downgraded
push pushed / pull pulled
merge merged merging / revert reverted reverting
confirm confirmed / cancel cancelled canceled
book booked reserve reserved / cancel cancelled canceled
subscribe subscribed / unsubscribe unsubscribed cancel cancelled
renew renewed extend extended / cancel cancelled terminate terminated
remember / forget forgot forgotten
trust / distrust
meet met meets reached hit / miss missed misses
single unmarried / married
honour honor obey respect respects honours / ignore ignores ignored
protect protects protected / damage damages ruin ruins harm harms destroy destroys
support supports supported / drop drops dropped
compress compressed / decompress expand expanded
daily / weekly monthly yearly
weekly / daily monthly yearly fortnightly
monthly / daily weekly yearly
uppercase upper-case capital / lowercase lower-case
alive / dead died
awake / asleep
common often frequently usually / rare rarely seldom
inclusive / exclusive
encrypt encrypted / decrypt decrypted plaintext unencrypted
mute muted / unmute unmuted
show shown visible / hide hidden invisible
read / write
~ send sent / receive received
~ credit / debit
valid / expired
income / expense expenses
asset / liability
~ buyer / seller
~ tenant / landlord
vertical / horizontal
major / minor
senior / junior
temporary temporarily / permanent permanently
legal / illegal
sober / drunk
quiet / loud noisy
wet / dry
thick / thin
wide / narrow
deep / shallow
loose / tight
raw / cooked
sweet / sour bitter salty
optimistic / pessimistic
happy glad pleased / unhappy sad upset
satisfied / dissatisfied unsatisfied
interested / uninterested
willing / unwilling
able / unable
likely probably / unlikely
certain sure / uncertain unsure
excessive too+much / little too+little
guilty / innocent
alone / together
increase / halve
double / halve halved
gained / lost
profit / loss
surplus / deficit
passed / failed
approved / denied
healthy / unhealthy
comfortable / uncomfortable
successful / failed
prepaid in+advance upfront / on+arrival afterwards
advantage / disadvantage drawback
pros / cons
deny denied / grant granted
hold held / release released
pause paused on+hold / resume resumed continue continued
freeze frozen / unfreeze thaw
mount mounted / unmount unmounted
block blocked / unblock unblocked
assign assigned / unassign unassigned
load loaded / unload unloaded
pack packed / unpack unpacked
plug plugged / unplug unplugged
front / back rear
top / bottom
upstairs / downstairs
inbound incoming / outbound outgoing
ascending / descending
synchronous / asynchronous
static / dynamic
local locally / remote
primary / secondary
buy / rent
none nobody neither / all everyone everybody both every
"""


def _forms(word: str) -> set[str]:
    """Return the stem of *word*, and the one it has where its last letter is doubled: dropping, dropped."""
    return {stem(word)} | ({word + word[-1]} if 3 <= len(word) <= 6 and word[-1] in "bdgmnprt" else set())


def _matters() -> tuple[dict[str, tuple[tuple[int, int], ...]], frozenset[str], frozenset[str]]:
    found: dict[str, set[tuple[int, int]]] = {}
    phrases = set()
    ends = set()
    for number, line in enumerate(_MATTERS.strip().replace("\n ", " ").splitlines()):
        if line.startswith("~"):
            ends.add(str(number))
        for side, words in zip((1, -1), line.removeprefix("~").split("/"), strict=True):
            for word in words.split():
                if "+" in word:
                    phrases.add(word.replace("+", " "))
                for form in [word] if "+" in word else _forms(word):
                    found.setdefault(form, set()).add((number, side))
    return {word: tuple(sorted(sides)) for word, sides in found.items()}, frozenset(phrases), frozenset(ends)


SIDES, _PHRASES, TWO_ENDED = _matters()
"""Stemmed word (or words joined by "+") → the matters it is of, each with its side, 1 or -1."""
PHRASE = re.compile(rf"\b(?:{'|'.join(sorted(map(re.escape, _PHRASES), key=len, reverse=True))})\b")
