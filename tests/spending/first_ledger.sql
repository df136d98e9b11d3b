-- A ledger as schema 1 left it: the demo, observed and reflected on, one line deleted by hand, one proposal
-- refused, one row of spend put there by hand. Made by that program and never to be made anew.
pragma user_version = 1;
pragma application_id = 1399026280;
BEGIN TRANSACTION;
CREATE TABLE covered (
    session_number integer not null references session (number),
    entry_hash integer not null,
    primary key (session_number, entry_hash)
) without rowid;
INSERT INTO "covered" VALUES(1,-9149240217171441699);
INSERT INTO "covered" VALUES(1,-8276819149880421473);
INSERT INTO "covered" VALUES(1,-7665452022075633656);
INSERT INTO "covered" VALUES(1,-7430232287603929095);
INSERT INTO "covered" VALUES(1,-6429506970714032343);
INSERT INTO "covered" VALUES(1,-6392706260336424305);
INSERT INTO "covered" VALUES(1,-6367844455497373893);
INSERT INTO "covered" VALUES(1,-6325280240627038131);
INSERT INTO "covered" VALUES(1,-6287170372188342828);
INSERT INTO "covered" VALUES(1,-5996661562511750264);
INSERT INTO "covered" VALUES(1,-5786097265929791004);
INSERT INTO "covered" VALUES(1,-5742261600337131385);
INSERT INTO "covered" VALUES(1,-5709898295901328530);
INSERT INTO "covered" VALUES(1,-4771984654076926098);
INSERT INTO "covered" VALUES(1,-4522388559593045408);
INSERT INTO "covered" VALUES(1,-4503188276072282747);
INSERT INTO "covered" VALUES(1,-4103234729231928442);
INSERT INTO "covered" VALUES(1,-3955393718230301664);
INSERT INTO "covered" VALUES(1,-2953087081524812041);
INSERT INTO "covered" VALUES(1,-2755121010222174608);
INSERT INTO "covered" VALUES(1,-2266730143243718832);
INSERT INTO "covered" VALUES(1,-2172616294405616562);
INSERT INTO "covered" VALUES(1,-2015364784630974776);
INSERT INTO "covered" VALUES(1,-1967669379062599671);
INSERT INTO "covered" VALUES(1,-1862417542054471561);
INSERT INTO "covered" VALUES(1,-1359320924245253536);
INSERT INTO "covered" VALUES(1,-714891051551427960);
INSERT INTO "covered" VALUES(1,905818951793988583);
INSERT INTO "covered" VALUES(1,1786771833906133968);
INSERT INTO "covered" VALUES(1,1935691771061185169);
INSERT INTO "covered" VALUES(1,1958069668226245154);
INSERT INTO "covered" VALUES(1,2238136419908004615);
INSERT INTO "covered" VALUES(1,2874933381745859748);
INSERT INTO "covered" VALUES(1,2931677239631477524);
INSERT INTO "covered" VALUES(1,2951482741523292326);
INSERT INTO "covered" VALUES(1,3258583781970398583);
INSERT INTO "covered" VALUES(1,3447900221581593990);
INSERT INTO "covered" VALUES(1,3472689242176464385);
INSERT INTO "covered" VALUES(1,3944494703333493292);
INSERT INTO "covered" VALUES(1,4910654721313842245);
INSERT INTO "covered" VALUES(1,5182125639370507160);
INSERT INTO "covered" VALUES(1,5379450083576770435);
INSERT INTO "covered" VALUES(1,5748097076331201022);
INSERT INTO "covered" VALUES(1,6527991026544335442);
INSERT INTO "covered" VALUES(1,6891222006754088763);
INSERT INTO "covered" VALUES(1,7029065728065802115);
INSERT INTO "covered" VALUES(1,7093917008204069037);
INSERT INTO "covered" VALUES(1,7424767486730205311);
INSERT INTO "covered" VALUES(1,7559763263606161791);
INSERT INTO "covered" VALUES(1,7769805838547411577);
INSERT INTO "covered" VALUES(1,8230131225867591875);
INSERT INTO "covered" VALUES(1,8381478648473965003);
INSERT INTO "covered" VALUES(1,8433959417367958875);
INSERT INTO "covered" VALUES(1,8555848621996348658);
INSERT INTO "covered" VALUES(1,8740914212778053942);
INSERT INTO "covered" VALUES(1,9009162817296750505);
INSERT INTO "covered" VALUES(2,-9013426847353367090);
INSERT INTO "covered" VALUES(2,-8876226159815100851);
INSERT INTO "covered" VALUES(2,-7881264974767100904);
INSERT INTO "covered" VALUES(2,-7815549967323234715);
INSERT INTO "covered" VALUES(2,-7596777579733902488);
INSERT INTO "covered" VALUES(2,-7054907528010551459);
INSERT INTO "covered" VALUES(2,-7039274995663321040);
INSERT INTO "covered" VALUES(2,-7033019501777256232);
INSERT INTO "covered" VALUES(2,-6508559347745128470);
INSERT INTO "covered" VALUES(2,-6013188682807180460);
INSERT INTO "covered" VALUES(2,-5587686946933628948);
INSERT INTO "covered" VALUES(2,-5455539103101101398);
INSERT INTO "covered" VALUES(2,-5245970818717195152);
INSERT INTO "covered" VALUES(2,-5112884099057077316);
INSERT INTO "covered" VALUES(2,-4948528161674969190);
INSERT INTO "covered" VALUES(2,-4464452729180191401);
INSERT INTO "covered" VALUES(2,-4370212979724284448);
INSERT INTO "covered" VALUES(2,-4230582940198965288);
INSERT INTO "covered" VALUES(2,-3524234922255857810);
INSERT INTO "covered" VALUES(2,-3350276921471911403);
INSERT INTO "covered" VALUES(2,-2680267022975536065);
INSERT INTO "covered" VALUES(2,-1173622002132430563);
INSERT INTO "covered" VALUES(2,-432107120978011296);
INSERT INTO "covered" VALUES(2,17390151020181872);
INSERT INTO "covered" VALUES(2,27479552835659652);
INSERT INTO "covered" VALUES(2,196801875189885226);
INSERT INTO "covered" VALUES(2,224203826419698747);
INSERT INTO "covered" VALUES(2,825321971898057000);
INSERT INTO "covered" VALUES(2,1302327379377708556);
INSERT INTO "covered" VALUES(2,1425554016160661364);
INSERT INTO "covered" VALUES(2,2468474077839657201);
INSERT INTO "covered" VALUES(2,2528614864441025039);
INSERT INTO "covered" VALUES(2,2626600041126015852);
INSERT INTO "covered" VALUES(2,3882674013317225843);
INSERT INTO "covered" VALUES(2,5545193876771208085);
INSERT INTO "covered" VALUES(2,5816013835753968608);
INSERT INTO "covered" VALUES(2,6147616525131551614);
INSERT INTO "covered" VALUES(2,6778976557088699415);
INSERT INTO "covered" VALUES(2,8325604183365890205);
INSERT INTO "covered" VALUES(2,8435151656366778413);
INSERT INTO "covered" VALUES(2,8789632621372781064);
INSERT INTO "covered" VALUES(2,8806395636408816286);
CREATE TABLE cursor (
    source_id text not null,
    session_id text not null,
    cursor text not null,
    position text not null,
    newest_at_ms integer not null,
    primary key (source_id, session_id)
) without rowid;
INSERT INTO "cursor" VALUES('jsonl:main','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','{"jsonl":[3080596,26927,"3eb324b5d298490f2ad4073405d6daa5",61,0,0,"4ed5548e",[false,[],1791560930158]]}','3080596:26927:1791560930157999992',1791560930230);
INSERT INTO "cursor" VALUES('jsonl:main','c07d93e5-18af-4d6b-a4b1-77f20e6b5d48','{"jsonl":[3080631,17786,"cb8bd0aee41cb75b5258317d0d596585",47,0,0,"cf50b046",[false,[],1792083727217]]}','3080631:17786:1792083727217000007',1792083727248);
CREATE TABLE event (
    seq integer primary key autoincrement,
    type text not null,
    observation_id text references observation (id),  -- null: the whole section
    at_ms integer not null,
    by text not null,
    other_id text not null,
    reason text not null
);
INSERT INTO "event" VALUES(1,'observed','cde75ddb50572d4037381213',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(2,'observed','896c62d143757908a6aaa26f',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(3,'observed','71dba633a0191a6ebfdfdeb6',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(4,'observed','2e5fef236ff181905bcf6c95',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(5,'observed','a20c9bb39aec460221ed59d0',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(6,'observed','0aa4ccfa30b4a2ac8b5c3694',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(7,'observed','bd39880412a84f8166917d81',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(8,'observed','9ffcc3164ef1c20ce4286bd3',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(9,'observed','f8d26c6e48e9a6118d2da7e6',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(10,'observed','9f275be14828677617696c70',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(11,'observed','253bd7024b2636d67d6e8320',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(12,'observed','f6ec4a76e66e0554ad6e9258',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(13,'observed','e8e86ceacc046162a5d007dd',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(14,'observed','68c4e4bc1935a2f49ccf99f0',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(15,'observed','6280e9a2d400db3699780dc3',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(16,'observed','2f67bd856bedd85819df35ab',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(17,'observed','019029d8ab1ce339abaeac1e',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(18,'observed','e0b519273dd3b4f7d1014534',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(19,'observed','b90de7651b000e9e58a9e9f2',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(20,'observed','730a821e10cae36a9468abf7',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(21,'observed','1a8657c1f137bc3c6c364cb0',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(22,'observed','e230f1423845f0db966caacf',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(23,'observed','3fab7b7399a80d505a680cb7',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(24,'observed','4cfe907c86ae65bcf6a3af65',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(25,'observed','70574eb479fbb6e9b6a96842',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(26,'observed','9b9608986cd0b0fd72e91562',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(27,'observed','f3a599a7fab6c574114416cf',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(28,'observed','6204d4ef60772caea0a85298',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(29,'observed','113770a8c34361861f9e781a',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(30,'observed','3f2ba439f7998d29a4d9faac',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(31,'observed','42981b440a8e87d34841cc06',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(32,'observed','c75515d3371c5e38af1ed17a',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(33,'observed','880266585760546205a3191e',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(34,'observed','27a881d124f0db6676f83ecd',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(35,'observed','5ee950f40c8740f46f5b86ab',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(36,'observed','6d5b69cfc19570f9a1f6f7ac',1792090800000,'20261015T190000-54dfdf','','');
INSERT INTO "event" VALUES(37,'completed','f6ec4a76e66e0554ad6e9258',1792090800000,'20261015T190000-54dfdf','e230f1423845f0db966caacf','');
INSERT INTO "event" VALUES(38,'superseded','e8e86ceacc046162a5d007dd',1792090800000,'20261015T190000-54dfdf','4cfe907c86ae65bcf6a3af65','');
INSERT INTO "event" VALUES(39,'completed','b90de7651b000e9e58a9e9f2',1792090800000,'20261015T190000-54dfdf','27a881d124f0db6676f83ecd','');
INSERT INTO "event" VALUES(40,'withdrawn','bd39880412a84f8166917d81',1792090800000,'20261015T190000-54dfdf','6d5b69cfc19570f9a1f6f7ac','');
INSERT INTO "event" VALUES(41,'expired','cde75ddb50572d4037381213',1792090800000,'20261015T190000-54dfdf','','its time is over');
INSERT INTO "event" VALUES(42,'expired','f8d26c6e48e9a6118d2da7e6',1792090800000,'20261015T190000-54dfdf','','its time is over');
INSERT INTO "event" VALUES(43,'expired','42981b440a8e87d34841cc06',1792177200000,'20261016T190000-6cbcca','','its time is over');
INSERT INTO "event" VALUES(44,'deleted','0aa4ccfa30b4a2ac8b5c3694',1792180000000,'20261017T190000-aaaaaa','','');
CREATE TABLE forgetting (since_ms integer not null);
CREATE TABLE meta (key text primary key, value text not null) without rowid;
INSERT INTO "meta" VALUES('agent','main');
INSERT INTO "meta" VALUES('folded','43/8102/Europe/London/memory 1795337958570307357 0');
INSERT INTO "meta" VALUES('hash-key',printf('%064d', 0));
INSERT INTO "meta" VALUES('intended MEMORY.md','2 4024b79af644caea17d8d26b9d583d721d73778a16c1cbc47a6672699ac7a251');
INSERT INTO "meta" VALUES('reflected','43');
INSERT INTO "meta" VALUES('section-result','written');
INSERT INTO "meta" VALUES('unwritten','[]');
INSERT INTO "meta" VALUES('workspace','/home/nora/workspace');
INSERT INTO "meta" VALUES('zone','Europe/London');
CREATE TABLE observation (
    number integer primary key,
    id text not null unique,
    text text not null,
    kind text not null,
    priority integer not null check (priority between 1 and 5),
    place text not null,
    done integer not null,
    author text not null,
    session_id text not null,
    sources text not null,
    speaker text not null,
    said_at_ms integer not null,
    local_date text not null,
    local_time text not null,
    zone text not null,
    refers_start text,
    refers_end text,
    refers_time text,
    refers_phrase text,
    refers_certain integer,
    claim_subject text,
    claim_predicate text,
    claim_object text,
    confidence real not null,
    salience real not null,
    run_id text not null,
    tokens integer not null,
    level integer not null,
    supports text not null,
    pattern text not null,
    task_state text not null
);
INSERT INTO "observation" VALUES(1,'cde75ddb50572d4037381213','First pressing is tomorrow (2026-10-06) so this week will be messy.','next-step',4,'open',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["ba0b8595"]','user',1791183167219,'2026-10-05','07:52','Europe/London','2026-10-06',NULL,NULL,'tomorrow',1,NULL,NULL,NULL,0.9,0.434,'20261015T190000-54dfdf',21,0,'[]','','');
INSERT INTO "observation" VALUES(2,'896c62d143757908a6aaa26f','What came in through the shop over the weekend? → 14 orders for £612.40. The Dabinett Still sold best with 23 bottles.','outcome',3,'log',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["ba0b8595", "bfffff93", "1eb02f78", "0b544dd6"]','assistant',1791183174326,'2026-10-05','07:52','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.7,0.4,'20261015T190000-54dfdf',37,0,'[]','','');
INSERT INTO "observation" VALUES(3,'71dba633a0191a6ebfdfdeb6','For the future: anything with glass in it goes by Marches Parcels, never by ZipPost.','preference',5,'standing',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["b6aef408"]','user',1791183492021,'2026-10-05','07:58','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.9,0.3878,'20261015T190000-54dfdf',26,0,'[]','','');
INSERT INTO "observation" VALUES(4,'2e5fef236ff181905bcf6c95','ZipPost broke two cases of ours in August.','fact',3,'log',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["b6aef408"]','user',1791183492021,'2026-10-05','07:58','Europe/London','2026-08-01','2026-08-31',NULL,'August',1,NULL,NULL,NULL,0.9,0.2105,'20261015T190000-54dfdf',13,0,'[]','','');
INSERT INTO "observation" VALUES(5,'a20c9bb39aec460221ed59d0','Three Marches Parcels labels are made, they collect today between 14:00 and 17:00. Glass goes by Marches Parcels from now on.','outcome',3,'log',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["b6aef408", "f7f64a11", "f3e426e0", "12afa236"]','assistant',1791183500312,'2026-10-05','07:58','Europe/London','2026-10-05',NULL,NULL,'today',1,NULL,NULL,NULL,0.7,0.5714,'20261015T190000-54dfdf',38,0,'[]','','');
INSERT INTO "observation" VALUES(6,'0aa4ccfa30b4a2ac8b5c3694','Long Furrow Cider is me and my husband Owen, plus Beth on Thursdays and Fridays.','fact',4,'log',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["b42204e3"]','user',1791184214426,'2026-10-05','08:10','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.9,0.4828,'20261015T190000-54dfdf',25,0,'[]','','');
INSERT INTO "observation" VALUES(7,'bd39880412a84f8166917d81','The orchard is 11 acres, mostly Dabinett and Michelin with a row of Foxwhelp.','fact',4,'standing',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["b42204e3"]','user',1791184214426,'2026-10-05','08:10','Europe/London',NULL,NULL,NULL,NULL,NULL,'the orchard','is','11 acres',0.9,0.3617,'20261015T190000-54dfdf',24,0,'[]','','');
INSERT INTO "observation" VALUES(8,'9ffcc3164ef1c20ce4286bd3','Please answer in plain sentences, no bullet points and no tables.','preference',5,'standing',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["57b3deac"]','user',1791184374050,'2026-10-05','08:12','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.9,0.3333,'20261015T190000-54dfdf',20,0,'[]','','');
INSERT INTO "observation" VALUES(9,'f8d26c6e48e9a6118d2da7e6','Tomorrow (2026-10-06): 4 tonnes of Foxwhelp come in at 8:00, Owen fetches the press cloths from Ledbury before that.','next-step',4,'open',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["6b998dd3"]','user',1791189063071,'2026-10-05','09:31','Europe/London','2026-10-06',NULL,'08:00','Tomorrow',1,NULL,NULL,NULL,0.9,0.589,'20261015T190000-54dfdf',36,0,'[]','','');
INSERT INTO "observation" VALUES(10,'9f275be14828677617696c70','2,540 litres in T3, gravity 1.052, pH 3.4.','fact',3,'log',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["a66c4488"]','user',1791303642042,'2026-10-06','17:20','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.9,0.4231,'20261015T190000-54dfdf',13,0,'[]','','');
INSERT INTO "observation" VALUES(11,'253bd7024b2636d67d6e8320','We go wild, with 50 ppm of sulphite first. That''s how Dad did it and the 2022 was the best we ever made.','fact',4,'standing',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["0b1b6edf"]','user',1791304472394,'2026-10-06','17:34','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.9,0.3878,'20261015T190000-54dfdf',32,0,'[]','','');
INSERT INTO "observation" VALUES(12,'f6ec4a76e66e0554ad6e9258','The labels for the keeved cider have to be ordered at Harcourt Print by Friday (2026-10-09), 1,200 of them. The budget is £340 and not a penny more.','next-step',4,'open',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["db87139f"]','user',1791360329438,'2026-10-07','09:05','Europe/London','2026-10-09',NULL,NULL,'Friday',1,'the budget','is','£340 and not a penny more',0.9,0.5946,'20261015T190000-54dfdf',46,0,'[]','','');
INSERT INTO "observation" VALUES(13,'e8e86ceacc046162a5d007dd','The keeved one goes into the 500 ml brown bottle, same as the still.','fact',4,'standing',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["a2629028"]','user',1791360525504,'2026-10-07','09:08','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.9,0.2683,'20261015T190000-54dfdf',21,0,'[]','','');
INSERT INTO "observation" VALUES(14,'68c4e4bc1935a2f49ccf99f0','People in the Highlands can''t check out → The Highlands rate ends at 9.5 kg and a gift box of six weighs 9.8 kg, so the shop finds no price for it.','outcome',3,'log',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["ad8f793f", "182786bb", "dfb3ffce", "7e0c3703"]','assistant',1791364521390,'2026-10-07','10:15','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.7,0.3478,'20261015T190000-54dfdf',46,0,'[]','','');
INSERT INTO "observation" VALUES(15,'6280e9a2d400db3699780dc3','The limit is 12 kg now, and a test order of one gift box to Inverness goes through at £14.90.','outcome',3,'log',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["f0951d65", "ed07cafe", "8013e798", "e00c7cd4"]','assistant',1791364753933,'2026-10-07','10:19','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.7,0.5276,'20261015T190000-54dfdf',29,0,'[]','','');
INSERT INTO "observation" VALUES(16,'2f67bd856bedd85819df35ab','Beth says a real one from Wick came in just now. Fixed.','outcome',4,'log',1,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["b6747ceb"]','user',1791367353526,'2026-10-07','11:02','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.9,0.2308,'20261015T190000-54dfdf',17,0,'[]','','');
INSERT INTO "observation" VALUES(17,'019029d8ab1ce339abaeac1e','Last year the stand was £420 and you took £1,910.50. This year it is on 21 and 22 November, a 3 by 3 m stand costs £435, and applications close on 16 October.','outcome',3,'log',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["93bd427d", "d40b84a6", "cee5cca3", "61098ee0", "7f06d1bb"]','assistant',1791460948541,'2026-10-08','13:02','Europe/London','2026-01-01','2026-12-31',NULL,'This year',1,NULL,NULL,NULL,0.7,0.6273,'20261015T190000-54dfdf',49,0,'[]','','');
INSERT INTO "observation" VALUES(18,'e0b519273dd3b4f7d1014534','We''re doing Wenbury, the small stand.','decision',5,'standing',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["8c2403d5"]','user',1791461165146,'2026-10-08','13:06','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.9,0.3617,'20261015T190000-54dfdf',12,0,'[]','','');
INSERT INTO "observation" VALUES(19,'b90de7651b000e9e58a9e9f2','I''ll send the application by next Friday.','next-step',4,'open',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["8c2403d5"]','user',1791461165146,'2026-10-08','13:06','Europe/London','2026-10-16',NULL,NULL,'next Friday',0,NULL,NULL,NULL,0.9,0.4643,'20261015T190000-54dfdf',13,0,'[]','','');
INSERT INTO "observation" VALUES(20,'730a821e10cae36a9468abf7','Owen turns 50 on 3 November. I want to give him the Opinel pruning knife, please remind me a week before.','next-step',4,'open',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["ff9ae6b9"]','user',1791462050525,'2026-10-08','13:20','Europe/London','2026-11-03',NULL,NULL,'3 November',1,NULL,NULL,NULL,0.9,0.4828,'20261015T190000-54dfdf',32,0,'[]','','');
INSERT INTO "observation" VALUES(21,'1a8657c1f137bc3c6c364cb0','Harcourt want £395 for the labels, that''s robbery. I''ve asked Severn Labels in Worcester instead.','fact',3,'log',0,'rules','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','["3e7486f5"]','user',1791531051989,'2026-10-09','08:30','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.9,0.3333,'20261015T190000-54dfdf',30,0,'[]','','');
INSERT INTO "observation" VALUES(22,'e230f1423845f0db966caacf','Severn came back with £318 for the 1,200 labels, delivered on 21 October. I said yes.','next-step',4,'open',0,'rules','c07d93e5-18af-4d6b-a4b1-77f20e6b5d48','["0b3b403a"]','user',1791787449488,'2026-10-12','07:44','Europe/London','2026-10-21',NULL,NULL,'21 October',0,NULL,NULL,NULL,0.9,0.4545,'20261015T190000-54dfdf',27,0,'[]','','');
INSERT INTO "observation" VALUES(23,'3fab7b7399a80d505a680cb7','T3 this morning: 1.044, smells clean → Row 91. It has dropped 0.008 in six days, nice and slow.','outcome',3,'log',0,'rules','c07d93e5-18af-4d6b-a4b1-77f20e6b5d48','["be07a082", "2e122a82", "3828cdc5", "976c5d3f"]','assistant',1791787824478,'2026-10-12','07:50','Europe/London','2026-10-12',NULL,NULL,'this morning',1,NULL,NULL,NULL,0.7,0.4393,'20261015T190000-54dfdf',30,0,'[]','','');
INSERT INTO "observation" VALUES(24,'4cfe907c86ae65bcf6a3af65','I''ve changed my mind about the bottle for the keeved cider. Not the 500 ml brown, we take the 750 ml champagne bottle, the brown one won''t hold the pressure.','decision',4,'standing',0,'rules','c07d93e5-18af-4d6b-a4b1-77f20e6b5d48','["490335f2"]','user',1791788715891,'2026-10-12','08:05','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.9,0.4958,'20261015T190000-54dfdf',48,0,'[]','','');
INSERT INTO "observation" VALUES(25,'70574eb479fbb6e9b6a96842','Give me gravities as SG with three decimals, never Plato, Owen mixes them up.','preference',5,'standing',0,'rules','c07d93e5-18af-4d6b-a4b1-77f20e6b5d48','["9038a628"]','user',1791788833787,'2026-10-12','08:07','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.9,0.4118,'20261015T190000-54dfdf',24,0,'[]','','');
INSERT INTO "observation" VALUES(26,'9b9608986cd0b0fd72e91562','1,830 litres went out.','outcome',4,'log',1,'rules','c07d93e5-18af-4d6b-a4b1-77f20e6b5d48','["9bdc32f1"]','user',1791878565354,'2026-10-13','09:02','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.9,0.3478,'20261015T190000-54dfdf',7,0,'[]','','');
INSERT INTO "observation" VALUES(27,'f3a599a7fab6c574114416cf','It stopped because batch B2407 has no ABV in the cellar log.','issue',3,'log',0,'rules','c07d93e5-18af-4d6b-a4b1-77f20e6b5d48','["9bdc32f1", "c179146e", "d067abc5", "e4a88db7"]','assistant',1791878571725,'2026-10-13','09:02','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.7,0.1176,'20261015T190000-54dfdf',19,0,'[]','','');
INSERT INTO "observation" VALUES(28,'6204d4ef60772caea0a85298','B2407 is 6.2 percent → 1,830 litres at 6.2 percent are 113.46 litres of alcohol and £1,097.16 of duty.','outcome',3,'log',0,'rules','c07d93e5-18af-4d6b-a4b1-77f20e6b5d48','["67e801f5", "af3c9543", "2c2063fb", "23d7a707"]','assistant',1791878808966,'2026-10-13','09:06','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.7,0.4175,'20261015T190000-54dfdf',32,0,'[]','','');
INSERT INTO "observation" VALUES(29,'113770a8c34361861f9e781a','Filed the duty return, reference XM-2026-0913.','outcome',4,'log',1,'rules','c07d93e5-18af-4d6b-a4b1-77f20e6b5d48','["b63a524f"]','user',1791880837727,'2026-10-13','09:40','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.9,0.469,'20261015T190000-54dfdf',14,0,'[]','','');
INSERT INTO "observation" VALUES(30,'3f2ba439f7998d29a4d9faac','Which pubs still owe us money? → The Plough at Yarrow Cross owes £286 since 2 September and The Three Pippins £144 since 28 September.','outcome',3,'log',0,'rules','c07d93e5-18af-4d6b-a4b1-77f20e6b5d48','["d63b5a59", "512aad10", "d9a5963b", "55b7a889"]','assistant',1791969142930,'2026-10-14','10:12','Europe/London','2026-09-02',NULL,NULL,'2 September',1,NULL,NULL,NULL,0.7,0.5122,'20261015T190000-54dfdf',42,0,'[]','','');
INSERT INTO "observation" VALUES(31,'42981b440a8e87d34841cc06','I''ll ring the Plough tomorrow (2026-10-15). If they haven''t paid by the end of the month (2026-10-31) we stop delivering to them.','next-step',4,'open',0,'rules','c07d93e5-18af-4d6b-a4b1-77f20e6b5d48','["5c5b1c64"]','user',1791969328283,'2026-10-14','10:15','Europe/London','2026-10-15',NULL,NULL,'tomorrow',1,NULL,NULL,NULL,0.9,0.4828,'20261015T190000-54dfdf',40,0,'[]','','');
INSERT INTO "observation" VALUES(32,'c75515d3371c5e38af1ed17a','Dentist next Wednesday at 10:40 (2026-10-21), so don''t plan anything for me that morning.','next-step',4,'open',0,'rules','c07d93e5-18af-4d6b-a4b1-77f20e6b5d48','["0a4ac07f"]','user',1791988852447,'2026-10-14','15:40','Europe/London','2026-10-21',NULL,'10:40','next Wednesday at 10:40',1,NULL,NULL,NULL,0.9,0.5082,'20261015T190000-54dfdf',27,0,'[]','','');
INSERT INTO "observation" VALUES(33,'880266585760546205a3191e','Spoke to Gareth at the Plough, he''ll pay on Monday (2026-10-19).','next-step',4,'open',0,'rules','c07d93e5-18af-4d6b-a4b1-77f20e6b5d48','["0c4e105c"]','user',1792060261113,'2026-10-15','11:31','Europe/London','2026-10-19',NULL,NULL,'Monday',1,NULL,NULL,NULL,0.9,0.2857,'20261015T190000-54dfdf',20,0,'[]','','');
INSERT INTO "observation" VALUES(34,'27a881d124f0db6676f83ecd','Wenbury application is in, they gave us stand 34. £435 as they said.','outcome',4,'log',1,'rules','c07d93e5-18af-4d6b-a4b1-77f20e6b5d48','["59731a92"]','user',1792061439016,'2026-10-15','11:50','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.9,0.3478,'20261015T190000-54dfdf',21,0,'[]','','');
INSERT INTO "observation" VALUES(35,'5ee950f40c8740f46f5b86ab','Second pressing is on Saturday 24 October, 6 tonnes of Dabinett, into T1 and T2. Beth can''t make it that day, so I''ll ask my cousin Rhys to help.','next-step',4,'open',0,'rules','c07d93e5-18af-4d6b-a4b1-77f20e6b5d48','["e95f0117"]','user',1792070281785,'2026-10-15','14:18','Europe/London','2026-10-24',NULL,NULL,'Saturday 24 October',1,NULL,NULL,NULL,0.9,0.5238,'20261015T190000-54dfdf',44,0,'[]','','');
INSERT INTO "observation" VALUES(36,'6d5b69cfc19570f9a1f6f7ac','I was wrong about the orchard, it''s 12 acres, not 11. Owen measured it again with the strip by the brook.','fact',4,'standing',0,'rules','c07d93e5-18af-4d6b-a4b1-77f20e6b5d48','["814a9d5f"]','user',1792070750940,'2026-10-15','14:25','Europe/London',NULL,NULL,NULL,NULL,NULL,NULL,NULL,NULL,0.9,0.3617,'20261015T190000-54dfdf',32,0,'[]','','');
CREATE TABLE outbox (
    number integer primary key autoincrement,
    target text not null,
    act text not null,
    observation_id text not null references observation (id),
    marked_on text not null,
    done_at_ms integer
);
INSERT INTO "outbox" VALUES(1,'dated','append','cde75ddb50572d4037381213','',1792090800000);
INSERT INTO "outbox" VALUES(2,'mv2','append','cde75ddb50572d4037381213','',NULL);
INSERT INTO "outbox" VALUES(3,'dated','append','896c62d143757908a6aaa26f','',1792090800000);
INSERT INTO "outbox" VALUES(4,'mv2','append','896c62d143757908a6aaa26f','',NULL);
INSERT INTO "outbox" VALUES(5,'dated','append','71dba633a0191a6ebfdfdeb6','',1792090800000);
INSERT INTO "outbox" VALUES(6,'mv2','append','71dba633a0191a6ebfdfdeb6','',NULL);
INSERT INTO "outbox" VALUES(7,'dated','append','2e5fef236ff181905bcf6c95','',1792090800000);
INSERT INTO "outbox" VALUES(8,'mv2','append','2e5fef236ff181905bcf6c95','',NULL);
INSERT INTO "outbox" VALUES(9,'dated','append','a20c9bb39aec460221ed59d0','',1792090800000);
INSERT INTO "outbox" VALUES(10,'mv2','append','a20c9bb39aec460221ed59d0','',NULL);
INSERT INTO "outbox" VALUES(11,'dated','append','0aa4ccfa30b4a2ac8b5c3694','',1792090800000);
INSERT INTO "outbox" VALUES(12,'mv2','append','0aa4ccfa30b4a2ac8b5c3694','',NULL);
INSERT INTO "outbox" VALUES(13,'dated','append','bd39880412a84f8166917d81','',1792090800000);
INSERT INTO "outbox" VALUES(14,'mv2','append','bd39880412a84f8166917d81','',NULL);
INSERT INTO "outbox" VALUES(15,'dated','append','9ffcc3164ef1c20ce4286bd3','',1792090800000);
INSERT INTO "outbox" VALUES(16,'mv2','append','9ffcc3164ef1c20ce4286bd3','',NULL);
INSERT INTO "outbox" VALUES(17,'dated','append','f8d26c6e48e9a6118d2da7e6','',1792090800000);
INSERT INTO "outbox" VALUES(18,'mv2','append','f8d26c6e48e9a6118d2da7e6','',NULL);
INSERT INTO "outbox" VALUES(19,'dated','append','9f275be14828677617696c70','',1792090800000);
INSERT INTO "outbox" VALUES(20,'mv2','append','9f275be14828677617696c70','',NULL);
INSERT INTO "outbox" VALUES(21,'dated','append','253bd7024b2636d67d6e8320','',1792090800000);
INSERT INTO "outbox" VALUES(22,'mv2','append','253bd7024b2636d67d6e8320','',NULL);
INSERT INTO "outbox" VALUES(23,'dated','append','f6ec4a76e66e0554ad6e9258','',1792090800000);
INSERT INTO "outbox" VALUES(24,'mv2','append','f6ec4a76e66e0554ad6e9258','',NULL);
INSERT INTO "outbox" VALUES(25,'dated','append','e8e86ceacc046162a5d007dd','',1792090800000);
INSERT INTO "outbox" VALUES(26,'mv2','append','e8e86ceacc046162a5d007dd','',NULL);
INSERT INTO "outbox" VALUES(27,'dated','append','68c4e4bc1935a2f49ccf99f0','',1792090800000);
INSERT INTO "outbox" VALUES(28,'mv2','append','68c4e4bc1935a2f49ccf99f0','',NULL);
INSERT INTO "outbox" VALUES(29,'dated','append','6280e9a2d400db3699780dc3','',1792090800000);
INSERT INTO "outbox" VALUES(30,'mv2','append','6280e9a2d400db3699780dc3','',NULL);
INSERT INTO "outbox" VALUES(31,'dated','append','2f67bd856bedd85819df35ab','',1792090800000);
INSERT INTO "outbox" VALUES(32,'mv2','append','2f67bd856bedd85819df35ab','',NULL);
INSERT INTO "outbox" VALUES(33,'dated','append','019029d8ab1ce339abaeac1e','',1792090800000);
INSERT INTO "outbox" VALUES(34,'mv2','append','019029d8ab1ce339abaeac1e','',NULL);
INSERT INTO "outbox" VALUES(35,'dated','append','e0b519273dd3b4f7d1014534','',1792090800000);
INSERT INTO "outbox" VALUES(36,'mv2','append','e0b519273dd3b4f7d1014534','',NULL);
INSERT INTO "outbox" VALUES(37,'dated','append','b90de7651b000e9e58a9e9f2','',1792090800000);
INSERT INTO "outbox" VALUES(38,'mv2','append','b90de7651b000e9e58a9e9f2','',NULL);
INSERT INTO "outbox" VALUES(39,'dated','append','730a821e10cae36a9468abf7','',1792090800000);
INSERT INTO "outbox" VALUES(40,'mv2','append','730a821e10cae36a9468abf7','',NULL);
INSERT INTO "outbox" VALUES(41,'dated','append','1a8657c1f137bc3c6c364cb0','',1792090800000);
INSERT INTO "outbox" VALUES(42,'mv2','append','1a8657c1f137bc3c6c364cb0','',NULL);
INSERT INTO "outbox" VALUES(43,'dated','append','e230f1423845f0db966caacf','',1792090800000);
INSERT INTO "outbox" VALUES(44,'mv2','append','e230f1423845f0db966caacf','',NULL);
INSERT INTO "outbox" VALUES(45,'dated','append','3fab7b7399a80d505a680cb7','',1792090800000);
INSERT INTO "outbox" VALUES(46,'mv2','append','3fab7b7399a80d505a680cb7','',NULL);
INSERT INTO "outbox" VALUES(47,'dated','append','4cfe907c86ae65bcf6a3af65','',1792090800000);
INSERT INTO "outbox" VALUES(48,'mv2','append','4cfe907c86ae65bcf6a3af65','',NULL);
INSERT INTO "outbox" VALUES(49,'dated','append','70574eb479fbb6e9b6a96842','',1792090800000);
INSERT INTO "outbox" VALUES(50,'mv2','append','70574eb479fbb6e9b6a96842','',NULL);
INSERT INTO "outbox" VALUES(51,'dated','append','9b9608986cd0b0fd72e91562','',1792090800000);
INSERT INTO "outbox" VALUES(52,'mv2','append','9b9608986cd0b0fd72e91562','',NULL);
INSERT INTO "outbox" VALUES(53,'dated','append','f3a599a7fab6c574114416cf','',1792090800000);
INSERT INTO "outbox" VALUES(54,'mv2','append','f3a599a7fab6c574114416cf','',NULL);
INSERT INTO "outbox" VALUES(55,'dated','append','6204d4ef60772caea0a85298','',1792090800000);
INSERT INTO "outbox" VALUES(56,'mv2','append','6204d4ef60772caea0a85298','',NULL);
INSERT INTO "outbox" VALUES(57,'dated','append','113770a8c34361861f9e781a','',1792090800000);
INSERT INTO "outbox" VALUES(58,'mv2','append','113770a8c34361861f9e781a','',NULL);
INSERT INTO "outbox" VALUES(59,'dated','append','3f2ba439f7998d29a4d9faac','',1792090800000);
INSERT INTO "outbox" VALUES(60,'mv2','append','3f2ba439f7998d29a4d9faac','',NULL);
INSERT INTO "outbox" VALUES(61,'dated','append','42981b440a8e87d34841cc06','',1792090800000);
INSERT INTO "outbox" VALUES(62,'mv2','append','42981b440a8e87d34841cc06','',NULL);
INSERT INTO "outbox" VALUES(63,'dated','append','c75515d3371c5e38af1ed17a','',1792090800000);
INSERT INTO "outbox" VALUES(64,'mv2','append','c75515d3371c5e38af1ed17a','',NULL);
INSERT INTO "outbox" VALUES(65,'dated','append','880266585760546205a3191e','',1792090800000);
INSERT INTO "outbox" VALUES(66,'mv2','append','880266585760546205a3191e','',NULL);
INSERT INTO "outbox" VALUES(67,'dated','append','27a881d124f0db6676f83ecd','',1792090800000);
INSERT INTO "outbox" VALUES(68,'mv2','append','27a881d124f0db6676f83ecd','',NULL);
INSERT INTO "outbox" VALUES(69,'dated','append','5ee950f40c8740f46f5b86ab','',1792090800000);
INSERT INTO "outbox" VALUES(70,'mv2','append','5ee950f40c8740f46f5b86ab','',NULL);
INSERT INTO "outbox" VALUES(71,'dated','append','6d5b69cfc19570f9a1f6f7ac','',1792090800000);
INSERT INTO "outbox" VALUES(72,'mv2','append','6d5b69cfc19570f9a1f6f7ac','',NULL);
INSERT INTO "outbox" VALUES(73,'dated','mark-superseded','e8e86ceacc046162a5d007dd','2026-10-12',1792090800000);
INSERT INTO "outbox" VALUES(74,'mv2','mark-superseded','e8e86ceacc046162a5d007dd','2026-10-12',NULL);
INSERT INTO "outbox" VALUES(75,'dated','mark-withdrawn','bd39880412a84f8166917d81','2026-10-15',1792090800000);
INSERT INTO "outbox" VALUES(76,'mv2','mark-withdrawn','bd39880412a84f8166917d81','2026-10-15',NULL);
INSERT INTO "outbox" VALUES(77,'dated','mark-removed','0aa4ccfa30b4a2ac8b5c3694','2026-10-16',NULL);
INSERT INTO "outbox" VALUES(78,'mv2','mark-removed','0aa4ccfa30b4a2ac8b5c3694','2026-10-16',NULL);
CREATE TABLE rejection (
    number integer primary key,
    key blob not null unique,
    at_ms integer not null,
    run_id text not null,
    session_id text not null,
    proposal text not null,
    reason text not null,
    detail text not null,
    state text not null default 'open',
    state_at_ms integer
);
INSERT INTO "rejection" VALUES(1,X'47B4F0F85D8694B77775529E89FF81E2',1792180000000,'20261017T190000-aaaaaa','4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','{"claim": null, "completes": [], "confidence": 1.0, "done": false, "kind": "fact", "place": "log", "priority": 3, "refers_to": null, "replaces": [], "salience": 0.5, "sources": ["b42204e3"], "speaker": "user", "text": "Nora ordered 4,000 bottles from Ardent Glass", "withdraws": []}','literal','4,000 is not in the entries cited','open',NULL);
CREATE TABLE request (
    number integer primary key autoincrement,
    kind text not null,
    at_ms integer not null,
    by text not null,
    detail text not null,
    done_at_ms integer,
    outcome text not null default ''
);
INSERT INTO "request" VALUES(1,'observe',1792180000000,'hook','',1792180000001,'done');
CREATE TABLE revision (
    number integer primary key autoincrement,
    at_ms integer not null,
    run_id text not null,
    reason text not null,
    place text not null,
    body text not null,
    budget_chars integer not null,
    event_seq integer not null,
    line_ids text not null,
    sha256 text not null,
    state text not null
);
INSERT INTO "revision" VALUES(1,1792090800000,'20261015T190000-54dfdf','command','MEMORY.md','Notes from past sessions; "I" is the person, times are Europe/London. Newer beats older. A plan whose date has passed has an unknown outcome. More: memory_search.

### Standing
- 🔴 For the future: anything with glass in it goes by Marches Parcels, never by ZipPost. (since 2026-10-05)
- 🔴 Please answer in plain sentences, no bullet points and no tables. (since 2026-10-05)
- 🔴 We go wild, with 50 ppm of sulphite first. That''s how Dad did it and the 2022 was the best we ever made. (since 2026-10-06)
- 🔴 We''re doing Wenbury, the small stand. (since 2026-10-08)
- 🔴 I''ve changed my mind about the bottle for the keeved cider. Not the 500 ml brown, we take the 750 ml champagne bottle, the brown one won''t hold the pressure. (since 2026-10-12)
- 🔴 Give me gravities as SG with three decimals, never Plato, Owen mixes them up. (since 2026-10-12)
- 🔴 I was wrong about the orchard, it''s 12 acres, not 11. Owen measured it again with the strip by the brook. (since 2026-10-15)
### Open
- 🔴 2026-10-08: Owen turns 50 on 3 November. I want to give him the Opinel pruning knife, please remind me a week before.
- 🔴 2026-10-12: Severn came back with £318 for the 1,200 labels, delivered on 21 October. I said yes.
- 🔴 2026-10-14: I''ll ring the Plough tomorrow (2026-10-15). If they haven''t paid by the end of the month (2026-10-31) we stop delivering to them.
- 🔴 2026-10-14: Dentist next Wednesday at 10:40 (2026-10-21), so don''t plan anything for me that morning.
- 🔴 2026-10-15: Spoke to Gareth at the Plough, he''ll pay on Monday (2026-10-19).
- 🔴 2026-10-15: Second pressing is on Saturday 24 October, 6 tonnes of Dabinett, into T1 and T2. Beth can''t make it that day, so I''ll ask my cousin Rhys to help.
### Log
2026-10-05
- 🔴 07:52 First pressing is tomorrow (2026-10-06) so this week will be messy. (outcome unknown)
- 🟡 07:52 What came in through the shop over the weekend? → 14 orders for £612.40. The Dabinett Still sold best with 23 bottles.
- 🟡 07:58 ZipPost broke two cases of ours in August.
- 🟡 07:58 Three Marches Parcels labels are made, they collect today between 14:00 and 17:00. Glass goes by Marches Parcels from now on.
- 🔴 08:10 Long Furrow Cider is me and my husband Owen, plus Beth on Thursdays and Fridays.
- 🔴 09:31 Tomorrow (2026-10-06): 4 tonnes of Foxwhelp come in at 8:00, Owen fetches the press cloths from Ledbury before that. (outcome unknown)
2026-10-06
- 🟡 17:20 2,540 litres in T3, gravity 1.052, pH 3.4.
2026-10-07
- 🟡 10:15 People in the Highlands can''t check out → The Highlands rate ends at 9.5 kg and a gift box of six weighs 9.8 kg, so the shop finds no price for it.
- 🟡 10:19 The limit is 12 kg now, and a test order of one gift box to Inverness goes through at £14.90.
- ✅ 11:02 Beth says a real one from Wick came in just now. Fixed.
2026-10-08
- 🟡 13:02 Last year the stand was £420 and you took £1,910.50. This year it is on 21 and 22 November, a 3 by 3 m stand costs £435, and applications close on 16 October.
2026-10-09
- 🟡 08:30 Harcourt want £395 for the labels, that''s robbery. I''ve asked Severn Labels in Worcester instead.
2026-10-12
- 🟡 07:50 T3 this morning: 1.044, smells clean → Row 91. It has dropped 0.008 in six days, nice and slow.
2026-10-13
- ✅ 09:02 1,830 litres went out.
- 🟡 09:02 It stopped because batch B2407 has no ABV in the cellar log.
- 🟡 09:06 B2407 is 6.2 percent → 1,830 litres at 6.2 percent are 113.46 litres of alcohol and £1,097.16 of duty.
- ✅ 09:40 Filed the duty return, reference XM-2026-0913.
2026-10-14
- 🟡 10:12 Which pubs still owe us money? → The Plough at Yarrow Cross owes £286 since 2 September and The Three Pippins £144 since 28 September.
2026-10-15
- ✅ 11:50 Wenbury application is in, they gave us stand 34. £435 as they said.',8102,42,'["71dba633a0191a6ebfdfdeb6", "9ffcc3164ef1c20ce4286bd3", "253bd7024b2636d67d6e8320", "e0b519273dd3b4f7d1014534", "4cfe907c86ae65bcf6a3af65", "70574eb479fbb6e9b6a96842", "6d5b69cfc19570f9a1f6f7ac", "730a821e10cae36a9468abf7", "e230f1423845f0db966caacf", "42981b440a8e87d34841cc06", "c75515d3371c5e38af1ed17a", "880266585760546205a3191e", "5ee950f40c8740f46f5b86ab", "cde75ddb50572d4037381213", "896c62d143757908a6aaa26f", "2e5fef236ff181905bcf6c95", "a20c9bb39aec460221ed59d0", "0aa4ccfa30b4a2ac8b5c3694", "f8d26c6e48e9a6118d2da7e6", "9f275be14828677617696c70", "68c4e4bc1935a2f49ccf99f0", "6280e9a2d400db3699780dc3", "2f67bd856bedd85819df35ab", "019029d8ab1ce339abaeac1e", "1a8657c1f137bc3c6c364cb0", "3fab7b7399a80d505a680cb7", "9b9608986cd0b0fd72e91562", "f3a599a7fab6c574114416cf", "6204d4ef60772caea0a85298", "113770a8c34361861f9e781a", "3f2ba439f7998d29a4d9faac", "27a881d124f0db6676f83ecd"]','4024b79af644caea17d8d26b9d583d721d73778a16c1cbc47a6672699ac7a251','written');
INSERT INTO "revision" VALUES(2,1792177200000,'20261016T190000-6cbcca','reflect','MEMORY.md','Notes from past sessions; "I" is the person, times are Europe/London. Newer beats older. A plan whose date has passed has an unknown outcome. More: memory_search.

### Standing
- 🔴 For the future: anything with glass in it goes by Marches Parcels, never by ZipPost. (since 2026-10-05)
- 🔴 Please answer in plain sentences, no bullet points and no tables. (since 2026-10-05)
- 🔴 We go wild, with 50 ppm of sulphite first. That''s how Dad did it and the 2022 was the best we ever made. (since 2026-10-06)
- 🔴 We''re doing Wenbury, the small stand. (since 2026-10-08)
- 🔴 I''ve changed my mind about the bottle for the keeved cider. Not the 500 ml brown, we take the 750 ml champagne bottle, the brown one won''t hold the pressure. (since 2026-10-12)
- 🔴 Give me gravities as SG with three decimals, never Plato, Owen mixes them up. (since 2026-10-12)
- 🔴 I was wrong about the orchard, it''s 12 acres, not 11. Owen measured it again with the strip by the brook. (since 2026-10-15)
### Open
- 🔴 2026-10-08: Owen turns 50 on 3 November. I want to give him the Opinel pruning knife, please remind me a week before.
- 🔴 2026-10-12: Severn came back with £318 for the 1,200 labels, delivered on 21 October. I said yes.
- 🔴 2026-10-14: Dentist next Wednesday at 10:40 (2026-10-21), so don''t plan anything for me that morning.
- 🔴 2026-10-15: Spoke to Gareth at the Plough, he''ll pay on Monday (2026-10-19).
- 🔴 2026-10-15: Second pressing is on Saturday 24 October, 6 tonnes of Dabinett, into T1 and T2. Beth can''t make it that day, so I''ll ask my cousin Rhys to help.
### Log
2026-10-05
- 🔴 07:52 First pressing is tomorrow (2026-10-06) so this week will be messy. (outcome unknown)
- 🟡 07:52 What came in through the shop over the weekend? → 14 orders for £612.40. The Dabinett Still sold best with 23 bottles.
- 🟡 07:58 ZipPost broke two cases of ours in August.
- 🟡 07:58 Three Marches Parcels labels are made, they collect today between 14:00 and 17:00. Glass goes by Marches Parcels from now on.
- 🔴 08:10 Long Furrow Cider is me and my husband Owen, plus Beth on Thursdays and Fridays.
- 🔴 09:31 Tomorrow (2026-10-06): 4 tonnes of Foxwhelp come in at 8:00, Owen fetches the press cloths from Ledbury before that. (outcome unknown)
2026-10-06
- 🟡 17:20 2,540 litres in T3, gravity 1.052, pH 3.4.
2026-10-07
- 🟡 10:15 People in the Highlands can''t check out → The Highlands rate ends at 9.5 kg and a gift box of six weighs 9.8 kg, so the shop finds no price for it.
- 🟡 10:19 The limit is 12 kg now, and a test order of one gift box to Inverness goes through at £14.90.
- ✅ 11:02 Beth says a real one from Wick came in just now. Fixed.
2026-10-08
- 🟡 13:02 Last year the stand was £420 and you took £1,910.50. This year it is on 21 and 22 November, a 3 by 3 m stand costs £435, and applications close on 16 October.
2026-10-09
- 🟡 08:30 Harcourt want £395 for the labels, that''s robbery. I''ve asked Severn Labels in Worcester instead.
2026-10-12
- 🟡 07:50 T3 this morning: 1.044, smells clean → Row 91. It has dropped 0.008 in six days, nice and slow.
2026-10-13
- ✅ 09:02 1,830 litres went out.
- 🟡 09:02 It stopped because batch B2407 has no ABV in the cellar log.
- 🟡 09:06 B2407 is 6.2 percent → 1,830 litres at 6.2 percent are 113.46 litres of alcohol and £1,097.16 of duty.
- ✅ 09:40 Filed the duty return, reference XM-2026-0913.
2026-10-14
- 🟡 10:12 Which pubs still owe us money? → The Plough at Yarrow Cross owes £286 since 2 September and The Three Pippins £144 since 28 September.
- 🔴 10:15 I''ll ring the Plough tomorrow (2026-10-15). If they haven''t paid by the end of the month (2026-10-31) we stop delivering to them. (outcome unknown)
2026-10-15
- ✅ 11:50 Wenbury application is in, they gave us stand 34. £435 as they said.',8102,43,'["71dba633a0191a6ebfdfdeb6", "9ffcc3164ef1c20ce4286bd3", "253bd7024b2636d67d6e8320", "e0b519273dd3b4f7d1014534", "4cfe907c86ae65bcf6a3af65", "70574eb479fbb6e9b6a96842", "6d5b69cfc19570f9a1f6f7ac", "730a821e10cae36a9468abf7", "e230f1423845f0db966caacf", "c75515d3371c5e38af1ed17a", "880266585760546205a3191e", "5ee950f40c8740f46f5b86ab", "cde75ddb50572d4037381213", "896c62d143757908a6aaa26f", "2e5fef236ff181905bcf6c95", "a20c9bb39aec460221ed59d0", "0aa4ccfa30b4a2ac8b5c3694", "f8d26c6e48e9a6118d2da7e6", "9f275be14828677617696c70", "68c4e4bc1935a2f49ccf99f0", "6280e9a2d400db3699780dc3", "2f67bd856bedd85819df35ab", "019029d8ab1ce339abaeac1e", "1a8657c1f137bc3c6c364cb0", "3fab7b7399a80d505a680cb7", "9b9608986cd0b0fd72e91562", "f3a599a7fab6c574114416cf", "6204d4ef60772caea0a85298", "113770a8c34361861f9e781a", "3f2ba439f7998d29a4d9faac", "42981b440a8e87d34841cc06", "27a881d124f0db6676f83ecd"]','d9ba9ec209e10ac2555895dadb16aa7c4a3f537cea8c34e5a5a29c646c672658','written');
CREATE TABLE run (
    run_id text primary key,
    job text not null,
    trigger text not null,
    observer text not null,
    started_at_ms integer not null,
    finished_at_ms integer,
    outcome text not null default '',
    error text not null default '',
    windows integer not null default 0,
    entries integer not null default 0,
    proposals integer not null default 0,
    accepted integer not null default 0,
    rejected integer not null default 0,
    redacted text not null default '{}',
    tokens_in integer not null default 0,
    tokens_out integer not null default 0,
    cost_microdollars integer not null default 0
);
INSERT INTO "run" VALUES('20261015T190000-54dfdf','observe','command','rules',1792090800000,1792090800000,'written','',2,98,36,36,0,'{"password": 1}',0,0,0);
INSERT INTO "run" VALUES('20261016T190000-6cbcca','reflect','command','rules',1792177200000,1792177200000,'reflected','',0,0,0,0,0,'{}',0,0,0);
INSERT INTO "run" VALUES('20261017T190000-aaaaaa','observe','command','rules',1792180000000,1792180000000,'written','',0,0,0,0,0,'{}',0,0,0);
CREATE TABLE session (
    number integer primary key,
    session_id text not null unique,
    session_key text not null,
    kind text not null,
    agent_id text not null,
    covered integer not null default 0
);
INSERT INTO "session" VALUES(1,'4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','','direct','main',56);
INSERT INTO "session" VALUES(2,'c07d93e5-18af-4d6b-a4b1-77f20e6b5d48','agent:main:main','direct','main',42);
CREATE TABLE spend (
    number integer primary key,
    at_ms integer not null,
    run_id text not null,
    model text not null,
    tokens_in integer not null,
    tokens_out integer not null,
    cost_microdollars integer not null
);
INSERT INTO "spend" VALUES(1,1792180000000,'20261017T190000-aaaaaa','gemini/gemini-2.5-flash',5210,640,3163);
CREATE TABLE standing (
    observation_id text primary key references observation (id),
    place text not null,
    closed text,
    closed_by text not null,
    closed_at_ms integer not null,
    is_shown integer not null,
    is_set_aside integer not null,
    is_pinned integer not null,
    is_expired integer not null,
    reinforced integer not null,
    recalled integer not null,
    is_source_gone integer not null
) without rowid;
INSERT INTO "standing" VALUES('019029d8ab1ce339abaeac1e','log',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('0aa4ccfa30b4a2ac8b5c3694','log','deleted','',1792180000000,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('113770a8c34361861f9e781a','log',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('1a8657c1f137bc3c6c364cb0','log',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('253bd7024b2636d67d6e8320','standing',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('27a881d124f0db6676f83ecd','log',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('2e5fef236ff181905bcf6c95','log',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('2f67bd856bedd85819df35ab','log',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('3f2ba439f7998d29a4d9faac','log',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('3fab7b7399a80d505a680cb7','log',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('42981b440a8e87d34841cc06','log',NULL,'',0,1,0,0,1,0,0,0);
INSERT INTO "standing" VALUES('4cfe907c86ae65bcf6a3af65','standing',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('5ee950f40c8740f46f5b86ab','open',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('6204d4ef60772caea0a85298','log',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('6280e9a2d400db3699780dc3','log',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('68c4e4bc1935a2f49ccf99f0','log',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('6d5b69cfc19570f9a1f6f7ac','standing',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('70574eb479fbb6e9b6a96842','standing',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('71dba633a0191a6ebfdfdeb6','standing',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('730a821e10cae36a9468abf7','open',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('880266585760546205a3191e','open',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('896c62d143757908a6aaa26f','log',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('9b9608986cd0b0fd72e91562','log',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('9f275be14828677617696c70','log',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('9ffcc3164ef1c20ce4286bd3','standing',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('a20c9bb39aec460221ed59d0','log',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('b90de7651b000e9e58a9e9f2','open','completed','27a881d124f0db6676f83ecd',1792090800000,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('bd39880412a84f8166917d81','standing','withdrawn','6d5b69cfc19570f9a1f6f7ac',1792090800000,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('c75515d3371c5e38af1ed17a','open',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('cde75ddb50572d4037381213','log',NULL,'',0,1,0,0,1,0,0,0);
INSERT INTO "standing" VALUES('e0b519273dd3b4f7d1014534','standing',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('e230f1423845f0db966caacf','open',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('e8e86ceacc046162a5d007dd','standing','superseded','4cfe907c86ae65bcf6a3af65',1792090800000,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('f3a599a7fab6c574114416cf','log',NULL,'',0,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('f6ec4a76e66e0554ad6e9258','open','completed','e230f1423845f0db966caacf',1792090800000,1,0,0,0,0,0,0);
INSERT INTO "standing" VALUES('f8d26c6e48e9a6118d2da7e6','log',NULL,'',0,1,0,0,1,0,0,0);
CREATE TABLE tally (name text primary key, count integer not null) without rowid;
INSERT INTO "tally" VALUES('redacted:password',1);
CREATE TABLE tombstone (
    number integer primary key,
    observation_id text not null,
    at_ms integer not null,
    text_hash blob not null,  -- keyed: after a forget nobody can test a guess without the ledger's key
    claim_subject text,
    claim_predicate text,
    claim_object text,
    lifted_at_ms integer
);
INSERT INTO "tombstone" VALUES(1,'0aa4ccfa30b4a2ac8b5c3694',1792180000000,X'E8C2780DD1636FBFD213E44074894138',NULL,NULL,NULL,NULL);
CREATE TABLE tombstone_entry (
    session_id text not null,
    entry_id text not null,
    tombstone_number integer not null references tombstone (number),
    primary key (session_id, entry_id, tombstone_number)
) without rowid;
INSERT INTO "tombstone_entry" VALUES('4be1f0a2-6c0d-4f35-9f0e-2b7c51d8a913','b42204e3',1);
CREATE INDEX run_by_job on run (job, started_at_ms);
CREATE INDEX observation_by_claim on observation (claim_subject, claim_predicate)
    where claim_subject is not null;
CREATE INDEX observation_by_session on observation (session_id);
CREATE INDEX observation_by_date on observation (local_date);
CREATE INDEX event_by_observation on event (observation_id, seq);
CREATE INDEX standing_live on standing (is_shown) where closed is null;
CREATE INDEX tombstone_by_text on tombstone (text_hash);
CREATE INDEX tombstone_by_claim on tombstone (claim_subject, claim_predicate, claim_object)
    where claim_subject is not null;
CREATE INDEX revision_by_time on revision (at_ms);
CREATE INDEX rejection_by_state on rejection (state, reason);
CREATE INDEX outbox_pending on outbox (target, number) where done_at_ms is null;
CREATE INDEX request_pending on request (number) where done_at_ms is null;
CREATE INDEX spend_by_time on spend (at_ms);
CREATE TRIGGER observation_stays before update on observation
when not exists (select 1 from forgetting)
begin select raise(abort, 'an observation is never changed'); end;
CREATE TRIGGER observation_is_kept before delete on observation
begin select raise(abort, 'an observation is never deleted'); end;
CREATE TRIGGER event_stays before update on event
when not exists (select 1 from forgetting)
begin select raise(abort, 'an event is never changed'); end;
CREATE TRIGGER event_is_kept before delete on event
begin select raise(abort, 'an event is never deleted'); end;
CREATE TRIGGER revision_stays
before update of number, at_ms, run_id, reason, place, body, budget_chars, event_seq, line_ids, sha256
on revision when not exists (select 1 from forgetting)
begin select raise(abort, 'a revision is never changed'); end;
CREATE TRIGGER revision_is_kept before delete on revision
begin select raise(abort, 'a revision is never deleted'); end;
CREATE TRIGGER covered_stays before update on covered
begin select raise(abort, 'coverage is never changed'); end;
CREATE TRIGGER covered_is_kept before delete on covered
begin select raise(abort, 'coverage is never taken back'); end;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('event',44);
INSERT INTO "sqlite_sequence" VALUES('outbox',78);
INSERT INTO "sqlite_sequence" VALUES('revision',2);
INSERT INTO "sqlite_sequence" VALUES('request',1);
COMMIT;
