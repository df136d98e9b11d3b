"""Words of ordinary English that say the opposite of each other, by what they are about.

A matter begins at a line's start with what it is called. What stands left of the bar and what stands right of
it exclude each other when said of the same thing. A word may be in several matters and stands for all of its
forms. "+" joins the words of a phrase, "_" in it is a few words of any sort. "*" after an adjective adds its
comparison and its adverb; "=" before a word keeps it to this form. "?" marks a word that is often used in
another sense: it stands against the other side's words without that mark only. Narrow matters are in
core/verification/antonym_pairs. Data only; core/verification/opposites makes it ready.
"""

from __future__ import annotations

MATTERS = """
permission: allow permit authorise authorize entitle permissible permission whitelist allowlist legalise
 legalize legal lawful legitimate allowance let? clear+to cleared+to free+to? at+liberty fine+with ok+with
 okay+with cool+with happy+for green+light greenlight go+ahead thumbs+up give+the+thumbs+up
 give+_+the+thumbs+up tolerate acceptable okay ok fine? alright all+right consent grant clearance licence
 license sanctioned waved+through given+leave let+through may+be+used put+up+with turn+a+blind+eye leeway
 enable condone / forbid ban prohibit disallow =barred outlaw veto taboo illegal illicit unlawful
 illegitimate off+limits out+of+bounds blacklist blocklist denylist impermissible inadmissible unacceptable
 prohibition criminalise criminalize contraband verboten embargo rule+out preclude prevent block restrict
 restriction interdict out+of+the+question against+the+rules against+the+law crack+down refuse refusal deny
 denial stop+_+from keep+_+from prevent+_+from thumbs+down ineligible disqualify debar
acceptance: accept approve agree consent assent endorse ratify acceptance approval agreement embrace adopt?
 sign+off okay ok say+yes said+yes nod+through nodded+through take+up take+_+up+on go+along+with green+light
 greenlight give+the+go+ahead give+the+nod thumbs+up give+the+thumbs+up give+_+the+thumbs+up wave+through
 waved+through on+board sold+on grant welcome concede acquiesce accede jump+at sign+up+to rubber+stamp
 come+round+to sanctioned confirm give+_+blessing get+_+blessing go+for? give+in give+way sign+up+for warm+to
 pass cave+in carry? / reject refuse decline deny turn+down veto dismiss disapprove spurn rebuff repudiate
 nix quash knock+back shoot+down throw+out vote+down overrule rejection refusal object objection balk baulk
 demur thumbs+down brush+off wave+away rule+out strike+down scotch disagree dissent opt+out back+out pass+up
 snub oppose stonewall unwilling pour+cold+water push+back+against push+back+on reluctant dig+in
 hold+out+against withhold disavow
inclusion: include incl inclusive comprise encompass incorporate inclusion bundle thrown+in count+in
 factor+in come+with built+in part+of? contain cover? as+well+as along+with plus? add comes+complete
 on+the+list counted rolled+into integrated embed embedded / exclude exclusive+of exclusion omit omission
 leave+out leave+off apart+from aside+from save+for cut+out extra? separate separately on+top? exempt excused
 lack missing skip drop other+than? stripped+out left+off outside+of ignore disregard deprive on+top+of
having: has+a? have+a? has+an? have+an? has+the? own? possess equipped+with fitted+with come+with
 complete+with furnished+with blessed+with contain boast feature? got+a? got+an? there+is+a? there+are?
 provide? include in+possession offer? carry? supplied+with kitted+out provided+with comes+in stocked?
 endowed / lack bereft devoid short+of? out+of? deprive run+out+of absence free+of? free+from? bare+of
 stripped+of void+of in+want+of lose sans miss forgo forego destitute+of
keeping: keep retain preserve conserve maintain? hold+on+to hang+on+to hold+onto stick+with? stick+to?
 retention leave+in+place stay remain? cling+to save store? archive? set+aside uphold put+by salvage
 leave+as+is leave+alone safeguard stash spare? continue+with reserve? hoard / remove delete discard dispose
 get+rid+of rid scrap ditch dump throw+away throw+out toss chuck trash erase wipe purge eliminate abolish
 do+away+with take+away? take+out? strip uninstall eject evict weed+out phase+out rip+out root+out eradicate
 give+away sell+off part+with let+go relinquish forfeit abandon give+up revoke rescind repeal strike+off
 cross+off cross+out shred removal deletion disposal abolition dismantle jettison offload drop cut lose
 destroy burn? pull+down tear+down tear+out clear+out swap+out replace retire? withdraw junk bin+it expunge
 obliterate demolish empty+out let+lapse scrub clean+out
switching: enable activate turn+on switch+on power+on power+up boot+up fire+up put+on? leave+on activation
 armed go+live live? run? up+and+running operational deploy? in+operation kick+in plugged+in plug+in on?
 enablement operate engage? come+on? reactivate reenable unmute in+force? in+effect? in+use? / disable
 deactivate turn+off switch+off shut+down shut+off power+off power+down decommission leave+off unplug disarm
 take+offline offline suspend halt go+dark extinguish inactive dormant idle mothball pull+the+plug take+down
 out+of+service out+of+action out+of+operation deactivation shutdown off? disengage kill? cut+off mute?
 put+out? go+out? stand+down out+of+use
starting: start begin commence launch initiate kick+off get+going get+under+way under+way underway resume
 restart embark take+up establish? inaugurate introduce get+started come+into+force take+effect onset outset
 set+in+motion set+up? open trigger? instigate usher+in roll+out recommence reinstate commencement set+off?
 set+out? go+live? get+off+the+ground enter+into+force come+into+effect / end stop finish cease quit
 terminate conclude close expire lapse run+out? wind+up wind+down wrap+up discontinue break+off call+off
 come+to+an+end bring+to+an+end die+down phase+out give+up put+an+end abort pack+in drop+out? pull+out?
 bow+out retire? termination cessation conclusion expiry suspend halt discontinuation call+it+a+day
 call+it+quits run+_+course bring+to+a+close
continuing: continue continuation carry+on keep+on keep+going persist persevere proceed press+on stick+at
 go+on? ongoing keep+up remain? maintain? stay soldier+on push+on stick+with? renew prolong extend
 uninterrupted perpetuate last sustain renewal keep continuous plough+on see+through in+place? / stop cease
 quit halt discontinue suspend suspension pause interrupt break+off abandon give+up drop end terminate
 termination cut+short lapse let+slide call+it+quits pack+in expire knock+on+the+head swear+off
 kick+the+habit used+to interruption wean+off cancel axe fizzle+out abort
rising: increase rise raise grow go+up climb soar surge jump? double triple boost hike? escalate expand
 swell mount? put+up push+up shoot+up drive+up bump+up ramp+up step+up? scale+up pick+up? accelerate gain?
 intensify upturn uptick on+the+rise rocket skyrocket growth increment upward inflate build+up enlarge
 heighten widen lift? top+up mark+up crank+up lengthen extend elevate multiply? higher bigger larger upsurge
 creep+up appreciate? snowball beef+up turn+up? bloat balloon / decrease reduce fall drop lower go+down
 shrink decline? sink? dip? plunge plummet slump tumble halve cut slash trim cut+back cut+down scale+back
 scale+down wind+down lessen diminish dwindle ebb recede drop+off tail+off taper come+down bring+down
 drive+down push+down knock+down mark+down shorten curtail curb downturn reduction downward deflate minimise
 minimize downsize contract? erode depreciate weaken ease+off abate subside die+down lose+weight fewer
 smaller dial+down dial+back slim+down water+down turn+down tone+down crash shrinkage discount deduct slip?
success: succeed success successful successfully pass pull+off achieve accomplish work+out go+through?
 make+it prevail thrive flourish win triumph pan+out pay+off come+off? fruitful breakthrough get+through?
 sail+through attain went+well go+well goes+well go+smoothly complete finish green hit+the+mark manage+to?
 victorious works effective? a+hit / fail failure unsuccessful unsuccessfully flop flunk fall+through
 fall+flat founder go+wrong backfire go+under fall+short in+vain fiasco futile fruitless abortive went+badly
 go+badly time+out timeout collapse abort crash error? red break+down bomb miss stall ineffective struggle
 botched bungle bankrupt rejected turn+sour debacle go+pear+shaped come+unstuck disappointment letdown
working: functional function operational intact in+working+order up+and+running fixed? repair mend patched
 healthy responsive stable reliable usable undamaged unbroken good+as+new run+fine run+smoothly sound?
 restored operating serviceable =works =working fine? ok okay unharmed unscathed flawless flawlessly
 problem+free faultless in+good+shape in+good+condition in+good+order in+order fit+for+use / badly break
 faulty defective
 malfunction out+of+order damage crack dead pack+up packed+up conked bust wrecked kaput glitchy buggy crash
 fail act+up play+up torn leak? =jammed stuck unusable inoperable unserviceable wonky dud corrupt frozen
 unresponsive ruined flaky fault defect unreliable unstable wrong out+of+whack smashed on+the+blink
 in+bad+shape in+disrepair shattered degraded impaired at+fault
liking: likes like? love enjoy adore fond keen+on prefer favour favor favourite favorite fan+of appreciate?
 relish savour crazy+about mad+about partial+to taken+with take+to? treasure cherish fall+for look+forward+to
 get+a+kick+out+of enthusiastic enthusiast sold+on sweet+tooth thrilled+with delighted+with pleased+with
 happy+with affinity fancy? enamoured big+on passionate lover admire a+fan / dislike hate hatred detest
 loathe despise abhor resent cant+stand aversion averse sick+of fed+up+with tired+of disgust distaste dread
 repelled repulsed put+off+by turned+off+by bored+with bored+of gone+off cringe+at unhappy+with annoyed+by
 irritated+by hater disinclined find+_+disgusting revolt gross abominate
willingness: willingly eager keen happy+to glad+to? prepared+to up+for game+for volunteer? enthusiastic
 ready+to? raring itching+to desire want? wish? hope? plan? intend would+like? would+love aspire crave yearn
 gladly agree+to offer+to? jump+at =willing / unwilling reluctant reluctantly refuse loath hesitant hesitate
 averse dread disinclined balk baulk grudging grudgingly shy+away decline+to resist unenthusiastic reluctance
 unwillingness avoid drag+_+feet shrink+from recoil+from steer+clear get+out+of
doing: use? using? eat? drink? visit? attend wear? join play? consume? frequent? indulge rely+on? opt+for?
 choose? turn+to? adopt? / avoid skip shun refrain abstain stay+away+from steer+clear boycott give+_+a+miss
 swear+off cut+out eschew forgo forego keep+away+from keep+off keep+clear+of stay+off stay+clear+of sidestep
 bypass dodge evade abstinence avoidance
completion: done complete completion finalise finalize wrapped+up accomplished settled? sorted? resolved
 ready? shipped? delivered? signed+off ticked+off dealt+with taken+care+of processed? fulfilled over+and+done
 already? handled? in+the+bag off+the+list all+set closed merged wrapped crossed+off finish over+with solved
 conclude? submitted? published? paid sent in+place? implemented? cleared obtained received / pending
 outstanding? unfinished incomplete todo in+progress open await still+to yet+to left+to+do half+done
 half+finished undone ongoing? unresolved unsettled undecided unprocessed work+in+progress queued backlog
 in+the+pipeline under+way underway wait? tbd to+be+done remain+to on+the+to+do+list unfulfilled due? partway
 halfway up+in+the+air to+do unsolved owed draft in+the+works unsubmitted unpublished in+limbo
decision: agreed final finalised definite set+in+stone firm? fixed decide confirm make+up+_+mind
 made+up+_+mind resolved settle? locked+in chosen? signed? decision+made opt+for? / undecided up+in+the+air
 open? provisional tentative in+two+minds on+the+fence unsettled tbd tbc unconfirmed under+discussion
 under+consideration pending unresolved unsure wavering debating weighing mull+over sleep+on+it dithering
 toying+with up+for+debate to+be+decided to+be+confirmed
earliness: early earlier earliest sooner soon soonest ahead+of+schedule prompt promptly punctual on+time
 in+time in+good+time ahead+of+time premature prematurely well+before on+schedule as+scheduled right+on+time
 up+to+date / late lateness tardy belated belatedly overdue behind+schedule behind+time running+late too+late
 later latest held+up last+minute eleventh+hour delay lag after+the+deadline unpunctual
price: cheap* inexpensive affordable reasonable budget? bargain low+cost low+priced for+a+song good+value
 economical* discounted reasonably+priced cut+price knockdown steal? dirt+cheap good+deal? undercut /
 expensive expensively pricey priciest pricier dearer dearest costly steep? exorbitant overpriced
 cost+a+fortune rip+off upmarket luxury premium extortionate extravagant lavish high+priced over+the+odds
 dear? unaffordable cost+an+arm too+much cost+a+bomb splashy
safety: safe safer safest safely safety harmless secure securely risk+free innocuous benign nontoxic
 non+toxic foolproof harmlessly low+risk sheltered out+of+danger out+of+harm's+way trustworthy protected /
 dangerous dangerously unsafe risky riskier hazardous harmful perilous toxic poisonous insecure hazard
 treacherous lethal deadly unprotected exposed vulnerable danger risk? threat threatening in+danger
 perilously precarious high+risk endangered poison
need: need necessary necessarily require essential vital crucial indispensable mandatory compulsory
 obligatory must have+to has+to needs+to need+to call+for oblige? obliged obligated requisite imperative
 prerequisite insist+on enforce? binding requirement demand? obligation? bound+to necessity / needless
 unnecessary superfluous redundant dispensable optional optionally voluntary voluntarily discretionary
 elective nice+to+have unneeded spare? exempt exemption waive waiver excused unrequired gratuitous
 at+_+discretion surplus+to+requirements if+you+like if+_+want if+desired up+to+you pointless nonbinding
 non+binding let+off suggested recommended free+to? option? obsolete a+plus
possibility: possible possibly feasible doable viable workable achievable attainable able capable
 within+reach manageable practicable realistic can? allow manage+to? able+to in+a+position+to possibility
 obtainable on+the+cards could? manage? / impossible impossibly infeasible unfeasible unworkable unachievable
 unattainable out+of+the+question unable incapable hopeless unrealistic ruled+out out+of+reach inability
 powerless impossibility unviable struggle+to fail+to impracticable nonstarter non+starter
secrecy: public publicly publicise publicize publish in+the+open openly disclose disclosure reveal announce
 announcement share? make+known go+public on+the+record transparent transparency overt overtly expose? leak?
 known out+in+the+open divulge broadcast common+knowledge circulated openness tell? open? uncover unveil
 come+clean / secret secretly secrecy private privately confidential confidentially confidentiality
 undisclosed covert off+the+record under+wraps classified discreet discreetly behind+closed+doors in+private
 unpublished unannounced withhold keep+quiet internal internally clandestine hush conceal hide anonymous
 hush+hush under+the+radar on+the+quiet under+embargo restricted keep+mum between+us unpublicised
presence: attend attendance present? show+up turn+up? in+attendance on+hand? appear? take+part participate
 join participant make+it+to be+there drop+by? attendee participation in+the+room around? be+present
 sit+in+on / absent absence absentee away? miss skip stay+away out+of+the+office on+leave off+sick truant
 elsewhere drop+out? bow+out? sit+out out+of+town cry+off call+in+sick gone? duck+out stay+home play+hooky
 absenteeism bail+on beg+off pull+out?
support: support supporter backing? endorse in+favour in+favor favour favor advocate champion side+with
 stand+by stand+behind all+for proponent vote+for lobby+for campaign+for speak+up+for throw+_+weight+behind
 argue+for pro get+behind plead+for rally+behind push+for agree approve on+board sympathise+with sympathetic
 backed+by backed+the backed+it backs+the backs+it backer pushed+for decide+in+favour+of / oppose opposition
 opponent against object? objects objection resist resistance vote+against speak+against lobby+against
 campaign+against argue+against protest contest? dispute up+in+arms hostile+to take+issue+with push+back+on
 push+back+against condemn disapprove frown+on come+out+against stand+against reject fight speak+out+against
 reservations+about critical+of denounce anti undermine decide+against
certainty: certain certainly sure definite definitely confirm guaranteed guarantee firm? set+in+stone
 for+sure for+certain bound+to undoubtedly clear? clearly? convinced confident assured positive conclusive
 conclusively certainty undeniable indisputable surely fixed unquestionably unequivocal unequivocally final
 decided / uncertain uncertainty unsure doubtful doubt unclear maybe perhaps possibly might? may+or+may
 unconfirmed tentative tentatively provisional questionable unsettled undecided up+in+the+air speculative
 rumoured in+doubt hesitant ambiguous on+the+fence vague iffy inconclusive remains+to+be+seen touch+and+go
 unverified
comparison: better best improve improvement superior upgrade recover enhance outperform on+the+mend progress
 pick+up? look+up? refine nicer beats surpass ameliorate finer step+up? / worse worst worsen deteriorate
 deterioration decline inferior regress regression degrade aggravate relapse go+downhill lag underperform
 setback exacerbate slip? poorer impair suffer compound go+to+the+dogs
quality: good great? excellent superb fantastic wonderful brilliant outstanding? lovely perfect perfectly
 splendid terrific nice nicely decent satisfactory favourable favorable impressive amazing awesome flawless
 commendable well? fine? positive delightful superbly smoothly run+fine run+smoothly stellar top+notch
 first+rate high+quality up+to+scratch pleasant exemplary / bad badly poor poorly awful terrible terribly
 horrible dreadful lousy rubbish crap crappy horrid mediocre disappointing abysmal atrocious appalling
 substandard unsatisfactory nasty negative unfavourable unfavorable shoddy disastrous disaster pathetic
 useless subpar below+par second+rate unimpressive low+quality woeful unpleasant underwhelming wretched
speed: fast faster fastest quick* rapid* swift* speedy speedily speed+up brisk* accelerate acceleration
 hasten expedite prompt promptly hurry rush hastily haste snappy express? at+speed fast+track instant
 instantly immediate immediately like+lightning / slow* sluggish gradual gradually slow+down slowdown
 decelerate leisurely drag+on crawl laggy bog+down snail's+pace unhurried unhurriedly plodding lag lengthy
 delayed at+a+crawl sluggishly
fullness: full packed? crowded sold+out booked+up booked+out fully+booked overbooked oversubscribed stuffed
 crammed at+capacity bursting overflowing occupied busy jam+packed chock+a+block heaving teeming topped+up /
 empty vacant unoccupied deserted blank bare available free with+room half+empty undersubscribed drained
 places+left seats+left depleted quiet hollow spaces+left room+for spots+left unfilled
availability: available availability free up+for+grabs unoccupied vacant obtainable in+stock on+offer
 accessible vacancy at+hand on+hand? on+sale at+_+disposal for+hire unreserved / unavailable taken booked?
 busy engaged? occupied reserved? out+of+stock sold+out tied+up gone? unobtainable exhausted snapped+up
 inaccessible discontinued back+order backorder spoken+for unattainable fully+booked busy+with off+the+market
sameness: same identical identically alike equal equally match equivalent consistent in+line similar*
 uniform one+and+the+same coincide tally indistinguishable interchangeable parity on+a+par / different differ
 differently distinct mismatch at+odds unlike diverge divergent vary dissimilar inconsistent another?
 contrasting disparate unequal separate deviate discrepancy conflicting other? difference unrelated opposite
 a+far+cry
change: change amend amendment revise revision alter alteration modify modification replace swap? switch?
 update edit rewritten rework adjust shift rename overhaul vary converted redesign turn+into? change+_+mind
 transformed evolve moved reworded upgrade / unchanged unaltered unmodified unedited as+is as+before
 as+it+was as+they+were constant stay+put untouched intact stays remain? fixed stable static stick+to?
 stick+with? the+same left+alone leave+as steady frozen keep consistent permanent unaffected same+as+before
 stay+the+same remain+the+same hold+steady hold+firm status+quo immutable toned+down?
automation: manual* by+hand hand+operated handwritten hand+written human in+person by+a+person hand+made
 handmade by+people / automatic* automate automation auto by+itself unattended self+service scripted
 by+machine programmatically machine+made by+a+script cron hands+free robotic by+a+bot machine+generated
place of work: remote remotely from+home work+from+home wfh telework virtual virtually telecommute by+phone
 by+video over+zoom via+zoom on+zoom video+call at+a+distance teleconference home+office dial+in online
 by+teams over+teams over+the+phone from+afar home+working / on+site onsite in+person face+to+face
 in+the+office at+the+office physically on+the+premises on+location into+the+office offline in+the+flesh
 on+premise at+_+desk commute at+headquarters office+based
line: online on+the+web electronically digital digitally internet via+the+website by+e+mail by+email
 through+the+app via+the+app web+based / offline in+store in+the+shop at+the+counter on+paper by+post by+mail
 in+print printed physical analogue paper? over+the+counter in+branch in+the+branch by+letter hardcopy
 hard+copy
duration: temporary temporarily interim provisional provisionally for+now for+the+time+being short+term
 stopgap makeshift for+a+while transient fleeting limited+time seasonal fixed+term casual short+lived trial?
 brief till+further+notice on+loan / permanent permanently indefinite indefinitely for+good forever lasting
 long+term enduring open+ended perpetual lifelong once+and+for+all eternal irrevocable for+life forevermore
 in+perpetuity unlimited for+ever
company: alone solo single+handed single+handedly by+herself by+himself by+myself by+themselves by+yourself
 on+_+own separately individually apart unaccompanied solitary lone one+by+one one+at+a+time independently
 unassisted on+his+own on+her+own separate / together jointly joint accompany share? collectively as+a+group
 side+by+side as+a+couple team+up collaborate collaboration en+masse mutual mutually as+a+team in+company
 simultaneously with+others in+tandem hand+in+hand arm+in+arm with+company combined in+pairs
health: healthy healthily recover on+the+mend get+better cure heal all+clear symptom+free in+good+health
 fighting+fit fit? well? fit+as+a+fiddle in+remission back+on+_+feet bounce+back recuperate / sick sickness
 unwell ailing flu injured injury under+the+weather illness disease infected infection feverish laid+up
 bedridden fall+ill come+down+with off+sick relapse unhealthy hospitalised fever hospitalized contagious
 poorly in+pain diagnosed catch+a+cold caught+a+cold wheezing is+ill are+ill was+ill be+ill being+ill
 been+ill seriously+ill
payment: paid settle? paid+up paid+off pay+off paid+in+full pay+up reimburse remunerated cleared prepaid
 transferred fully+paid paid+up+front in+the+black discharged / unpaid owe owed owing outstanding? overdue
 unsettled in+arrears arrears in+debt unreimbursed due? delinquent in+default nonpayment non+payment
 yet+to+pay bounced unremunerated dishonoured
age: new newer newest modern up+to+date latest recent recently contemporary state+of+the+art cutting+edge
 modernise young* youthful brand+new current / old older oldest outdated obsolete ancient dated legacy
 antiquated out+of+date old+fashioned elderly former deprecated past+it archaic superseded stale
entry: admit let+in admission allowed+in allow+in take+in enrol invite access welcome include accepted
 let+through come+in? / exclude keep+out shut+out turn+away lock+out =barred kick+out throw+out expel evict
 deport uninvited disinvite banish refuse turn+back turned+back expulsion eviction deny bounced shut+off
 exclusion chase+away show+the+door suspended leave+out left+out
trust: trust believe rely rely+on? confidence count+on bank+on vouch credible trustworthy convinced reliable
 have+confidence+in swear+by put+stock+in give+credence / distrust mistrust doubt suspect suspicious
 sceptical skeptical wary dubious question? untrustworthy unconvinced disbelieve disbelief leery misgivings
 scepticism skepticism have+_+doubts question+marks lost+faith unreliable suspicion discredit second+guess
praise: praise compliment commend applaud speak+highly+of laud admire rave+about raved glowing congratulate
 congratulations thumbs+up positive impressed recommend kind+words sing+the+praises speak+well+of approving
 thankful thank celebrate? hail pay+tribute proud flatter / criticise criticize criticism critical+of
 complain complaint blame condemn scold reprimand tell+off rebuke censure denounce berate moan grumble grouse
 find+fault fault scathing disparage lambast lament unimpressed slam slate negative damning pan put+down
 disapproving run+down? bash chide admonish gripe nitpick deride mock?
calm: calm* relaxed composed laid+back serene serenely at+ease unbothered unfazed easygoing easy+going
 peaceful chilled patient? cool+headed nonchalant unruffled untroubled tranquil unperturbed unconcerned
 comfortable+with / angry angrily anger furious mad+at annoyed irritated livid outraged agitated enraged
 irate fuming nervous* anxious anxiety stressed stressful tense worried panicked panic restless frantic
 jittery on+edge uneasy cross+with hectic turbulent flustered upset worked+up tetchy impatient
mood: happy* happiness glad gladly pleased delighted cheerful thrilled satisfied joyful overjoyed chuffed
 upbeat elated over+the+moon relieved content? contented ecstatic excited proud stoked in+high+spirits
 gratified / unhappy unhappily sad* sadness upset miserable disappointed depressed gloomy displeased
 dissatisfied heartbroken dejected downcast frustrated annoyed angry disgruntled unsatisfied discontent
 unimpressed fed+up regretful in+low+spirits dismayed devastated crestfallen
outlook: hopeful hopefully? optimistic optimism confident look+forward looking+forward excited reassured
 encouraged enthusiastic bullish keen hope? upbeat / afraid fear fearful scared dread worry pessimistic
 pessimism anxious apprehensive frightened terrified despair bearish concerned? gloomy nervous discouraged
 hopeless
ease: easy easier easiest easily effortless effortlessly straightforward a+breeze piece+of+cake child's+play
 simple simpler painless user+friendly doddle undemanding ease plain+sailing smooth smoothly trivial / hard
 harder hardest difficult difficulty tough? tougher tricky trickier challenging demanding complicated arduous
 struggle strenuous laborious awkward a+pain uphill thorny troublesome heavy+going cumbersome hassle
cleanness: clean spotless tidy tidier pristine hygienic sterile sanitary washed? neat spotlessly scrubbed
 immaculate unpolluted unstained spick+and+span hygienically / dirty dirtier filthy grubby stains messy mess
 muddy dusty soiled contaminated polluted unclean untidy unwashed grimy mouldy clutter unhygienic unsanitary
 littered
size: big bigger biggest large* huge enormous giant massive vast spacious roomy oversized sizeable sizable
 gigantic considerable immense ample substantial / small smaller smallest tiny* little? miniature compact
 cramped undersized minuscule mini petite cosy slight negligible poky teeny puny
truth: correct correctly correctness right? rightly accurate* true truly valid exact spot+on truthful
 factual verified accuracy error+free proper properly truth on+the+money hold+true well+founded / incorrect*
 wrong wrongly inaccurate* false falsely mistakenly untrue erroneous* invalid flawed off+the+mark bogus
 misleading faulty improper error? mistake inaccuracy lie? fallacy unfounded wide+of+the+mark
postponing: bring+forward brought+forward move+up moved+up pull+forward move+forward earlier on+time
 on+schedule as+planned as+scheduled expedite hasten right+away immediately at+once straight+away advance
 go+ahead going+ahead on+track promptly ahead+of+schedule sooner as+originally+planned stick+to? / postpone
 postponement put+off push+back pushed+back delay defer adjourn put+back hold+off move+back moved+back later
 reschedule shelve held+up slip? on+hold put+on+hold hold+over drag+_+feet procrastinate wait? wait+until
 hold+up deferral kick+the+can slow+down stall
cancelling: go+ahead going+ahead goes+ahead went+ahead take+place takes+place took+place proceed on+track
 as+planned held? reserve? renew go+through? goes+on? uphold reinstate good+to+go all+set keep book? confirm
 schedule? maintain? extend renewal subscribe occur happen / cancel cancellation call+off scrap abandon axe
 axed fall+through void annul nullify terminate withdraw scrub pull+the+plug revoke rescind postponed shelved
 unsubscribe quash drop abort off? ditched
hiring: hire recruit employ appoint take+on onboard promote sign+up bring+on+board give+_+a+job headhunt
 rehire reinstate job+offer / fired dismiss sack lay+off laid+off layoff redundant redundancy let+go
 make+redundant oust resign give+_+notice hand+in+_+notice discharge axed unemployed jobless out+of+work
 dismissal show+the+door get+the+boot get+the+sack terminated job+loss
membership: join enrol sign+up signed+up subscribe register become+a+member enlist opt+in opted+in rejoin
 sign+on+to join+up / leave? left? quit resign withdraw drop+out unsubscribe deregister opt+out cancel
 step+down back+out pull+out resignation part+ways hand+in+_+notice bow+out drop stand+down exit
frequency: always constantly every+time invariably all+the+time continuously continually / rarely seldom
 occasionally sometimes hardly+ever once+in+a+while now+and+then from+time+to+time sporadically infrequently
 intermittently every+so+often scarcely+ever once+in+a+blue+moon
regularity: often oftentimes frequent* usually usual regularly commonly common mostly typically generally
 normally most+of+the+time routinely habitual* repeatedly widespread customarily / rare* seldom infrequent*
 occasionally hardly+ever once+in+a+while sporadic* exceptional uncommon scarcely irregularly barely unusual
 hardly few+and+far+between seldomly scarce
number of them: all everyone everybody everything every? each? both the+whole+team every+single unanimous*
 across+the+board to+a+man / noone some? several a+few most half half+of? a+handful only+one just+one one+of?
 a+couple+of selected a+minority certain+ones
amount: many lots? a+lot? plenty numerous countless abundant abundance loads heaps multiple dozens much?
 scores? a+great+deal myriad a+ton tons+of a+multitude majority? a+slew in+abundance sizeable / few scarce
 scarcely little? hardly a+handful limited sparse scant minimal minority? hardly+any barely+any scarcity
 precious+little a+smattering
enough: enough sufficient sufficiently suffice ample adequate adequately plenty plentiful abundant /
 insufficient insufficiently insufficiency too+few too+little inadequate inadequately scarce shortage
 deficient fall+short short+of? run+out+of lack meagre exhausted used+up deficiency understocked shortfall
obeying: obey comply compliant compliance respect? adhere abide+by observe honour honor stick+to? follow?
 in+line+with law+abiding play+by+the+rules conform / violate breach flout ignore defy disobey infringe
 disregard contravene noncompliant non+compliant noncompliance non+compliance break infringement disobedient
 bend+the+rules
advising: recommend recommendation encourage advise urge suggest promote advocate push+for in+favour+of
 advisable persuade talk+into endorse / discourage advise+against advised+against advise+_+against
 warn+against warn+_+against warn+off caution+against recommend+against dissuade deter talk+out+of
 talk+_+out+of warn inadvisable ill+advised counsel+against suggest+against caution+_+against put+_+off
 unadvisable
confirming: confirm admit acknowledge affirm prove proven verify bear+out corroborate own+up confess
 validate substantiate agrees attest vouch+for apologise apologize / deny denial refute dispute disprove
 contradict rebut retract take+back debunk rejects discredit invalidate unproven disclaim disown
urgency: urgent* urgency pressing immediate immediately asap right+away priority top+priority time+critical
 straight+away at+once high+priority critical burning as+soon+as+possible promptly straightaway / can+wait
 low+priority unhurried nonurgent non+urgent minor whenever in+due+course back+burner eventually
 when+there+is+time at+_+leisure at+some+point someday some+day sometime in+_+own+time when+convenient
importance: important importantly crucial significant significantly essential vital key? critical major
 serious a+big+deal importance severe paramount pivotal grave momentous weighty / unimportant trivial minor
 insignificant negligible irrelevant marginal? beside+the+point petty inconsequential immaterial secondary
 small peripheral frivolous superficial
normality: normal normally usual usually ordinary standard regular typical* routine conventional
 run+of+the+mill commonplace everyday business+as+usual average / unusual* special specially extraordinary
 exceptional abnormal odd? strange weird atypical irregular uncommon anomaly anomalous bizarre peculiar
 one+off out+of+the+ordinary remarkable untypical
intent: intentional* deliberate* on+purpose purposely purposefully wilful wilfully knowingly by+design
 planned? consciously premeditated calculated intended meant+to / accidental* by+accident by+mistake
 unintentional* inadvertent* unintended unwitting* unknowingly by+chance unplanned accident mistakenly slip?
surprise: expected anticipated foreseen predictable* predicted as+expected planned? scheduled? foreseeable
 prearranged arranged long+planned / unexpected* unforeseen unanticipated out+of+the+blue sudden suddenly
 surprise caught+off+guard surprising* unpredictable unpredictably spontaneous* impromptu unscheduled
 spur+of+the+moment unannounced unplanned ad+hoc
flexibility: flexible flexibly flexibility adjustable negotiable adaptable up+for+negotiation
 open+to+negotiation variable fluid elastic adjust customisable customizable / inflexible rigid rigidly
 rigidity fixed set+in+stone nonnegotiable non+negotiable firm? strict cast+in+stone unyielding immovable
friendliness: friendly friendlier kind? kindly polite* warm nice helpful courteous sympathetic welcoming
 gentle considerate amicable* cordial gracious pleasant respectful* civil? good+natured / unfriendly rude*
 hostile unkind impolite nasty unhelpful harsh abrupt cold mean? disrespectful* cruel aggressive
 inconsiderate curt brusque grumpy insulting offensive
"""
