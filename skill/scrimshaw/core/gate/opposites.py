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
 disable deactivate shut+down shuts+down decommission
 decommissioned turn+off turned+off switch+off switched+off turns+off switches+off turning+off
 disabling
allow permit allowed permitted permits / forbid ban prohibit disallow block forbidden banned bans
accept approve agree agreed sign+off signed+off grant granted endorse say+yes said+yes go+ahead confirm
 welcome take+up / reject decline refuse deny turn+down turned+down turns+down turning+down veto
 disapprove rejected denied said+no withdraw
pass succeed succeeded succeeds green success successful successfully finish finished complete completed /
 fail failure red unsuccessful failing
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
working works work worked suit suits / broken breaks broke fail fails failed
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
happy glad pleased / unhappy sad upset
satisfied / dissatisfied unsatisfied
interested / uninterested
willing / unwilling
able / unable
likely probably / unlikely
certain sure / uncertain unsure
excessive too+much / little too+little
alone / together
double / halve halved
profit / loss
surplus / deficit
passed / failed
approved / denied
healthy / unhealthy
comfortable / uncomfortable
successful / failed
prepaid in+advance upfront / on+arrival afterwards
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
enough sufficient suffices suffice ample / insufficient too+few exhausted runs+out ran+out run+out used+up
 falls+short fell+short scarce
fine ok okay intact sound undamaged healthy / bent broken damaged cracked faulty defective torn leaking worn
 overloaded ruined problem wrong broke
keep keeps kept retain retained / destroy destroyed lose loses lost removed revoked delete deleted wipe wiped
 discard discarded throw+away thrown+away scrap scrapped
keep keeps kept / shut+down turned+off switched+off decommission decommissioned
stable flat constant unchanged / grows grew growing fluctuates unstable
unchanged same identical / changed changes different
unchanged same / worse worsened
unchanged same / better improved
free+of+charge for+free gratis complimentary / for+a+fee at+a+charge
paid covered reimbursed refunded repaid / unpaid uncovered kept withheld retained
refund refunded return returned give+back gave+back / keep kept withhold withheld retain retained
urgent pressing immediate / non-urgent minor can+wait unhurried
away absent gone / back returned present around
approve approved back / revert reverted reject rejected
renew renewed renewal renewing extend extended / cancel cancelled cancellation terminate terminated lapse
 lapsed
inhabited let occupied rented rented+out / empty vacant unlet unoccupied
unlimited limitless as+much+as / none limited capped no
left+over unspent / overspent exceeded used+up exhausted
met meets reached hit achieved achieves / missed misses failed below fell+short short+of
sunny / rainy cloudy overcast
covered included includes / excluded uncovered left+out untraced
traced tracked monitored / untraced untracked unmonitored
normal ordinary regular / special gluten-free vegan unusual
elsewhere somewhere+else / where+it+is in+place
directly direct / indirectly
begin begins start starts starting started / no+longer stop stops stopped
granted grant gave+access gained / removed revoked withdrew withdrawn revoke took+away
add adds adding introduce introduced / drop drops dropping dropped remove removes omitted
agree agreed agrees / object objected objects disagree disagreed oppose
signed sign / unsigned
happened occurred took+place / fell+through called+off
confirmed going+ahead goes+ahead on+track / called+off cancelled postponed put+off delayed shelved dropped
on+time punctual / late delayed overdue behind+schedule
ahead+of+schedule / behind+schedule delayed
postponed postpone put+off push+back pushed+back delay delayed / brought+forward bring+forward earlier
hurry rush / wait delay
accepted accepts accept admitted / turned+down rejected rejects declined refused
invited invite / uninvited disinvited
present attending attends attend came comes / absent skipped skips missing misses
employed working / unemployed jobless
beginner beginners novice / expert advanced experienced
odd / even
positive positively / negative negatively
active actively / inactive passive idle dormant
same / other different
forward forwards ahead / reverse back
calm relaxed / nervous anxious stressed tense
careful carefully / careless carelessly
clear clearly / unclear vague ambiguous
complex complicated / simple straightforward
continue continued continues go+on carry+on / stop stopped discontinue discontinued
create created creates build built / destroy destroyed tear+down torn+down demolish demolished delete
deposit deposited / withdraw withdrew withdrawn withdrawal
domestic / foreign abroad overseas
abroad overseas / at+home
demand / supply
entrance entry enter enters / exit leave leaves
exact exactly precise / approximate roughly inexact
expand expanded widen widened / shrink narrow narrowed contract contracted
fresh / stale
gentle mild / harsh severe
harmless / harmful
heating / cooling
help helps helped / hinder hinders hurts
input / output
lead leads / follow follows
lengthen lengthened longer / shorten shortened shorter
lenient relaxed / strict strictly
loosen loosened / tighten tightened
mandatory compulsory / voluntary optional
many / few hardly+any
maximise maximize / minimise minimize
modern contemporary / old-fashioned outdated
near nearby close+to / far away+from
noisy / silent quiet
often regularly / rarely seldom never hardly+ever
older oldest elder / younger youngest
part-time / full-time
part partial partially / whole full fully
patient / impatient
popular / unpopular
possible feasible / impossible infeasible
practical / theoretical
predictable / unpredictable
regular / irregular
relevant / irrelevant
reversible / irreversible
rough / smooth
secure secured / insecure unsecured
serious / harmless trivial
sharp / blunt dull
sink sank sunk / rise rose float
skilled / unskilled
tall taller / short shorter
tidy / messy untidy
thaw thawed melt melted / freeze frozen froze
together jointly shared / separately apart alone
transparent / opaque
check+in checks+in checked+in / check+out checks+out checked+out
log+in logs+in logged+in sign+in / log+out logs+out logged+out sign+out
opt+in opts+in opted+in / opt+out opts+out opted+out
pick+up picks+up picked+up / drop+off drops+off dropped+off
put+on puts+on / take+off takes+off
move+in moves+in moved+in / move+out moves+out moved+out
phase+in / phase+out
scale+up scales+up scaled+up scale+out / scale+down scales+down scaled+down scale+in
roll+out rolled+out / roll+back rolled+back
set+up / take+down taken+down
opening opens / closing closes
in+stock / out+of+stock sold+out
in+person face+to+face on-site / online remotely by+phone by+video
by+mail by+email by+e-mail / by+phone
dedicated / shared
furnished / unfurnished
sealed / unsealed
licensed / unlicensed
read-only / writable read-write
tested / untested
reviewed / unreviewed
documented / undocumented
used / unused
supported supports / unsupported dropped deprecated
staffed / unstaffed
verified / unverified
authorised authorized / unauthorised unauthorized
changed / unchanged
limited / unlimited
certain / uncertain
affected / unaffected
expected / unexpected
planned / unplanned
wanted / unwanted
necessary needed / unnecessary unneeded needless
acceptable / unacceptable
reachable / unreachable
readable / unreadable
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
