"""Ordinary English words that open a sentence with a capital and are nobody's name; short forms.

A note may open with a word that the source does not hold ("Prefers", "Deadline"), but not with a name
that it does not hold. No grammar tells the two apart, so this list does; words that are also people's
names (Mark, Grace, Will) are left out. Not complete: endings that only words have are looked at beside
it (core/verification/literals).
"""

from __future__ import annotations

from scrimshaw.core.ledger.known_lines import stem

_WORDS_TEXT = """
a abandon ability able abnormal aboard above abroad absence absent absolute absorb abstract absurd abundant
abuse academic academy accelerate accent accept access accident accidental accommodate accommodation
accompany accomplish accord account accountant accuracy accurate accuse ache achieve acid acknowledge acne
acoustic acquire acre across act action activate active activism activity actor actress actual acute ad adapt
add addict additional address adequate adjacent adjust admin administrator admiral admire admit adopt adore
adult advance advantage adventure adverse advertise advice advise adviser advisor advisory advocacy advocate
aerial aerospace aesthetic affair affect affiliate afford afraid after aftermath afternoon afterwards again
against age agency agenda agent aggregate aggressive ago agree agreement agricultural agriculture ahead aid
aim air airborne aircraft airline airplane airport aisle akin alarm albeit album alcohol alcoholic alert
algebra algorithm alias alien alike alive all allergic allergies allergy allies allocate allotment allow
allowance almighty almost alone along alongside alphabet already alright also altar alter alternate
alternative although altitude altogether aluminium aluminum alumni always amateur ambassador amend amid amino
among amongst amount ample analogy analyse analysis analyst analytical analytics analyze anatomy anchor
ancient anger angry animal anime ankle anniversary announce annual another answer antenna anthropology anti
antibiotic anticipate antique anxiety any anybody anyone anything anyway anywhere apart apartment apocalypse
apologise apologize apology app apparatus apparel apparent appeal appear appetite applause apple appliance
application apply appoint appointment appreciate apprentice apprenticeship approach appropriate approval
approve approximate arbitrary arcade arch archaeological archbishop architect architectural architecture
archive arctic area arena argue argument arise arm armor army arose around arrange array arrest arrival
arrive arrogant arrow arsenal art artery article artificial artillery artist artistic artwork as aside ask
asleep aspect assassin assault assembly assert assess asset assign assist assistant associate assume assure
asthma asylum at athlete athletic atmosphere atmospheric atom atomic attach attack attempt attend attention
attitude attorney attract attribute auburn audience audio audit aunt authentic author authority autism auto
automatic automobile autonomy autumn auxiliary available avenue average avoid await awake award aware away
awesome awful awhile awkward axis babe baby bachelor back backend background backlash backlog backorder
backpack backup backwards bacteria bacterial bad badge bag baggage bail bait bake bakery balance balcony bald
ball ballet balloon ballot bamboo ban banana band bandwidth bang bank banker bankrupt bankruptcy banner bar
bare bargain bark barn barrel barrier base baseball baseline bash basic basin basis basket basketball batch
bath bathroom battalion battery battle battlefield be beach beacon bean bear beast beat beaten beautiful
beauty because become bed bedroom bedtime beef beer before begin beginner begun behalf behave behavior
behavioral behaviour behind behold belief believe believer belong below belt bench benchmark bend beneath
beneficial benefit bent beside best bet beta betrayal better between beverage beyond bias bibliography
bicycle bid big bigger biggest bike bilateral billboard billion billionaire binary bind bingo biography
biological biology bird birth birthday bit bite bitter bizarre black blackberry blade blame blank blanket
blast blaze blend blind blink block blocker blog blonde blood bloody blow blown blue blunt board boat body
boil boiler bold bolt bomb bomber bone bonus book booking boom boost boot booze border bore boring born
borough borrow boss both bother bottle bottleneck bottom bought boulder boulevard bounce bound boundary
bounty bout bowl box boxer boy boycott boyfriend brace bracelet bracket brains brake branch brand brass brave
breach bread break breakage breakdown breakfast breakthrough breath breeze brewery brick bride bridge brief
brigade bright brilliant bring broad broadband broadcast broke broken broker bronze brother brotherhood
brought brown browser brush brutal bubble bucket budget buffalo buffer bug build builder building built bulb
bulk bull bullet bulletin bump bumper bundle bunker bureau burial burn burnt burst bury bus busier business
businessman bust busy but butter button buy buyer buzz by bypass cabin cabinet cable cache caffeine cage cake
calcium calculate calendar calf caliber call caller calm came camera camp campaign campus can canal cancel
cancer candidate candle cane cannot canon canvas canyon cap capacity cape capital capitalism capsule captain
capture car carbon card cardboard cardiac cardinal cardiovascular care career careful cargo carnival carpet
carpool carriage carrier carry cart cartoon case cash casino cast casual cat catalogue catalyst catch
category cathedral cattle caught cause caution cavalry cave cease cedar ceiling celebrate cell cellular
cemetery census cent center central centre century ceramic cereal ceremony certain certainty certificate
chain chair chairman chalk challenge challenger chamber champ champion chance chancellor change changeover
channel chaos chaotic chapel chapter character characteristic charge charger charity charm chart charter chat
cheap cheaper cheapest cheat check checklist checkout cheer cheese chef chemical chemistry chess chest chew
chic chick chicken chief child childcare childhood childish children chili chill chip chocolate choice choir
choke cholesterol choose chop chord chorus chose chosen chrome chronic chronicle church cigarette cinema
cinnamon circle circuit circular circus cite citizen city civic civil civilian claim clan clarify clash class
classic classical classroom classy clause clean cleaner clear clearer clergy clerk clever click client
climate climb clinic clinical clip clock clone close closer closet closure cloth clothes cloud clown club
clue cluster clutch coach coal coast coastal coaster coat cocktail coconut code coffee coffin coil coin cola
cold colder collaborate collapse collar collateral colleague collect collection collector college colonel
colonial colony color colour column coma combat combine combo come comeback comedian comedy comfort comic
command commander comment commentary commentator commerce commercial commission commissioner commit committee
common commonwealth communal communicate communism community commute compact companion company compare
comparison compass compatible compensate compete competent competition competitor complain complaint complete
complex component composer composite compound comprehend compress compromise compulsory compute computer
concentrate concept concern concert conclude concrete condemn condition conduct conductor cone conference
confess confidence confident confidential configuration configure confirm conflict confront confuse
congressional congressman connect connection conquer conquest consensus consent consequence consider consist
consistency consistent console consortium conspiracy constant constituency constitute constitutional
constraint construct consult consultant consume consumer contact contain container contemporary contempt
content contest context continent continental contingent continue contract contractor contrary contrast
contribute contributor control controller controversial controversy convenient conventional conversation
convert convey convince convoy cook cookie cooking cool cooler cooperate coordinate copper copy copyright
cord core cork corn corner corporal corporate correct correspondent corridor corrupt cosmetic cosmic cost
costlier costs costume cottage cough could council counsel counselor count counter counterpart country
countryside county coup couple coupon courage courier course court courtesy courtyard cousin covenant cover
coverage coward cowboy coworker crab crack crash crate crawl cream create creative creator creature
credential credit creek creep creepy crest crew cricket crime criminal crisis criteria criterion critic
critical criticism critique crop cross crossover crowd crown crucial crude cruel cruelty cruise crunch crush
crust cry cube cubic cuisine cult cultural culture cup cupboard curb cure curious currency current curriculum
curse curtain curve custody custom customer cut cute cutoff cutover cutter cycle cylinder dad daddy daemon
daily dairy damage dance dancer dang danger dangerous dare dark dash dashboard data database date daughter
day daycare daylight daytime dead deadline deaf deal dealer dealt dear dearer death debate debris debt debug
debut decade decay decent decide decision deck declare decline decor decorate decrease decree dedicate deeds
deep deeper deer default defeat defect defend defendant defender defense defer deficit define definite degree
delay delegate delete deliberate delicate delight deliver delivery deluxe demand dementia demise demo
democracy democrat democratic demographic demon demonstrate denial dense dental dentist deny depart
department departure depend dependency dependent deploy deployment deposit depot depth deputy derby
descendants descent describe desert deserve design designer desk despair desperate despite dessert
destination destroy detail detect detector determine develop developer developmental device devil diabetes
diagnose diagnosis diagnostic diagram dial dialog dialogue diameter diary dice dictator dictionary did diesel
diet dietary differ difference different differential difficult difficulty digest digit digital dilemma dime
dimensional dinner dinosaur dioxide diploma diplomacy diplomat diplomatic dire direct direction director
directory dirt dirty disable disagree disaster disc discard disciplinary discipline disclosure discount
discover discovery discuss discussion disease disgrace disguise dish dishwasher disk dislike dismiss
dismissal dispatch display disposal dispute distance distant distinct distinguish distract distress
distribute distributor district disturb ditch diverse divide dividend divine divorce do doc dock doctor
doctrine document documentary documentation dog doll dollar dolphin domain dome domestic dominant dominate
dominion donate donation done donor doom door dope dose double doubt dough down downhill download downstairs
downtime downtown downward dozen draft drag dragon drain drainage drama dramatic drank draw drawer drawn
dream dress drift drill drink drive driven driver driveway drone drop dropoff drought drove drown drug drum
drummer drunk drunken dry dual duchess duck due duel dull dump duplicate duration during dust duty dwarf
dynamic dynasty each eager eagle ear earlier earliest early earn earth earthquake ease easier easiest east
eastern easy eat eaten eclipse ecological ecology economic economy ecosystem edge edit edition editor
editorial educate education educational effect effective efficacy efficiency efficient effort egg eight
eighteen eighth eighty either elaborate elbow elderly eldest elect electoral electric electrical electrician
electricity electron electronic elegant element elementary elephant elevator eleven eligible eliminate elite
else elsewhere email embassy embed embrace emerge emergency emotional empathy emperor emphasis emphasize
empire employ employee employer empty enable encode encounter encourage encrypt end endpoint endure enemy
energetic energy enforce engage engine engineer enjoy enough enquire enrol ensemble ensure enter enterprise
entertain entertainment enthusiasm enthusiastic entire entirety entrance entrepreneur entry envelope
environment environmental envy enzyme epic epidemic episode equal equipment equity equivalent erase error
escalate escape escort especially essay essential establish estate esteem estimate eternal ethical ethics
ethnic euro evaluate even evening event eventual ever every everybody everyday everyone everything everywhere
evidence evident evil evolutionary evolve exact exam examine example exceed excellent except exception
exceptional excess exchange excited exclude exclusive excuse execute executive exempt exercise exhaust
exhibit exhibition exile exist exit exodus exotic expand expect expected expenditure expense expenses
expensive experience experiment experimental expert expire expiry explain explicit explode exploit explore
explorer export expose exposure express extend extension extent exterior external extinct extra extract
extraordinary extreme eye fabric face facial facilitate facility fact factor factory faculty fade fail
failure faint fair fake falcon fall fallen fallout false fame familiar family famous fan fancy fantastic
fantasy far fare farewell farm farmer farther fashion fast faster fastest fat fatal fate father fatigue fatty
fault favor favorite favour favourite fear feasible feast feat feather feature february federal fee feed
feedback feel feet fell fellow felony felt female feminine feminism fence ferry fest festival fetch fever few
fewer fiance fiber fibre fictional field fierce fifteen fifth fifty fight fighter figure file fill film
filter filthy final finance financial find fine finger finish finite fire firearm firewall firm firmware
first fiscal fish fit fitness five fix fixture fixtures flag flame flash flat flavor flavour flee fleet flesh
flew flex flexible flight flip float flock flood floor floral flour flow flower flown flu fluid flush fly
foam focal focus foil fold folder folk follow fond font food fool foolish foot footage football footballer
for forbid forbidden force forecast forehead foreign foremost forensic forest forestry forever forge forget
forgot forgotten fork form formal format former formula fort forth fortress fortunate forty forum forward
fossil fought foul found foundation founder four fourteen fourth fraction fracture fragile frame framework
franchise fraud freak free freedom freelance freeze freezer freight frequency frequent fresh freshman fridge
friend fringe frog from front frontend frontier frozen fruit frustrated fuel fulfill full fully fun function
functional fund fundamental fundraiser funeral funny furniture further furthermore fury future fuzzy gain
galaxy gallery gallon game gamma gang gap garage garbage garden garlic gas gasoline gate gateway gather gauge
gave gaze gear gender general generate generation generator generic genetic genius genome genre gentle
gentleman genuine genus geographic geographical geography geological geology geometry gesture get ghetto
ghost giant gift girl girlfriend give given glad glass glimpse global globe glove glow glucose glue gluten go
goal goalkeeper goat goddess gold golf gone good goods goodwill goose gospel gossip gotten govern government
governmental governor gown grab grade gradual graduate grain gram grammar grand grandfather grandma
grandmother grandpa grandparents grandson granite grape graph graphic grasp grass gratitude grave gravel
grease great greater greatest greedy green greenhouse greet grenade grew grey grid grief grill grim grind
grip groceries grocery groove ground group grow grown growth guarantee guard guardian guess guest guidance
guide guideline guild guilt guilty guitar gulf gun guru gym habit habitat hack had hail hair haircut hairy
half halfway hall hallway halo halt hand handbook handle handover handsome hang happen happier happy harbor
harbour hard harder hardly hardware harm harsh harvest has hash hat hate haul have haven hazard he head
headache header heading headline headphones headquarters heal health healthier healthy hear heart heartbeat
heat heater heating heaven heavier heavy hedge heel height heir held helicopter hello helmet help helper
hemisphere her herald herd here heritage hero heroic hers herself hesitate hidden hide hierarchy high higher
highest highland highlight highway hike hiking him himself hint hire his historian historic historical
history hit hobby hockey hold hole holiday hollow holocaust home homeland homemade homepage hometown homework
homicide honest honesty honeymoon honor honorary honour hook horizon horizontal hormone horrible horrific
horror horse hose hospital host hostage hostile hosting hot hotel hotter hour hours house household housing
how however huge human humanitarian humble humor humour hundred hung hunger hungry hunt hurricane hurry hurt
husband hustle hybrid hydraulic hydrogen hygiene hyper hypocrisy hypothesis ice icon iconic idea ideal
identical identify identity ideological ideology idle idol if ignorant ignore ill illegal illness illustrate
image imagery imaginary imagine immature immediate immense immigrant imminent immortal immune impact imperial
implement import important impose impossible impress improve impulse in inaccurate inadequate inappropriate
inaugural inbox inch incident include income incompetent incomplete inconsistent incorporate incorrect
increase incumbent indeed independent index indicate indicator indirect individual indoor industrial industry
infant infantry inferior infinite inflammatory inflation influence influential inform informal information
infrastructure ingredient inherent inherit initial initiate initiative injury injustice inland inner innocent
input inquiry insane insect insecure insert inside insider insight insist inspect inspector inspirational
inspire install installment instance instant instead instinct institute institutional instruction instructor
instrument instrumental insufficient insulin insult insurance insurer intact intake integral integrate
integration intellectual intelligent intend intense intent intentional interact interest interface interfere
interim interior intermediate intern internal international internet interns internship interpret interstate
interval intervene interview intimate into introduce invalid invent inventory invest investigate investigator
investment investor invitation invite invoice involve iron irony irregular irrelevant is island isle isolate
issue it item its itself jacket jail jam jazz jealousy jeans jewelry job join joint joke joker journal
journalism journey judge judicial judiciary juice juicy jump jumper jungle junior junk jury just justify
juvenile keep keeper kept kernel key keyboard kick kickoff kid kidney kids kill kilo kind kindergarten
kingdom kiss kitchen knee knew knife knit knock knot know knowledge known label labor laboratory labour lace
lack ladder laden laid lame lamp land landlady landlord landmark landscape language laptop large larger
largest laser last late latency later lateral latest latter laugh laughter launch laundry lava law lawn
lawsuit lawyer layer layout layover lazy lead leader leaf league leak leap learn learnt lease least leather
leave lecture lecturer left leftover leftovers leg legacy legal legend legendary legion legislature legit
legitimate leisure lend length lengthy lens lent less lesser lesson let lethal letter level leverage
liability liar liberal library licence license lick lie lieutenant life lifelong lifetime lift light lighter
lightweight like likelihood likely likewise limb lime limestone limit line linear liner linguistic link lint
linter lion lipstick liquid liquor list listen literacy literal literally literary literature litter little
live liver livestock load loan lobby lobster local locate location lock locker lodge log logging logic
logical login logistics logo lone long longer longlist look loop loose looser lose loser loss lost lot
lottery loud louder lounge love lover low lower lowest loyal loyalty luck lucky luggage lump lunar lunch lung
luxury machine machinery macro madame magazine magic magical magistrate magnet magnetic magnificent magnitude
maid maiden mail mailbox main mainly mainstream maintain maintenance majesty major make maker makeup malaria
male mall man manage manager mandate mandatory manga manifest manifesto manipulate mankind manner manor
manual manufacture manufacturer manuscript many map marathon marble margin marginal maritime marker market
marketing marketplace marriage married marshal martial masculine mask mass massage master masterpiece match
mate material maternal mathematical mathematics maths matrix matter mattress mature maximum maybe mayor maze
me meal mean meaning means meant meanwhile measure meat mechanic mechanical mechanism medal media median
medical medication medicine medieval meditation mediterranean medium meet meeting melt member membership
membrane memo memoir memorial memory mental mention mentor menu merchandise merchant mere merge merger merit
mesh mess message messenger messy met metabolism metal metallic metaphor meter method methodology metric
metrics metropolitan mice micro microphone microservice microwave mid middle midnight midst midway mighty
migraine migrant migrate migration mild mile mileage milestone military militia milk mill millennium million
millionaire mind mine mineral mini miniature minimal minimize minimum minister ministry minor mint minus
minute miracle mirror misery mishap miss missile missing mission missionary mistake mistress mix mixture
mobile mock mode model moderate modern modest modify module moisture mold mole molecular molecule moment
momentum monarch monarchy monastery monday monetary money monitor monitoring monkey monster month monthly
mood moral more moreover morning mortal mortar mortgage most mother motion motivate motor motorcycle motto
mount mountain mouse mouth move movie much multi multiple municipal municipality murderer muscle muscular
museum mushroom music musical musician must mustard mute mutual my myself mystery myth nail name named
narrator narrow narrower nasty national nationalism nationwide native natural naturally nature naughty naval
navigate navy near nearby nearer nearest nearly neat necessary neck necklace need needle negative neglect
negotiate neighbor neighborhood neighbour neighbourhood neither nephew nerve nervous nest net network neural
neutral never nevertheless new newborn newer newest news newsletter newspaper next nice niche nickel nickname
niece night nightclub nightly nightmare nine nineteenth ninety ninth nitrogen nobody node noise noisy nominee
none nonprofit noon nor norm normal north northeast northern northwest northwestern nose not notch note
notebook notes nothing notice notification notify novel novelty now nowadays nowhere nuclear null number
numerical nurse nursery nut oath obese obey object objective obligation obscure observatory observe observer
obsolete obstacle obtain obvious occasion occasional occupational occupy occur ocean odd of off offender
offense offer office officer official offline offset offshore often oil old older oldest omit on once one
ongoing onion online only onset onto open opener opening opera operate operation operational operator opinion
opponent oppose opposite opt optic optical optimal optimise optimism optimistic optimize option optional or
oral orange orchestra order ordinary organ organic organise organizational organize oriental orientation
origin original orthodox other others otherwise ought ounce our ourselves out outage outcome outcry outdoor
outer outlet outline output outrage outside outstanding oval oven over overall overdue overhead overlap
overnight overseas oversee oversight overtime overview owe own owner ownership oxygen pace pack package
packet pact padding page pain paint painter painting pair palace pale palette palm pan panda pandemic panel
panic panther pantry pants paper paperwork parade paradise paragraph parallel paramount parcel pardon parent
parental parents park parking parliament parliamentary parody parole parse parser part partial participant
participate particle particular partisan partition partner partnership party pass passage passenger
passionate passport password past pasta paste pastor patch patent path pathetic pathway patience patient
patriot patriotic patrol patron pattern pause pay payback payment payments payout payroll peace peach peak
peanut peculiar pedestrian peek peel peer penalty pencil pending penguin peninsula pension pentagon people
pepper per percent percentage perfect perform performance performer perfume perhaps perimeter period
peripheral perk permanent permission permit persistent person persona personal personnel persuade pet petrol
petroleum phantom pharmaceutical pharmacy phase phenomena phenomenal phenomenon philosopher philosophical
philosophy phone photo photograph photographer photographic photography photos phrase physical physician
physics physio physiotherapist physiotherapy piano pick pickup picnic picture piece pier pile pill pillow
pilot pin pinch pine pink pint pioneer pipe pipeline pirate pitch pitcher pizza place plague plain plan plane
planet planner plant plaque plasma plastic plate platform platinum play player playground playlist plaza plea
pleasant please pleased pleasure pledge plenty plot plug plumber plus pneumonia pocket podcast poem poet
poetic poetry point poison poker polar pole police policeman policy polish polite political politician
politics poll pond pony pool poor pop popcorn popular population porch pork port portal portfolio portion
portrait pose position positive possess possible post postal postcode poster postpone posture potato potent
potential pottery pound pour poverty powder power practical practice prairie praise prank pray prayer preach
preacher precedent precise predator predecessor predict prefer preference pregnancy pregnant prejudice
preliminary premature premier premise premium preorder prep preparation prepare prescription present
presentation presenter presidency president presidential press pressure prestige presume pretty prevalent
prevent preview previous prey price prices pricier pricing pride primary prime princess principal principle
print printer prior priority prison prisoner privacy private privilege prize pro probably probe problem
problematic procedure proceed process processor procure produce producer product production profession
professional professor profile profit profound program programme progress prohibit project projector
prominent promise promote promotion promotional prompt prone pronounce proof prop propaganda proper property
prophecy proportion proposal propose proprietary prose prosecutor prospect protect protector protein protest
protocol prototype proud prove proven provide provider province provincial provision provisional proxy
psychiatric psychological psychology public publish publisher pull pulp pulse pump pumpkin punch punctual
punish punk pupil puppet puppy purchase pure purple purpose purse pursue pursuit push put puzzle pyramid quad
qualify quality quantity quantum quarantine quarter quarterback quarterly quartz query quest question queue
quick quicker quiet quieter quit quite quiz quota quote rabbit race racial racism rack racket radar radical
radio radius rage raid rail railroad railway rain rainbow rainfall rainier rainy raise ramp ran ranch random
range ranger rank rant rapid rapper rare rash rate rather ratio rational raw razor reach react reactor read
reader ready real realise realism realistic realize really realm rear reason reasonable rebase rebel
rebellion reboot rebuild recall receipt receive receiver recent reception receptor recipe recipient reckon
recognise recognize recommend recommendation record recorder recording recover recovery recreational recruit
recruiter recurring recycle red redeploy redesign redirect reduce redundant reef reel refactor refer
reference referendum refill refinance reflect refresh refrigerator refugee refund refusal refuse regard
regime region regional register registration registry regression regret regular regulate regulatory rehearsal
rehearse reign reinforce reject relate relation relationship relative relax relay release relevant reliable
relief relieve religion relocate reluctant rely remain remainder remaining remark remedy remember remind
reminder remote removal remove rename renaming render renew renewal renovate renovation rent rental reorder
reorganise repair repeal repeat replace replacement replica replicate reply repo report reporter repository
represent reproduce republican request require requirement rerun rescue research researcher reseat resemble
reservation reserve reservoir reset reside residency resident residential resign resist resistant resit
resolve resort resource respect respiratory respond response responsible rest restart restaurant restock
restore restrict restriction result resume retail retailer retain retention retire retirement retreat
retrieve retro retrospective retry return reuse reveal revenge revenue reverend reverse revert review revise
revival revoke revolt revolutionary reward rework rewrite rhetoric rhythm ribbon rice rich ride ridge
ridiculous rifle right rigid ring riot ripe rise risen risk risky ritual rival rivalry river riverside road
roadmap roar roast robbery robot robust rocket rode rogue role roll rollback roller rollout romantic roof
rookie room roommate root rope roster rota rotate rotation rotten rouge rough roughly round route router
routine rover row royalty rubber rubbish rude ruin rule ruler rules rumor run runbook runner running runtime
runway rural rush rust sack sacrifice sad saddle safe safer safety saga said sail sailor sake salad salary
sale sales salmon salon salt salty salute salvage same sample samurai sanctuary sand sandbox sandwich sane
sank satellite satire satisfy sauce sausage save savings say scale scan scandal scanner scare scarf scary
scenario scene scenery scenic scent schedule schema scheme scholar scholarship school science scientific
scientist scoop scope score scrap scratch scream screen screening screenshot screw script scripture scroll
scrub scrum scrutiny sculpture scum sea seal search season seasonal seat seating second secondary secret
secretary section sector secular secure security see seed seek seem seen seize seizure select self selfish
sell seller semester semi seminar senate senator send senior sense sensitive sensor sensory sent sentence
separate sept sequel sequence sergeant serial series serious serum servant serve server service session set
setback setting settings settle settlement setup seven seventeen seventh seventy several severe severity
sewing shade shadow shady shaft shake shale shall shallow shame shape shard share shareholder shark sharp
sharper shave she shed sheep sheer sheet shelf shell shelter sheriff shield shift shine shiny ship shipment
shipping shirt shock shoe shoes shoot shooter shop shopping shore short shortage shorter shortfall shortlist
shot shotgun should shoulder shout shove show showcase shower shown shrimp shrine shrink shut shutdown
shuttle sibling sick side sidewalk siege sigh sight sign signal signature significant signoff signup silence
silent silicon silk silver similar simple simpler simply since sincere sing single singular sink sister site
situation six sixteen sixth sixty size skating skeleton skeptical sketch ski skill skin skinny skip skirt
skull slack slam slap slash slate sleep sleeper sleepy sleeve slept slice slick slide slides slight slim slip
slogan slope slot slow slower slowest small smaller smallest smart smash smell smile smoke smooth smoother
snack snail snake snap snapshot sneak sniper snow so soap sober soccer social socialism society sociology
socket soda sodium sofa soft softball software soil solar sold soldier sole solicitor solid solitary solo
solution solve some somebody someday somehow someone something sometimes somewhat somewhere son song soon
sooner sophomore sore sorrow sorry sort sought soul sound soup sour source south southeast southeastern
southern southwest sovereign sovereignty space spacecraft spam span spare spark spatial speak speaker spear
spec special specialist specialty species specific specification specify specimen spectacular spectrum speech
speed speedy spelling spend spent sphere spice spicy spider spike spill spin spinal spiral spirit spiritual
spite splash splendid split spoil spoke spoken spokesman sponsor spoon sport sports spot spotlight spouse
spray spread spreadsheet spring sprint spun spur squad squadron square squeeze squirrel stab stable stack
stadium staff stage staging stain stake stakeholder stale stall stamp stand standard standby standoff
standpoint standup staple stare start starter startup state statement static station statistic statistical
stats status statute statutory stay steady steak steal steam steel steep steeper steer stellar stem step
stereo stick sticker sticky stiff stigma still stimulate stimulus stipend stir stock stoke stole stolen
stomach stood stop stopover storage store storm story stove straight straightforward strain strand strange
stranger strap strategic strategy straw strawberry stray streak stream street strength strengthen stress
stretch strict stricter strike striker string strip stroke strong stronger struck structural structure
struggle stubborn stuck stud student studio study stuff stunt stupid style stylish subject submarine
submission submit subnet subscribe subscription subsequent subsidiary substantial substitute subtask subtitle
subtle suburb suburban subway succeed success successful successor such sudden sue suffer sufficient sugar
suggest suggestion suit suitable suitcase sum summary summer summit sun sunk sunlight sunnier sunrise sunset
super superb superhero superintendent superior supermarket supernatural supervisor supper supplement supplier
supply support supporter suppose suppress supreme surcharge sure surf surface surge surgeon surgery surgical
surplus surprise surrender surround survey survival survive survivor suspect suspend suspicion sustain
swallow swamp swap sway swear sweat sweater sweep sweet sweetheart swept swim swimming switch switchover
sword sworn symbol symbolic sympathetic sympathy symphony symptom sync syndrome syntax synthesis synthetic
syrup system systematic systemic tab table tablet tackle tactical tactics tag tail take takeaway taken
takeover tale talent talk tall taller tank tap tape target tariff task taste tasty tattoo taught tax taxes
taxi taxpayer tea teach teacher team teammate tear tech technical technician technique technological
technology teen teenage teenager teeth telegraph telephone telescope television tell temp temper temperature
template tempo temporary ten tenancy tenant tend tendency tender tennis tense tension tent tenth tenure term
terminal terminate terminology terms terrace terraform terrain terrible terrific territorial territory
terrorism test tester testify testimony testing text textbook textile texture than thank that theater theatre
theatrical theft their them theme themselves then theological theology theorem theoretical theory therapeutic
therapist therapy there thereafter thereby therefore thermal these thesis they thick thicker thief thigh thin
thing think thinner third thirsty thirteen thirty this thorough those though thought thousand thread threat
threaten three threshold threw thrill thriller throat throne through throughout throughput throw thrown
thrust thumb thunder tick ticket tidal tide tidy tie tier tiger tight tighter tile till tilt timber time
timeline timeout timer timesheet timestamp timezone tiny tip tire tired tissue title to toast tobacco today
toddler together toggle toilet token told tolerate toll tomato tomb tomorrow ton tone tongue tonight too took
tool tooling tooth top topic torch tore torn tornado torque torture toss total touch touchdown tough tour
tourism tourist toward towel tower town toxic toy trace track tracker tracking tract tractor trade trademark
trader tradition traditional traffic tragedy tragic trail trailer train traineeship trainer training trait
traitor transaction transcript transfer transform transit translate translation translator transmit
transparency transparent transplant transport trap trash trauma traumatic travel traveler tray treason
treasure treasurer treasury treat treatment treaty tree trek trench trend trial triangle tribal tribe
tribunal tribune tribute trick tricky trigger trillion trilogy trim trio trip triple triumph trivial troll
troop trophy tropical trouble trousers trout truck true truncate trunk trust truth try tube tuition tumor
tune tunnel turbo turf turn turnout turnover turtle tutor tutorial tweet twelve twentieth twenty twice
twilight twin twitch two type typical typo tyre ugly ultimate ultra umbrella unable unauthorized uncertain
uncertainty unchanged uncle unclear unconstitutional under undercover underestimate undergo undergraduate
underground underneath understand understood undertake underwater underway underwear undo uneasy unexpected
unfortunate unfortunately unhappy uniform union unique unit unite universal universe university unknown
unless unlike unlikely unlimited unlock unofficial unpaid unpleasant unrelated unresolved unsubscribe unsure
until untouched unused unusual up upcoming update updated upgrade upkeep upload upon upper upright upset
upside upstairs upstream uptake uptime upwards uranium urge urgent urine usage use used useful user users
usual utility utilize utter vacant vacation vaccination vaccine vacuum vague vain valid validate valley
valuable value valve vampire van variable variant variety various vary vast vault vector vegan vegetable
vegetarian vehicle veil vein vendor vent venture venue verb verbal verdict verge verify versatile verse
version versus vertical very vessel vest vet veteran veterinary veto via vibrant vice victim victory video
view viewer village villain vine vintage vinyl violate violent violin viral virgin virtual virtue virus visa
visible visit visitor vista visual vital vitamin vivid vocabulary vocal vodka voice void volatile volcanic
volcano volleyball voltage volume voluntary volunteer vote voter voucher voyage vpn wage wagon wait waiter
waiver wake walk wall wallet wallpaper wander want wardrobe warehouse warfare warm warmer warmth warn warning
warrant warranty warrior was wash washing waste watch water watering wave way we weak weaker wealth wealthy
weapon wear weather web webhook website wedding weed week weekday weekend weekly weigh weight weird welcome
welfare well went were west western wet whale what whatever whatsoever wheat wheel when whenever where
whereas whereby wherever whether which whichever while whilst whip whiskey whisky whisper whistle white who
whoever whole wholesale whom whose why wide wider widespread widget widow width wife wifi wild wildlife
willing win wind window windows wine winner winter wipe wire wireless wisdom wish wishlist witch with
withdraw withdrawal withdrawn within without witness wizard woke woman women won wonder wooden wool word
words wore work workaround worker workflow workload workout workplace works workshop world worm worn worried
worry worse worst worth worthwhile worthy would wound wrap wrath wreck wrist write writer writing written
wrong wrote yacht yard yeah year yearly yeast yell yellow yes yesterday yet yield yoga you young younger your
yours yourself yourselves youth zero zombie zone zoo zoom
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
