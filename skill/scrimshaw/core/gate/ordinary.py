"""Ordinary English words that open a sentence with a capital and are nobody's name; short forms.

A note may open with a word that the source does not hold ("Prefers", "Deadline"), but not with a name
that it does not hold. No grammar tells the two apart, so this list does; words that are also people's
names (Mark, Grace, Will) are left out. Not complete: endings that only words have are looked at beside
it (core/gate/literals).
"""

from __future__ import annotations

from scrimshaw.core.claims import stem

_WORDS_TEXT = """
carpool fixture fixtures intern interns a abandon ability able above abroad absence absent abuse academic
accept access accident accommodation account accountant ache acknowledge acquire across act action active
activity actual ad adapt add address adjust admin administrator admit adopt adult advance advantage
adverse advertise advice advise affair affect afford afraid after afternoon again against age agency
agenda agent aggressive ago agree agreement ahead aid aim air aircraft airline airport alarm album alcohol
alert alias alive all allergy allergic allergies allocate allow allowance almost alone along already also
alternate alternative although always amend among amount analyse analysis analyze ancient anger animal
anniversary announce annual another answer antibiotic any anybody anyone anything apartment apologise app
appeal appear apple appliance application apply appoint appointment appreciate approach appropriate
approval approve approximate architect archive area argue argument arm army around arrange arrest arrival
arrive art article artist as ask aspect assembly assert assess asset assign assist assistant associate
assume at attach attack attempt attend attention audience audio audit aunt author authority auto automatic
autumn available average avoid await award aware away awful baby back backend background backlog backup
bad badge bag baggage balance balcony ball ban band bandwidth bank bar bare bargain base baseline basic
basis basket batch bath bathroom battery battle be beach bean bear beat beautiful because become bed
bedroom bedtime beef beer before begin beginner behaviour behavior behind belief believe belong below belt
bench benchmark benefit beside best bet beta better between beverage beyond bicycle bid big bike bind bird
birth birthday bit black blame blank blanket blind block blocker blog blood blow blue board boat body
boiler bonus book booking boot border boring borrow boss both bother bottle bottleneck bottom bought bound
boundary bowl box boy boyfriend branch brand bread break breakage breakfast breath brick bride bridge
brief bright bring broad broadband broke broken broker brother brought brown browser brush bucket budget
buffer bug build builder building built bulb bulk bus business busy but butter button buy buyer by cabin
cabinet cable cache cake calculate calendar call caller calm camera camp campaign can cancel cancer
candidate cap capacity capital car card care career careful cargo carpet carrier carry cart case cash cat
catch category cause caution ceiling cell center central centre ceremony certain certificate chain chair
challenge champion chance change channel chapter character charge charger charity chart chat cheap check
checklist checkout cheese chef chemical chest chicken chief child childcare children chip chocolate choice
choir choose chose chosen church cinema circle circuit citizen city claim class classic clean cleaner
clear clerk clever click client climate climb clinic clip clock clone close closet cloth clothes cloud
club cluster coach coast coat code coffee cold collaborate colleague collect collection college colour
color column combine come comfort command comment commercial commission commit committee common
communicate community commute company compare compatible competition competitor complain complaint
complete complex component compress compromise compute computer concept concern concert condition conduct
conference confidence configuration configure confirm conflict confuse connect connection consequence
consider consist console constant constraint construct consult consultant consume contact contain
container content contest context continue contract contractor contrast contribute control conversation
convert cook cookie cooking cool coordinate copy core corner correct cost costs cottage cough could
council count counter country couple coupon courier course court cousin cover coverage coworker crash
crate cream create creative credential credit crew crisis criteria criterion critic critical crop cross
crowd crucial cruise cry culture cup cupboard curious currency current curtain custom customer cut cutoff
cutover cycle dad daemon daily damage dance danger dangerous dark dashboard data database date daughter
day daycare dead deadline deal dealer dear death debate debt debug decade decide decision deck declare
decline decorate decrease dedicate deep default defect defend defer define degree delay delegate delete
deliver delivery demand demo democracy dense dental dentist deny depart department departure depend
dependency deploy deployment deposit depth deputy describe desert deserve design desk despite dessert
destination destroy detail detect determine develop developer device diabetes diagnose diagnosis diagram
dialog diary did diet difference different difficult digital dinner direct direction director dirty
disable disagree discard discount discover discuss discussion disease dish dishwasher disk dislike dismiss
display dispute distance distribute district disturb divide do doc doctor document documentation dog
dollar domain domestic donate donation done donor door dose double doubt down download downtime dozen
draft drain draw drawer dream dress drill drink drive driver drop drug dry due duplicate duration during
duty each eager ear earlier early earn earth ease east easy eat economy edge edit edition editor education
effect effective efficient effort egg eight either elderly elect electric electrician electricity element
eleven eligible else email embed emergency employ employee employer empty enable encode encounter
encourage encrypt end endpoint enemy energy enforce engage engine engineer enjoy enough enquire enrol
ensure enter enterprise entertainment entire entrance entry environment equal equipment equity error
escalate escape especially essay essential establish estate estimate euro evaluate even evening event
eventual every everybody everyone everything evidence exact exam examine example exceed excellent except
exception excess exchange excited exclude exclusive excuse execute executive exercise exhibition exist
exit expand expect expected expense expenses expensive experience experiment expert expire expiry explain
export expose express extend extension extent external extra extract extreme eye fabric face facility fact
factor factory fail failure fair fall false familiar family famous fan far fare farm farmer fast fat
father fault favourite favorite favour feasible feature february fee feed feedback feel feet fell female
fence ferry festival fetch fever few fiance fiber field fifteen fifth fifty fight figure file fill film
filter final finance financial find fine finger finish fire firewall firm firmware first fish fit fitness
five fix flag flat flavour flexible flight float flood floor flour flow flower flu fly focus folder follow
food foot football for forbid force forecast foreign forest forget fork form formal format former formula
forty forum forward found foundation four fourth fraction frame framework free freelance freeze freezer
frequency frequent fresh fridge friend from front frontend frozen fruit frustrated fuel full fully fun
function fund fundraiser funeral furniture further future gain gallery game gap garage garden garlic gas
gate gateway gather gave gear gender general generate generation genre get gift girl girlfriend give given
glad glass global gluten go goal gold golf gone good goods government grade graduate grain grammar grandma
grandmother grandfather grandpa grandparents grandson grass great green greet grid grocery groceries
ground group grow growth guarantee guard guess guest guidance guide guideline guitar gun gym habit hack
had hair haircut half hall hallway hand handbook handle handover hang happen happy harbour hard hardly
hardware has hash hat hate have he head headache heading headline headphones health healthy hear heart
heat heater heating heavy height held help helper her here hers hesitate high hike hiking him hint hire
his history hit hobby hold holiday home homepage homework honest honeymoon honour hook horrible horse
hospital host hosting hot hotel hour hours house household housing how however huge human hundred hung
hungry hunt hurt husband hybrid ice idea ideal identify identity idle if ignore ill illness image imagine
immediate impact implement import important impossible improve in inbox incident include income increase
indeed independent index indicate individual indoor industry inflation influence inform information
infrastructure ingredient inherit initial initiative injury inner input insert inside insist inspect
install installment instance instead instruction instrument insurance insurer integrate integration intend
intent interest interface interfere internal international internet interpret interval interview into
introduce invent invest investigate investment investor invitation invite invoice involve is island
isolate issue it item its itself jacket jam job join joint joke journal journey judge juice jump junior
jury just justify keep kept kernel key keyboard kid kidney kids kill kilo kind kitchen knee knife knock
know knowledge label laboratory labour labor lack ladder lamp land landlord landlady language laptop large
last late latency later latest laugh launch laundry law lawyer layer layout lead leader leak learn lease
least leather leave lecture left leg legacy legal lend length lens less lesson let letter level liability
library licence license lie life lift light like likely limit line link linter lint liquid list listen
literally literature little live load loan lobby local locate location lock log logging login logo long
look loop lose loss lost lot loud love low loyal luck lucky luggage lunch lung machine magazine mail
mailbox main mainly maintain maintenance major make male mall man manage manager mandatory manner manual
manufacture many map marathon margin market marketing marriage married mass massage master match material
maths matter maximum maybe me meal mean meaning means measure meat mechanic mechanism media medical
medicine medication meditation medium meet meeting member membership memory mental mention mentor menu
merchant merge merger mess message met metal method metric metrics microphone microservice mid middle
midnight migraine migrate migration mild mileage milestone military milk mind mini minimal minimum
minister minor minute mirror miss missing mission mistake mix mobile mock mode model modern modest modify
module moment monday money monitor monitoring month monthly mood more morning mortgage most mother motion
motivate motor mount mountain mouse mouth move movie much multi multiple municipality muscle museum
mushroom music musician must mute mutual my name named narrow national native nature naturally near nearly
necessary neck need needle negative neglect negotiate neighbour neighbor neither nephew nervous net
network neutral never nevertheless new newest news newsletter newspaper next nice niece night nightly nine
nobody node noise none nonprofit noon nor normal north nose not note notes notebook nothing notice notify
notification novel now number nurse nut object objective obligation observe obtain obvious occasion occupy
occur ocean odd of off offer office officer offline offset often oil old older omit on once one ongoing
onion online only open opening operate operation operator opinion oppose opposite opt optimise optimize
option optional or orange orchestra order ordinary organic organise organize orientation origin original
other others otherwise ought our out outage outcome outdoor outer outlet outline output outside
outstanding oven over overall overdue overhead overlap overnight oversee overtime overview owe own owner
ownership pace pack package packet padding page pain paint painter painting pair palette pan panel panic
pantry paper parallel parcel parent parents park parking parliament parse parser part partial participant
participate particular partition partner partnership party pass passenger passport password past pasta
paste patch path patience patient pattern pause pay payment payments payout payroll peace peak peer
penalty pending pension people pepper per percent percentage perfect perform performance perhaps period
permanent permission permit person personal personnel persuade pet pharmacy phase phone photo photographer
photos phrase physical physio physiotherapist physiotherapy piano pick pickup picnic picture piece pile
pilot pin pipe pipeline pitch pizza place plain plan plane planner plant plastic plate platform play
player playlist please pleased plenty plug plumber plus pocket podcast poem point police policy political
pool poor pop popular population port portal portfolio portion portrait position positive possess possible
post postcode poster postpone potato potential pound power practical practice prayer precise predict
prefer preference pregnancy pregnant premium prepare preparation prescription present presentation
president press pressure presume pretty prevent preview previous price prices pricing primary prime
princess print printer prior priority prison privacy private privilege prize pro probably probe problem
procedure proceed process processor procure produce producer product production profession professional
professor profile profit program programme progress prohibit project projector promise promote promotion
prompt proof proper property proportion proposal propose prospect protect protein protest protocol
prototype proud prove provide provider provision proxy public publish publisher pull pump punctual
purchase pure purple purpose pursue push put puzzle qualify quality quantity quarter quarterly quarantine
query question queue quick quiet quit quite quota quote race racket radio rail railway rain raise ran
random range rank rapid rare rate rather ratio raw reach react read reader ready real realise realize
really reason reasonable rebase reboot rebuild recall receipt receive recent reception recipe recipient
reckon recognise recommend recommendation record recording recover recovery recruit recruiter recurring
recycle red redeploy redesign redirect reduce redundant refactor refer reference refill refinance reflect
refresh refrigerator refund refuse regard region regional register registration regression regret regular
regulate rehearsal rehearse reject relate relation relationship relative relax release relevant reliable
relief religion relocate reluctant rely remain remainder remaining remember remind reminder remote remove
rename renew renewal renovate renovation rent rental reorder reorganise repair repeat replace replacement
replica replicate reply report repo repository represent reproduce request require requirement rerun
research reservation reserve reset reside resident resign resist resolve resort resource respect respond
response responsible rest restart restaurant restock restore restrict restriction result resume retail
retain retention retire retirement retreat retro retrospective retry return reuse revenue reverse revert
review revise revoke reward rewrite rice rich ride ridiculous right ring rise risk risky ritual rival
river road roadmap roast role roll rollback rollout roof room roommate root rope rota rotate rotation
rough roughly round route router routine row rule rules run runbook runner running runtime rush sad safe
safety said salad salary sale sales salmon salt same sample sandbox sandwich satisfy sauce save savings
say scale scan scanner scare scene schedule schema scheme scholar scholarship school science scientist
scope score scratch screen screening screenshot script scrum sea seal search season seat seating second
secondary secret secretary section sector secure security see seed seek seem select self sell seller
semester seminar send senior sense sensitive sensor sent sentence separate sequence series serious serve
server service session set settle settlement setting settings setup seven several severe severity sewing
shadow shall shape shard share shareholder sharp she shed sheet shelf shell shelter shift ship shipment
shipping shirt shoe shoes shoot shop shopping short shortage shorter should shoulder show shower shut
shutdown sibling sick side sign signal signature signup silence silent silver similar simple simply since
sing single sink sister site situation six size skating ski skill skin skip sleep sleeper slice slide
slides slight slot slow small smart smell smoke smooth snack snapshot snow so social socket sofa soft
software soil solar sold soldier sole solid solution solve some somebody someone something sometimes son
song soon sore sorry sort sound soup source south space spare spark speak speaker special specialist
specific specification spec speech speed spelling spend spent spike spill split sponsor spoon sport sports
spot spouse spread spreadsheet spring sprint square stable stack staff stage staging stakeholder stale
stand standard standby standup start startup state statement station statistic stats status stay steady
steak steal steel step stick still stock stomach stood stop storage store storm story stove straight
strange strategy stream street strength stress stretch strict strike string strong structure struggle
student studio study stuff style subject submission submit subnet subscribe subscription subsequent
substitute subtask subtitle suburb succeed success successful such sudden sue suffer sufficient sugar
suggest suggestion suit suitable suitcase sum summary summer sun super supervisor supper supplement
supplier supply support suppose sure surface surgeon surgery surplus surprise survey survive suspect
suspend sweet swim swimming switch symptom sync syntax synthetic system tab table tablet tag tail take
taken talent talk tall tank tap tape target tariff task taste taught tax taxes taxi tea teach teacher team
tear technical technique technology teen teenager teeth telephone television tell temperature template
temporary ten tenancy tenant tend tender tennis tension tent term terminal terminate terms terraform
terrible territory test tester testing text than thank that theatre theater their them theme then theory
therapist therapy there therefore these they thick thin thing think third thirteen thirty this those
though thought thousand thread threat three threshold throat through throughput throughout throw ticket
tidy tie tight tile time timeline timeout timer timesheet timestamp timezone tiny tip tire tired tissue
title to toast today together toggle toilet token told tolerate tomato tomorrow ton tone tonight too took
tool tooling tooth top topic total touch tough tour tourist toward towel tower town toy trace track
tracker tracking trade tradition traffic trail trailer train trainer training transaction transfer
transform transit translate translation transport trash travel traveler tray treat treatment tree trek
trend trial trick trigger trip trouble truck true truncate trust truth try tube tuition tune tunnel tutor
tutorial twelve twenty twice twin two type typical typo tyre ugly ultimate umbrella unable unauthorized
uncertain unchanged uncle unclear under undergo understand undo uneasy unexpected unfortunately unhappy
uniform union unique unit unite universe university unknown unless unlike unlikely unlimited unlock unpaid
unpleasant unrelated unresolved unsubscribe unsure until untouched unused unusual up upcoming update
updated upgrade upload upper upset upstream uptime urgent usage use used useful user users usual utility
vacant vacation vaccine vaccination vacuum valid validate valley valuable value van variable variant
variety various vary vault vegan vegetable vegetarian vehicle vendor venue verbal verdict verify version
versus very vessel vet veto via victim video view village violin virtual virus visa visible visit visitor
vital vitamin vocabulary voice volume voluntary volunteer vote voucher vpn wage wait waiter wake walk wall
wallet want warehouse warm warn warning warranty was wash washing waste watch water watering wave way we
weak wealth weapon wear weather web webhook website wedding weed week weekday weekend weekly weigh weight
weird welcome well went were west wet what whatever wheel when whenever where whereas wherever whether
which while whisky white who whole wholesale whom whose why wide widget wife wifi wild willing win wind
window windows wine winner winter wire wireless wish with withdraw withdrawal within without witness woke
woman women won wonder wooden word words work worker workflow workload workout workplace works workshop
world worn worried worry worse worst worth would wound wrap wrist write writer writing written wrong yard
yeah year yearly yellow yes yesterday yet yield yoga you young younger your yours youth zero zone zoo
"""
ORDINARY = frozenset(stem(word) for word in _WORDS_TEXT.split())
# Short forms that stand for no person or place: a note may say what a thing is called in general.
_SHORT_TEXT = """
iu ai am api app apr b2b b2c bst cd ceo cest cet cfo ci cli cm coo cpu crm css csv cto cv db dba dm dns
dob e2e eod eom eoy est eta etc faq fri ftp fyi gb gbp gmt gpu gui hq hr html http https id iban ide ii
iii iot ip iso it iv json jwt kb kg km kpi kwh lan mb md mfa ml mm mon mr mrs ms mvp n/a na nda nr ok os
otp p.m pc pdf pm po pr prs pst px q1 q2 q3 q4 qa ram rest rfc roi rsvp s3 saas sdk sla slo smtp sms sql
ssd ssh ssl sso tb tba tbc tbd tcp tls todo tv ui uri url usb usd utc ux uuid v1 v2 vat vip vm vp vpn vs
wan wed wfh wifi www xml yaml zip dr prof st rc ssn pin gdpr hoa isa dvd
"""
SHORT_FORMS = frozenset(_SHORT_TEXT.split())
