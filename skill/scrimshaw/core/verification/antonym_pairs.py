"""Narrow matters: words that say the opposite of each other with the few that say the same.

Written as in core/verification/antonyms, without names, a semicolon between two. With them what else finds
words: prefixes, the irregular forms of verbs, and phrases that are not to be taken word by word. Data only.
"""

from __future__ import annotations

TWO_ENDED_PAIRS = """
buy purchase acquire snap+up procure purchaser acquisition / sell sale sell+off auction; borrow / lend;
arrive arrival / depart departure set+off leaves; import / export; send / receive; credit / debit
"""
"""One thing told from two ends: who sells and who buys. Neither is said against the other."""
PAIRS = """
exceed excess surplus above outnumber greater larger bigger higher plus? extra? additional upwards+of
in+excess+of north+of surpass outstrip outweigh / fewer smaller lesser lower below short+of? shy+of
fall+short short+by south+of; before prior+to prior beforehand precede previously earlier ahead+of
in+advance leading+up+to until? previous up+front upfront predate / after afterward later+than later follow?
subsequent subsequently thereafter in+the+wake+of ensuing on+completion+of as+soon+as; for+free
free+of+charge gratis complimentary on+the+house free waive comped free+access unpaid pro+bono / for+a+fee
chargeable at+a+charge at+extra+cost surcharge charge paid pays payable extra+charge fee price? costs+extra
bill? cost for+money; likely probable probably likelihood on+the+cards plausible expected chances+are
odds+on / unlikely improbable improbably doubtful implausible long+shot remote slim far+fetched
inconceivable; open reopen unlocked ajar wide+open accessible / close shut shut+off shutter sealed locked
closure boarded+up close+down shut+down; lock secured bolted padlocked / unlock unsecured unbolted; move
relocate relocation migrate transfer shift move+out move+away emigrate depart resettle moving+to
pull+up+sticks uproot / stay remain? stay+put stay+on settle? stand+still immobile stationary keep; rent
rental lease let? tenant / own? buy purchase homeowner freehold owner+occupied; shared? communal in+common /
exclusive exclusively dedicated private sole individual own? separate; new newer brand+new unused
factory+fresh latest mint+condition unopened newly+bought unworn fresh+out+of+the+box / used? second+hand
secondhand pre+owned preowned refurbished worn vintage hand+me+down reconditioned pre+loved old thrifted;
current currently present? incumbent existing nowadays these+days at+present serving in+force in+effect
active / former formerly ex previous previously past? erstwhile used+to+be in+the+past lapsed defunct
retired? historic repealed onetime; simple simpler simplest simplify simplicity basic plain straightforward
uncomplicated / complex complexity complicate intricate convoluted elaborate sophisticated involved?; dry
dried arid waterproof dryness drought parched rainless bone+dry / wet wetter damp soaked moist rainy humid
flooded drenched waterlogged soggy sodden dripping; sunny sunshine cloudless clear+skies bright / rainy
cloudy overcast rain stormy drizzle snowy grey foggy; hot hotter hottest warm* warmth boiling scorching heat
mild hot+weather sweltering roasting toasty preheated / cold colder coldest coldly cool cooler coolest
chilly freezing frozen icy frosty iced chill refrigerated cold+weather frost unheated nippy lukewarm;
strong* robust robustly sturdy sturdier powerful durable potent strengthen reinforced tough? solid?
unbreakable / weak* weakness feeble feebly frail fragile flimsy flimsier weaken brittle powerless faint
delicate watery; quiet* silent silently silence noiseless soundproof hushed inaudible peaceful muffled /
loud* noisy noisier noisily noise deafening blaring rowdy boisterous audible raucous; long longer longest
lengthy long+winded prolonged elongated extended marathon extensive / short shorter shortest shortened
brief* concise truncated shortish condensed abridged succinct cropped; lengthen extend prolong stretch
draw+out? elongate extension spin+out make+longer / shorten curtail cut+short truncate abridge condense
abbreviate trim cut+down make+shorter cut+back; tall taller tallest high higher highest / short shorter
shortest low lower lowest; high higher highest elevated peak top steep? maximum raised / low lower lowest
minimal reduced bottom minimum modest rock+bottom; wide wider widest broad* widen widely broaden spread+out?
/ narrow* slim cramped; thick* chunky dense / thin thinner thinnest thinly slim sliced+thin sparse skinny;
deep deeper deepest deepen / shallow* superficial; heavy heavier heaviest weighty hefty bulky / light
lighter lightest lightweight weightless featherweight; tight tighter tighten snug taut fastened / loose
loosely looser loosen slack baggy; near nearby close+to close+by nearest next+door around+the+corner
within+walking+distance closer adjacent local a+stone's+throw on+the+doorstep handy / far far+away distant
farther furthest remote a+long+way miles+away out+of+the+way away+from far+flung; soft* tender? softened
squishy cushioned / hard rigid firm? hardened stiff; sharp? sharper sharpened pointed / blunt bluntly dull?
unsharpened; smooth smoother evenly / rough bumpy uneven coarse roughened; bright brighter brightly well+lit
illuminated light / dark darker darkest dim* gloomy unlit shady darkness darkened poorly+lit; straight?
straighten / curved bent crooked curly wavy twisted; fresh freshly newly+baked just+baked fresher / stale
rotten mouldy rancid gone+off go+off expired spoiled past+its+best out+of+date frozen =tinned =canned
decayed wilted; raw? uncooked / cooked well+done boiled? roasted? baked? grilled?; sweet sweeter sugary
sweetened / sour bitter salty savoury savory unsweetened; delicious tasty yummy delectable mouthwatering
scrumptious appetising / disgusting tasteless bland inedible revolting gross yucky unappetising unpalatable;
ripe ripened mature / unripe immature underripe; firstly initial initially original? to+begin+with earliest
foremost / lastly last final finally ultimate closing concluding latest in+last+place at+the+end?; upper top
topmost upstairs above overhead uppermost on+top? / lower bottom downstairs below basement underneath
beneath lowermost ground+floor ground+level; upward upstream uphill upwardly / downward downstream downhill;
on+the+left left+hand left+side left+handed to+the+left leftmost left / on+the+right right+hand right+side
right+handed to+the+right rightmost right; inside indoor inner interior within? internal undercover /
outside outdoor outer exterior alfresco open+air beyond? external out+of+doors; front at+the+front
in+front+of / back? rear at+the+back behind in+back; ahead forward leading? in+the+lead / behind back?
backward reverse trailing lagging bringing+up+the+rear; vertical* upright portrait / horizontal* flat?
landscape lengthwise; north northern northward northbound / south southern southward southbound; east
eastern eastward eastbound / west western westward westbound; real? genuine* authentic* original? natural
actual bona+fide legit legitimate the+real+thing / fake counterfeit forged artificial* imitation bogus
phoney phony sham replica synthetic pretend pseudo mock? simulated knockoff faux ersatz fabricated forgery;
formal* official officially smart? suit+and+tie black+tie ceremonious dressed+up / informal* casual*
unofficial unofficially laid+back relaxed off+the+cuff offhand; win victory triumph winner come+first
victorious first+place / lose loss loser come+last runner+up knocked+out; awake wake+up woke+up woke get+up?
stay+up sleepless wide+awake up+late wakes awaken / asleep sleep go+to+bed doze nap fall+asleep nod+off
in+bed drift+off sound+asleep oversleep; rested refreshed energetic alert energised energized lively?
well+rested full+of+energy / tired exhausted sleepy weary worn+out drained fatigue knackered lethargic
burnt+out burned+out drowsy; marry engaged? husband wife spouse newlywed tie+the+knot got+married / single
unmarried divorce separated widowed bachelor unwed split+up break+up broke+up unattached separation; alive
survive survivor live? lives birth? born / dead died die death deceased pass+away passed+away perish killed
extinct dying; whole entire entirely fully full completely complete totally wholly throughout in+full
in+its+entirety all+of lock+stock thoroughly utterly / part? partial partially partly half some? in+part
portion? incomplete incompletely a+fraction half+of? section+of?; only just? solely exclusively sole merely
purely limited+to restricted+to confined+to / also additionally as+well besides in+addition moreover
among+others among+other+things; excessive* too+much too+many overly excess over+the+top overdone
exaggerated superabundance overkill / too+little too+few insufficient inadequate meagre sparing sparingly
moderate moderately modest moderation; maximum at+most up+to within? ceiling? cap? capped or+less or+fewer
or+under no+more+than upper+limit or+below limit limited+to / minimum at+least no+less+than or+more or+over
and+up upwards+of exceed lower+limit or+above; limit restricted capped cap? rationed finite / unlimited
limitless as+much+as unrestricted uncapped all+you+can boundless endless unmetered; over+budget
over+the+limit overspend overrun exceed overshoot go+over in+the+red / under+budget within+budget
within+the+limit underspend underspent below+budget on+budget within+the+budget in+the+black left+over; meet
reach hit? achieve attain fulfil satisfy exceed beat make? on+target / miss fall+short fell+short fails
short+of? below behind+target; heed take+into+account take+into+consideration pay+attention+to consider?
notice? mind? listen+to / ignore disregard neglect overlook brush+aside turn+a+blind+eye unheeded gloss+over
dismiss; help helpful assist? support facilitate aid assistance promote enable boost / hinder hamper impede
obstruct sabotage undermine thwart hindrance block prevent unhelpful stifle interfere+with get+in+the+way
harm hurt?; protect safeguard shield defend preserve save protection / damage ruin harm destroy endanger
jeopardise jeopardize expose? wreck spoil attack wreak+havoc; save savings put+by put+aside set+aside
economise economize frugal frugally thrifty thriftily scrimp tighten+_+belt stash+away / spend splurge
splash+out squander waste fritter extravagant lavish blow?; efficient* economical sparingly / wasteful*
inefficient* waste uneconomical; gain earn obtain acquire win+back regain get+back? / lose loss forfeit
deprived+of; refund return? give+back gave+back reimburse repay pay+back refundable money+back moneyback
hand+back / keep withhold retain forfeit nonrefundable non+refundable nonreturnable non+returnable pocket
final+sale; guilty guilt at+fault culpable to+blame responsible convict condemned liable blame incriminate /
innocent acquit cleared exonerate blameless innocence absolve vindicated; standard default off+the+shelf
stock? ready+made generic one+size+fits+all mass+produced out+of+the+box / custom customised customized
bespoke tailored tailor+made made+to+measure made+to+order personalised personalized; voluntary voluntarily
willingly of+_+own+accord by+choice on+_+own+initiative out+of+choice freely / forced compelled coerced
mandatory compulsory obliged involuntary involuntarily under+duress against+_+will pressured under+protest;
direct directly nonstop non+stop straight? straight+to firsthand first+hand / indirect* stopover layover
via? with+a+change roundabout through+an+intermediary secondhand detour connecting second+hand by+proxy;
explicit* expressly express? stated outright spelled+out in+so+many+words / implicit* implied tacit* hinted
between+the+lines insinuated; exact exactly precise* to+the+penny to+the+minute on+the+dot accurate sharp?
word+for+word verbatim literal literally / approximate approximately roughly inexact imprecise rough
ballpark about? around? loosely give+or+take paraphrased estimate vague vaguely more+or+less; clear?
clearly? obvious obviously unambiguous* plain evident crystal+clear legible readable lucid understandable /
unclear unclearly ambiguous vague* obscure blurry illegible confused hazy cryptic muddled incomprehensible
fuzzy blurred; specific specifically particular / generic general? generally broad across+the+board
sweeping; strict* stern sternly harsh severe stringent tough? rigid rigorous uncompromising hard+line
hardline by+the+book / lenient leniently leniency relaxed lax loose loosely permissive easygoing forgiving
soft+on go+easy+on; fixed flat? constant constantly steady steadily stable unvarying consistent / variable
floating vary fluctuate fluctuation volatile unstable erratic seesaw; stable stably reliable reliably steady
robust solid? dependable rock+solid sound? resilient / unstable unreliable* flaky flakily shaky intermittent
intermittently wobbly fickle temperamental undependable instability rickety; careful* cautious* thorough*
diligent* meticulous* prudent attentive conscientious / careless* reckless* sloppy sloppily superficial*
hasty rash negligent cursory slapdash heedless; patient? patiently / impatient impatiently impatience;
brave* courageous* bold fearless* / cowardly timid shy fearful afraid; honest honestly? truthful* sincere*
candid upfront / dishonest* lying lied lie? deceitful deceptive misleading insincere untruthful deceive
cheating; generous* generosity charitable / stingy mean? miserly tight+fisted ungenerous greedy; wealthy
wealthier affluent well+off well+to+do prosperous flush / poor poorer impoverished penniless hard+up broke
bankrupt skint destitute strapped; interested fascinated exciting gripping engaging riveting keen
enthralling intrigued captivating thrilling / uninterested disinterested indifferent bored dull? tedious
monotonous drab lost+interest unenthusiastic apathetic lack+of+interest; beautiful* pretty? gorgeous
attractive handsome lovely stunning elegant / ugly hideous unattractive unsightly eyesore tacky; busy busier
hectic bustling crowded rushed swamped snowed+under overworked =rammed busiest / quiet quieter calm idle
slack deserted dead unoccupied underworked quietest; active actively working in+use? lively? energetic
engaged? in+operation busy / inactive inactivity passive* idle dormant lazy sedentary out+of+use lapsed
unused retired? sluggish; employed working in+work have+a+job in+employment / unemployed jobless out+of+work
retired? between+jobs unemployment off+work signed+off; experienced expert advanced skilled seasoned veteran
proficient fluent well+versed professional / beginner inexperienced novice unskilled amateur rookie newbie
untrained new+to newcomer intermediate layman; senior chief? boss? superior head? / junior trainee
apprentice intern subordinate underling; know aware informed in+the+know notified told? familiar in+the+loop
up+to+speed conscious alerted found+out filled+in knowledge / unaware unknown unknowingly in+the+dark
uninformed ignorant oblivious unfamiliar unsuspecting out+of+the+loop clueless kept+from unbeknownst
uninitiated; remember recall? recalled memorise memorize / forget slip+_+mind overlooked neglected forgetful
omitted; show display visible visibly reveal expose? bring+up unhide appear? / hide invisible* conceal mask
obscure suppress out+of+sight camouflaged tucked+away disappear vanish; merge combine unite unify
consolidate pool integrate join amalgamate put+together bring+together bundle fuse lump+together / split
separate separately divide break+up split+up segregate isolate keep+apart decouple detach individual
separation partition carve+up take+apart pull+apart; connect attach link reconnect plugged+in hook+up
couple? hooked+up paired / disconnect detach unlink unplug sever cut+off uncouple unpaired; create build
make? construct? constructed erect set+up? assemble produce? generate? establish? / destroy tear+down
torn+down demolish knock+down dismantle pull+down raze delete bulldoze wreck disassemble take+apart disband;
deploy? roll+out rolled+out release? ship? merge publish push go+live? upgrade apply? promote commit /
roll+back rolled+back rollback revert undo back+out pull+back unpublish withdraw downgrade recall? backtrack
reset; upgrade promote promotion level+up move+up / downgrade demote demotion relegate; upload / download;
check+in checked+in / check+out? checked+out?; log+in login sign+in signed+in / log+out logout sign+out
signed+out log+off; pick+up? picks+up collect? collection? pickup fetch? in+store+pickup / drop+off
dropped+off deliver? delivery? home+delivery shipped+to; put+on? puts+on wear? wearing / take+off takes+off
took+off remove; move+in move+into / move+out vacate; load pack? / unload unpack empty; scale+up scale+out /
scale+down scale+in; push / pull; read read+access read+only / write writable read+write write+access
editable edit; release? let+go freed free / hold? withheld detained retained; freeze / thaw defrost melt
unfreeze unfrozen; encrypt encryption ciphered / plaintext unencrypted decrypt plain+text cleartext
in+the+clear in+clear+text; compress / decompress uncompressed unzipped expand; open+source / closed+source
proprietary; draft preliminary rough+draft work+in+progress first+draft / final finished definitive
finalised final+version published? signed+off; in+house internally internal ourselves / outsource external
externally contractor third+party contracted+out farm+out farmed+out agency; wired cabled by+cable
plugged+in corded / wireless wirelessly bluetooth wifi cordless battery+powered; sequential*
one+after+another in+sequence serial serially one+after+the+other in+turn? consecutive consecutively
back+to+back / parallel in+parallel concurrent* simultaneous* at+the+same+time at+once all+at+once;
synchronous* sync blocking / asynchronous* async nonblocking non+blocking; static statically hardcoded
hard+coded / dynamic* configurable on+the+fly; local locally on+premise on+premises self+hosted
on+the+laptop / remote remotely cloud? hosted in+the+cloud off+site offsite; ascending oldest+first
smallest+first lowest+first / descending newest+first largest+first highest+first; uppercase upper+case
capital? capitalised capitals / lowercase lower+case uncapitalised; inbound incoming ingress / outbound
outgoing egress; read+only readonly locked immutable / writable writeable editable mutable; primary main?
principal / secondary fallback backup replica standby; profit profitable profitably gain / loss unprofitable
loss+making at+a+loss; surplus in+the+black in+credit / deficit in+the+red overdrawn shortfall; income
revenue earnings earn / expense expenditure outgoings spending; asset / liability; taxable taxed pre+tax
before+tax gross / tax+free untaxed tax+exempt after+tax duty+free deductible; wholesale in+bulk / retail;
in+full lump+sum in+one+go all+at+once one+off+payment at+one+go / instalment installment in+instalments
in+installments in+stages gradually piecemeal bit+by+bit little+by+little phased spread+over
monthly+payments; prepaid prepay in+advance up+front upfront beforehand before advance+payment / on+arrival
afterwards on+delivery in+arrears on+completion after postpaid at+checkout on+receipt; cash in+cash
cash+only / by+card card+only cashless contactless credit+card debit+card bank+transfer; insured in+warranty
under+warranty under+guarantee covered? within+warranty / uninsured out+of+warranty uncovered
warranty+expired; day daytime daylight by+day / night nighttime overnight nightly nocturnal by+night
at+night; morning mornings / =evening =evenings night afternoon; weekday workday working+day during+the+week
/ weekend; summer summertime midsummer / winter wintertime midwinter; spring+term springtime / autumn
autumnal; daily every+day each+day / weekly monthly yearly annually fortnightly quarterly once+a+week
once+a+month every+week every+month biweekly; weekly every+week once+a+week / daily monthly yearly annually
fortnightly quarterly every+day every+month biweekly once+a+month; monthly every+month once+a+month
each+month / weekly daily yearly annually fortnightly quarterly every+week once+a+year every+day; part+time
parttime half+time / full+time fulltime; man men male gentleman / woman women female lady; brother / sister;
father dad daddy grandfather grandpa stepfather / mother mum mom mummy grandmother grandma stepmother;
grandfather grandpa granddad / grandmother grandma granny gran; son / daughter; uncle / aunt aunty; nephew /
niece; husband hubby / wife wives; friend ally partner? / enemy rival opponent adversary foe; agree concur
see+eye+to+eye on+the+same+page consensus unanimous* in+agreement of+one+mind in+accord get+along
get+on+with / disagree differ dispute at+odds quarrel argue? clash conflict divided at+loggerheads
disagreement fall+out split+on locked+in+dispute; majority? most most+of / minority? few least
a+fraction+of; most mostly / least fewest hardly+any; speak? talk? talkative outspoken chatty / silent
silently quiet mute? speechless taciturn shy; answer reply respond responsive / unanswered ignored
unresponsive ghosted left+on+read silent; beginning start+of onset outset / end+of ending close+of; entrance
enter entry / exit leave? left?; smoker smokes smoking+allowed / nonsmoker non+smoker nonsmoking non+smoking
smoke+free quit+smoking; alcoholic drunk tipsy boozy drinker inebriated intoxicated / sober teetotal
teetotaller nonalcoholic non+alcoholic alcohol+free dry abstinent off+alcohol; eats+meat meat+eater
carnivore omnivore meaty / vegetarian vegan meat+free meatless plant+based veggie; tolerate tolerant
fine+with can+eat / allergic allergy intolerant intolerance sensitive+to; caffeinated caffeine / decaf
decaffeinated caffeine+free; skimmed semi+skimmed low+fat fat+free / whole+milk full+fat full+cream;
sparkling fizzy carbonated / still+water uncarbonated noncarbonated; hand+luggage carry+on cabin+bag /
hold+luggage checked+baggage checked+bag checked+luggage checked+in+bag; one+way oneway single+ticket /
round+trip return+ticket return+trip two+way roundtrip; window+seat by+the+window / aisle+seat aisle;
double+room double+bed double / single+room single+bed single twin; double twice / halve half; positive
positively / negative negatively; pass / fail; black / white; restock replenish / sold+out out+of+stock
depleted run+low?; at+home? domestic domestically national / abroad overseas foreign international
out+of+the+country in+another+country; practical practice? hands+on / theoretical* on+paper in+theory
theory; input / output; supply / demand?; whole full / half part?; heating heater / cooling cooler
air+conditioning; on+or+before by+the+latest not+later+than / at+the+earliest; pay+rise raise bonus /
pay+cut cut wage+freeze; gain+weight put+on+weight / lose+weight shed+weight slim+down; vote+for voted+for
in+favour in+favor / vote+against voted+against against vote+down; suitable suit fit? appropriate works+for
convenient / unsuitable inappropriate unfit clash inconvenient unsuited; reachable contactable accessible
by+phone on+call / unreachable incommunicado out+of+reach off+duty; on+duty on+call on+shift / off+duty
day+off days+off off+work; resolve solve sort+out? fix iron+out patched settle? mend / unresolved unsolved
persist broken remains? recurs reappear unfixed; hurry rush make+haste / take+_+time take+it+slow wait?
linger dawdle; deposit pay+in paid+in / withdraw withdrawal take+out? took+out; inhabited occupied let?
rented+out lived+in tenanted / vacant empty unlet unoccupied uninhabited abandoned; pet+friendly
dogs+welcome pets+allowed / pet+free; attack attacker invade / defend defence defense defender; tested
proven tried+and+tested verified / untested unproven untried; promoted / relegated relegation demoted; join
enter arrive / leave left; still pending / already; add / drop remove delete; green / red; back returned /
away; keep retain / return refund; set / unset; fine intact / bent torn broken; keep / switch+off turn+off
shut+down decommission; where+it+is in+place / elsewhere somewhere+else move; traced tracked monitored /
untraced untracked unmonitored; tell inform notify mention reveal disclose report brief / conceal withhold
keep+from hide+from spare omit hush keep+quiet keep+in+the+dark kept+from hold+back hidden+from gloss+over
conceal+from; cause provoke trigger bring+about lead+to give+rise+to spark prompt result+in / prevent avert
avoid forestall preclude stop ward+off head+off nip+in+the+bud; relieve ease soothe alleviate cure calm
mitigate soften / aggravate worsen exacerbate inflame intensify irritate cause trigger; because due+to
thanks+to owing+to on+account+of as+a+result+of by+reason+of / despite in+spite+of although though
even+though regardless+of irrespective+of notwithstanding; apart+from save+for other+than
with+the+exception+of / including together+with along+with as+well+as and+also plus; until till up+until
up+to / as+of from+then+on starting+from since+then onwards; alone only+that just+that / as+well
in+addition; hand+over pass+on give+out release send+off share? distribute issue hand+out / withhold
hold+back keep+back retain held+back sit+on hang+on+to; rescue salvage restore recover save / sacrifice
abandon scrap destroy lose beyond+repair irretrievable unrecoverable; surplus glut oversupply abundance
excess / shortage scarcity deficit lack dearth shortfall run+short run+low; preservation retention keeping /
deletion removal disposal destruction; beneficial helpful effective useful usable / ineffective useless
harmful pointless worthless counterproductive; given+that provided+that provided as+long+as
on+condition+that only+if / regardless+of+whether; agree+to agree+with welcome approve accept consent+to
sign+up+to / object+to objection contest oppose take+issue+with; execute carry+out perform implement fulfil
undertake accomplish complete go+through+with put+into+practice conduct / omit skip forgo forego refrain
refuse neglect reject skimp drop shirk fail stop cancel abandon dispense+with give+up; clog block obstruct
=jammed congested bunged+up gridlocked blockage / unobstructed passable flowing unclog unblock; leave+in
leave+inside leave+on keep+in leave+_+in / take+out take+_+out leave+out cut+out strip+out keep+out+of
leave+out+of take+out+of remove; matte / glossy gloss shiny; dawn sunrise daybreak / dusk sunset nightfall
sundown; normal within+range in+range normal+range average / too+low too+high out+of+range deficient
elevated abnormal subnormal; compile+time build+time / run+time runtime; restore recover reinstate undelete
bring+back retrieve / delete remove wipe erase discard purge scrap; expand unfold / collapse fold minimised;
cope handle? manage? deal+with master take+in+_+stride / choke struggle stumble trip+over overwhelm founder
grapple; save / cost; freelance freelancer self+employed independent+contractor / employed employee salaried
permanent+contract on+the+payroll; mutual mutually reciprocal bilateral both+sides two+way / one+sided
one+way unilateral; notice spot discover catch detect pick+up+on / overlook miss; a+plus an+advantage
a+bonus nice+to+have preferred welcome / compulsory mandatory required essential a+must must obligatory;
contest dispute fight appeal challenge resist / give+in concede accept acknowledge admit settle? surrender
yield cave+in back+down; pursue press+on keep+at persevere follow+up / give+up drop abandon walk+away+from
let+go+of; exception one+off exceptional / rule norm standard; postpone delay pause put+on+hold suspend
defer adjourn / cancel call+off discontinue scrap terminate abandon; plan intend aim want envisage
contemplate desired possible / rule+out out+of+the+question dismiss off+the+table; lose mislay misplace
go+missing / find found turn+up recover retrieve come+to+light; black+and+white monochrome greyscale /
colour color in+colour; on+paper paper? hardback paperback printed / on+screen e+book ebook screen digital;
wanted desired preferred welcome sought+after in+demand requested / unwanted undesired unwelcome
undesirable; heed follow? uphold accept respect? stand+by / overrule override disregard ignore dismiss;
enrolment enrollment registration sign+up entry / withdrawal deregistration cancellation resignation
departure; carried passed adopt approve vote+through / defeated vote+down rejected thrown+out; =named
identified by+name identifiable / anonymous anonymously anonymity unnamed nameless anonymise pseudonym;
double+sided both+sides two+sided / single+sided one+sided; well+funded in+funds solvent / short+of+funds
broke insolvent short+of+money bankrupt; bring+along bring take+along come+along come+too / leave+behind
leave+at+home stay+behind stay+at+home; stay keep remain / has+to+go have+to+go must+go can+go should+go
goes+away go+away to+go; regret sorry bemoan rue / relief relieved glad pleased; complete whole full entire
/ truncated incomplete cut+off cropped abridged; mute silence snooze / unmute sound? audible alerting;
recover recovery recuperate pick+up? bounce+back improve / relapse deteriorate worsen decline further+fall;
in+earnest seriously serious / as+a+joke jokingly joking for+fun just+kidding in+jest; tend look+after
care+for take+care+of nurse / neglect forget abandon let+go+to+seed leave+to+die; nearly+all almost+all
most+of almost+every the+majority / hardly+any barely+any very+few; included part+of+the+price in+the+price
all+in all+inclusive / on+top extra at+extra+cost surcharge additional+charge billed+separately; on?
activate enable live? running? / off? inactive disable; on / off; unchanged same stable steady / better
improve; unchanged same stable steady / worse worsen deteriorate; unchanged flat stable steady constant
the+same as+before / rise increase grow climb raise soar double go+up; unchanged flat stable steady constant
the+same as+before / fall decrease drop shrink lower reduce halve cut go+down; still / stop quit cease
give+up; grant restore / revoke remove withdraw take+away; enough sufficient ample / run+out run+out+of
run+low
"""
PREFIXED = {
    "un": """
acceptable affected ambiguous armed assigned authorised authorized aware balanced biased block born certain
changed checked clear comfortable common conditional confirmed connected conscious controlled cooked covered
damaged decided defined documented easy edited employed encrypted equal ethical expected explained fair
familiar fasten favourable finished fit follow foreseen fortunate friendly furnished grateful guarded happy
harmed healthy heated hurt identified important informed inhabited insured intended intentional interested
interrupted invited known labelled lawful licensed likely limited listed load lock lucky married matched
mount mute named natural necessary noticed occupied official opened opposed pack paid paved planned pleasant
plug popular predictable prepared productive profitable protected proven published qualified readable
realistic reasonable registered regulated related reliable reserved resolved responsive restricted reviewed
safe satisfactory satisfied scheduled screw sealed seen settled signed skilled solicited solved specified
spoiled stable staffed steady subscribe successful suitable supervised supported sure tested tidy tie
touched traced trained treated typical usable used usual vaccinated validated verified viable wanted
warranted welcome wrap archive pin freeze hide link select check install acknowledged addressed announced
answered anticipated approved attended audited available bothered cached capped compressed concerned
disclosed disturbed fulfilled funded guaranteed helpful hurried impressed indexed injured inspired justified
manageable measured monitored motivated noticeable obstructed painted patched polluted posted printed
processed punished recognised recorded refrigerated revised ripe salted scented seasoned secured sold spent
stamped sweetened taxed tracked translated ventilated watched weighted workable written
""",
    "in": """
accessible accurate active adequate admissible advisable appropriate audible capable coherent compatible
competent complete conclusive consistent constant convenient correct curable decisive definite dependent
direct discreet edible effective efficient elastic eligible exact experienced finite flexible formal
frequent justice offensive operable organic sane secure sensitive separable significant soluble sufficient
tangible tolerable tolerant valid visible voluntary
""",
    "im": """
balance material mature mobile moral mortal patient perfect permeable polite possible practical precise
probable proper pure
""",
    "ir": """
rational recoverable refutable regular relevant replaceable responsible reversible
""",
    "il": """
legal legible legitimate literate logical
""",
    "dis": """
advantage agree allow approve assemble believe connect continue engage favour favor honest infect inherit
loyal obey obedient organised organized pleased prove qualify regard respect respectful satisfied similar
trust
""",
    "non": """
alcoholic binding compliant dairy deductible empty essential existent fatal fiction flammable invasive
native negotiable profit refundable renewable resident returnable smoker smoking standard taxable toxic
transferable urgent verbal violent
""",
    "de": """
activate centralise classify compress crease encrypt escalate frost hydrate mobilise populate regulate
serialise stabilise
""",
    "over/under": """
booked charged cook cooked developed dressed estimate estimated exposed fund funded inflated paid pay
perform priced rated ripe spend staffed use used value weight
""",
}
"""Prefixes that turn a word, or that say the opposite of each other, with the words they are used with."""
NEUTRAL = """
in+order+to as+long+as so+far by+far long+ago before+long in+short for+short at+last last+week last+year
last+month last+night last+time last+name first+name first+thing kind+of sort+of right+now right+there
right+here good+morning good+night good+afternoon good+evening new+year new+york old+town high+school
high+street hard+drive hard+disk light+bulb heavy+metal hot+dog soft+drink full+stop white+paper dry+run
deep+dive fast+food slow+cooker sick+leave annual+leave parental+leave maternity+leave hot+water cold+water
open+day as+far+as like+that like+this look+like feel+like something+like sound+like follow+up set+of
safe+to+say close+call in+the+long+run in+the+first+place keep+in+mind bear+in+mind mind+you keep+an+eye
public+holiday bank+holiday public+transport bus+stop end+user front+end back+end full+name short+story
short+list free+time spare+time half+hour back+up back+in back+to back+from back+at let+_+know win+win
at+the+same+time+as well+known black+friday cold+brew raw+data hot+chocolate high+five low+season
high+season little+one private+message in+the+fall this+fall next+fall last+fall remote+control news
building buildings meeting meetings means meaning meant goods shorts customs setting settings reading
readings
"""
"""Phrases in which a word has not the sense that it has an opposite in."""
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
