// Scrimshaw's hook inside the OpenClaw gateway. Two duties, both described in HOOK.md:
//
//   note     before a compaction and when a conversation is left: run `scrimshaw observe` for it, bounded
//   splice   when a prompt is put together: the section that is kept aside, in place of the older one
//
// The first half of this file decides and touches nothing; the second half does. Rules for both:
// - It runs in the gateway's own process, so it never throws, never rejects and never waits without a bound.
// - Everything is untrusted: the event, settings.json, the files of the workspace.
// - When unsure whether a session is private, do nothing: MEMORY.md is.
// - Types only where Node can strip them (no enum, no namespace, no parameter properties); no dependencies.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as path from "node:path";
import { fileURLToPath } from "node:url";

// -- what is decided ----------------------------------------------------------------------------------------

export const HEADING = "## Observations";
const MARKER = /^[ \t]*<!--[ \t]*scrimshaw:(begin|end)[ \t]*-->[ \t]*$/;
const MEMORY = "MEMORY.md";
const ASIDE = ["memory", "observations", MEMORY];

const MAX_ASIDE_BYTES = 256 * 1024;
const MAX_SETTINGS_BYTES = 256 * 1024;
const MAX_NAME_CHARS = 512;
const MAX_SECONDS = 60;

/** What a session key says of who can hear: mirrors core/sessionkind.py, with every doubt against showing. */
export type Kind = "private" | "heartbeat" | "unknown" | "other";

// Legacy keys of groups name no kind: WhatsApp's end in @g.us, Discord's hold guild-… and channel-….
const SHARED =
  /:(?:subagent|cron|hook|group|channel|room|acp):|:(?:dreaming|internal)|@g\.us|:guild-|:channel-/;
const PRIVATE = new RegExp(
  "^agent:[^:]+:(?:" +
    "main(?::thread:[^:]+)?|" + // where the person talks
    "(?:explicit|dashboard):[^:]+|" + // opened by the operator: command line, control panel
    "(?:[^:]+:){0,2}(?:direct|dm):.+" + // [channel:[account:]]direct:peer
    ")$",
);

export function kindOf(sessionKey: unknown): Kind {
  if (!isName(sessionKey)) return "unknown";
  const key = sessionKey.toLowerCase();
  if (SHARED.test(`:${key}:`)) return "other";
  const base = key.replace(/(?::heartbeat)+$/, "");
  if (base !== key) return PRIVATE.test(base) ? "heartbeat" : "other"; // of whatever conversation it is about
  return PRIVATE.test(key) ? "private" : "unknown";
}

type Settings = {
  program: string[];
  stateDir: string;
  configPath: string;
  seconds: number;
  workspaces: Map<string, string>;
};

/** Return the settings in *text*, or null unless every part of them is as `scrimshaw install` writes it. */
export function settingsFrom(text: string): Settings | null {
  let found;
  try {
    found = JSON.parse(text);
  } catch {
    return null;
  }
  if (!isRecord(found) || found.version !== 1) return null;
  const { program, state_dir: stateDir, config_path: configPath, timeout_seconds: seconds } = found;
  const { workspaces } = found;
  if (!Array.isArray(program) || !program.length || !program.every(isWord)) return null;
  if (!isWord(stateDir) || !isWord(configPath) || !isRecord(workspaces)) return null;
  if (typeof seconds !== "number" || !(seconds >= 0.1 && seconds <= MAX_SECONDS)) return null;
  const served = Object.entries(workspaces).filter(
    (entry): entry is [string, string] => isName(entry[0]) && isWord(entry[1]) && path.isAbsolute(entry[1]),
  );
  return { program, stateDir, configPath, seconds, workspaces: new Map(served) };
}

type Occasion = { agent: string; session: string };

/** Return which conversation an event of the noting kind ends or shortens, null when it is none of ours. */
export function occasionOf(event: unknown, settings: Settings): Occasion | null {
  if (!isRecord(event)) return null;
  const context = isRecord(event.context) ? event.context : {};
  const key = isName(event.sessionKey) ? event.sessionKey : "";
  const kind = kindOf(key);
  // A key of no known shape may be an id without a key: which session that is, the program knows.
  if (kind === "other" || kind === "heartbeat") return null;
  const agent = agentOf(context, key, settings);
  if (agent === null) return null;
  // The session that is left is the previous one; "sessionEntry" is the one after it; not in an auto-reset.
  const ended = event.type === "session" ? context.sessionEntry : null;
  const left = [context.previousSessionEntry, ended, context];
  const entry = left.find((one) => isRecord(one) && isName(one.sessionId));
  if (isRecord(entry) && (entry.chatType === "group" || entry.chatType === "channel")) return null;
  const session = isRecord(entry) && isName(entry.sessionId) ? entry.sessionId : key;
  return session ? { agent, session } : null;
}

/** Return which agent of the settings an event is about; null for none of them, or in another place. */
export function agentOf(context: Record<string, unknown>, key: string, settings: Settings): string | null {
  const named = isName(context.agentId) ? context.agentId : /^agent:([^:]+):/i.exec(key)?.[1];
  const only = settings.workspaces.size === 1 ? [...settings.workspaces.keys()][0] : undefined;
  const agent = (named ?? only)?.toLowerCase();
  const workspace = agent === undefined ? undefined : settings.workspaces.get(agent);
  if (agent === undefined || workspace === undefined) return null;
  const there = context.workspaceDir;
  return there === undefined || isSamePlace(there, workspace) ? agent : null;
}

/** Return the lines between the one pair of markers in *text*; null for no pair, or more than one. */
export function bodyOf(text: string): string[] | null {
  const lines = text.replace(/^\uFEFF/, "").split(/\r\n|\r|\n/);
  const pair = pairIn(lines);
  return pair === "none" || pair === "damaged" ? null : lines.slice(pair[0] + 1, pair[1]);
}

/**
 * Return *text* of MEMORY.md with *body* as our section: in place of the one between its markers, or at its
 * end. Null when its markers do not pair up: then it stays as the host has read it.
 */
export function spliced(text: string, body: string[]): string | null {
  const newline = newlineOf(text);
  const parts = text.split(/(\r\n|\r|\n)/); // line, newline, line, …: what is not ours keeps its newlines
  const lines = parts.filter((_, index) => index % 2 === 0);
  lines[0] = lines[0].replace(/^\uFEFF/, "");
  const pair = pairIn(lines);
  if (pair === "damaged") return null;
  const inner = body.map((line) => line + newline).join("");
  if (pair === "none") {
    const gap = text && (/(?:\r\n|\r|\n)$/.exec(text)?.[0] ?? newline); // one, as core/section has it
    return body.length ? `${text}${gap}${block(body, newline)}${newline}` : text;
  }
  return parts.slice(0, 2 * pair[0] + 2).join("") + inner + parts.slice(2 * pair[1]).join("");
}

/** Return our section as a text of its own. */
export function block(body: string[], newline = "\n"): string {
  return [HEADING, "<!-- scrimshaw:begin -->", ...body, "<!-- scrimshaw:end -->"].join(newline);
}

type Bootstrap = { files: unknown[]; outcome: string };

/**
 * Return the files of a prompt with *body* in them, as a new array of which only our element is new (the host
 * may keep the array and what is in it), or null when nothing of ours belongs there. *root* is
 * the path of MEMORY.md.
 */
export function bootstrapped(
  files: unknown,
  body: string[],
  aside: string,
  root: string,
  kind: Kind,
  cfg: unknown,
): Bootstrap | null {
  if (!Array.isArray(files) || kind === "other") return null;
  // Another hook may add files of this name out of other folders: they are no sign that MEMORY.md is shown.
  const at = files.findIndex((file) => isRecord(file) && file.name === MEMORY && isPath(file.path, root));
  const memory = files[at];
  if (isRecord(memory) && memory.missing !== true && typeof memory.content === "string") {
    // The host itself shows MEMORY.md here, whatever the session is; it only gets the newer section.
    const content = spliced(memory.content, body);
    if (content === null || content === memory.content) return null;
    return { files: files.with(at, { ...memory, content }), outcome: "replaced" };
  }
  // MEMORY.md is absent or left out, and why is not said: only where nobody else can listen it may be there.
  const isFull = files.some((file) => isRecord(file) && file.name === "AGENTS.md"); // else: a light prompt
  if (!body.length || !isFull || kind === "unknown" || mayBeShared(cfg)) return null;
  const own = { name: MEMORY, path: aside, content: block(body), missing: false };
  return { files: at < 0 ? [...files, own] : files.with(at, own), outcome: "added" };
}

// With this setting groups talk in the main session, and its key no longer tells who listens.
function mayBeShared(cfg: unknown): boolean {
  if (!isRecord(cfg)) return true;
  const session = isRecord(cfg.session) ? cfg.session : {};
  const bindings = Array.isArray(cfg.bindings) ? cfg.bindings : [];
  return [session, ...bindings.map((one) => (isRecord(one) ? one.session : null))].some(
    (one) => isRecord(one) && one.groupScope === "main",
  );
}

function pairIn(lines: string[]): [number, number] | "none" | "damaged" {
  const found = lines.flatMap((line, at) => {
    const word = MARKER.exec(line)?.[1];
    return word ? [{ word, at }] : [];
  });
  if (!found.length) return "none";
  const [first, last] = found;
  const isPair = found.length === 2 && first.word === "begin" && last.word === "end";
  return isPair ? [first.at, last.at] : "damaged";
}

function newlineOf(text: string): string {
  const windows = text.split("\r\n").length - 1;
  return windows * 2 > text.split("\n").length - 1 ? "\r\n" : "\n";
}

function isPath(place: unknown, wanted: string): boolean {
  return isWord(place) && path.resolve(place) === path.resolve(wanted);
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= 4096 && !value.includes("\0");
}

function isName(value: unknown): value is string {
  return isWord(value) && value.length <= MAX_NAME_CHARS && !/\p{Cc}/u.test(value);
}

// -- what is done -------------------------------------------------------------------------------------------

const FOLDER = path.dirname(fileURLToPath(import.meta.url));
const BOOTSTRAP_NOTE_MS = 60_000;
const NOTING = new Set(["session:compact:before", "command:new", "command:reset", "session:auto-reset"]);
const MOST_AT_ONCE = 4; // programs; those that come after wait their turn, within the same time-out
const running = new Map<string, Promise<string>>();
const waiting = new Set<() => void>();
let started = 0;

export default async function handler(event: any): Promise<void> {
  const began = Date.now();
  try {
    const name = `${event?.type}:${event?.action}`;
    const does = name === "agent:bootstrap" ? splice : NOTING.has(name) ? note : null;
    if (does === null || (name === "agent:bootstrap" && kindOf(event.sessionKey) === "other")) return;
    const text = readBounded(path.join(FOLDER, "settings.json"), MAX_SETTINGS_BYTES);
    const settings = text === null ? null : settingsFrom(text);
    if (settings === null) return tell("settings.json is missing or not as it should be; nothing was done");
    const done = await does(event, settings);
    if (done !== null) noteAlive(name, { ...done, ms: Date.now() - began });
  } catch (error) {
    tell(`a defect of the hook (${nameOf(error)}); nothing was done`);
  }
}

type Done = { agent: string; outcome: string };

/** Have the conversation noted that is about to be shortened or left. */
async function note(event: unknown, settings: Settings): Promise<Done | null> {
  const occasion = occasionOf(event, settings);
  if (occasion === null) return null;
  const name = `${occasion.agent} ${occasion.session}`;
  // A compaction is announced twice at times: the second waits for what the first has started.
  let run = running.get(name);
  if (run === undefined) {
    run = observe(occasion, settings).finally(() => running.delete(name));
    running.set(name, run);
  }
  const outcome = await run;
  if (outcome !== "done") tell(`observe for agent ${occasion.agent}: ${outcome}; the next run catches up`);
  return { agent: occasion.agent, outcome };
}

/** Put the section that is kept aside into the prompt. */
async function splice(event: any, settings: Settings): Promise<Done | null> {
  const context = event.context;
  const key = isName(event.sessionKey) ? event.sessionKey : "";
  const agent = isRecord(context) ? agentOf(context, key, settings) : null;
  if (agent === null) return null;
  const workspace = settings.workspaces.get(agent) as string;
  const aside = path.join(workspace, ...ASIDE);
  const text = readInside(workspace, aside, MAX_ASIDE_BYTES);
  const body = text === null ? null : bodyOf(text);
  if (body === null) return { agent, outcome: "nothing-aside" };
  // As the host spells it: agentOf has seen that it is the same place.
  const root = path.join(isWord(context.workspaceDir) ? context.workspaceDir : workspace, MEMORY);
  const made = bootstrapped(context.bootstrapFiles, body, aside, root, kindOf(key), context.cfg);
  if (made !== null) context.bootstrapFiles = made.files;
  return { agent, outcome: made?.outcome ?? "left-alone" };
}

/** Run the program for one conversation; return how that ended, in time whatever it does. */
function observe(occasion: Occasion, settings: Settings): Promise<string> {
  const { seconds } = settings;
  const began = performance.now();
  const tooLate = `not done within ${seconds} s and stopped`;
  return new Promise((resolve) => {
    let child: ReturnType<typeof spawn> | null = null;
    let isStarted = false;
    const kill = () => killGroup(child);
    const end = (outcome: string) => {
      clearTimeout(timer);
      process.off("exit", kill);
      kill(); // whatever it has started, too
      resolve(outcome);
      waiting.delete(start);
      if (isStarted) started -= 1;
      isStarted = false; // it may end twice: killed, and then seen to be gone
      if (started < MOST_AT_ONCE) for (const next of waiting) return next();
    };
    const start = () => {
      const left = seconds - (performance.now() - began) / 1000;
      if (left < seconds * 0.1) return end(tooLate); // there is no time to do anything
      waiting.delete(start);
      isStarted = true;
      started += 1;
      process.on("exit", kill);
      try {
        child = launch(occasion, settings, left);
        child.on("error", () => end("could not be started"));
        child.on("exit", (code) => end(code === 0 ? "done" : `ended with ${code ?? "a signal"}`));
      } catch {
        end("could not be started");
      }
    };
    const timer = setTimeout(() => end(tooLate), seconds * 1000);
    if (started < MOST_AT_ONCE) start();
    else waiting.add(start);
  });
}

function launch(occasion: Occasion, settings: Settings, seconds: number): ReturnType<typeof spawn> {
  // A little less than we wait: a daemon that is slow to answer leaves time for doing it without.
  const inner = Math.max(seconds * 0.5, seconds - 3, 0.1).toFixed(1);
  const [program, ...words] = settings.program;
  words.push("observe", `--agent=${occasion.agent}`, `--state-dir=${settings.stateDir}`);
  words.push(`--session=${occasion.session}`, `--through-daemon=${inner}`);
  const own = { OPENCLAW_STATE_DIR: settings.stateDir, OPENCLAW_CONFIG_PATH: settings.configPath };
  const env = { ...process.env, ...own };
  // A group of its own, to be killed whole; no pipes, so that no flood and no grandchild can hold us.
  return spawn(program, words, { detached: true, stdio: "ignore", env, cwd: settings.stateDir });
}

function killGroup(child: ReturnType<typeof spawn> | null): void {
  if (child?.pid === undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The group is gone, which is what we want.
  }
}

/** Return the text of *file* when it is a regular file inside *folder*, no larger than *most* bytes. */
function readInside(folder: string, file: string, most: number): string | null {
  try {
    if (!fs.realpathSync(file).startsWith(fs.realpathSync(folder) + path.sep)) return null;
  } catch {
    return null;
  }
  return readBounded(file, most);
}

function readBounded(file: string, most: number): string | null {
  let handle = -1;
  try {
    // No link as the last step, and no waiting for the other end of a pipe.
    handle = fs.openSync(file, fs.constants.O_RDONLY | fs.constants.O_NOFOLLOW | fs.constants.O_NONBLOCK);
    const found = fs.fstatSync(handle);
    return found.isFile() && found.size <= most ? fs.readFileSync(handle, "utf8") : null;
  } catch {
    return null;
  } finally {
    if (handle >= 0) fs.closeSync(handle);
  }
}

function isSamePlace(one: unknown, other: string): boolean {
  if (!isWord(one)) return false;
  try {
    return fs.realpathSync(one) === fs.realpathSync(other);
  } catch {
    return false;
  }
}

function nameOf(error: unknown): string {
  try {
    return error instanceof Error ? error.name.slice(0, 40) : typeof error;
  } catch {
    return "unknown";
  }
}

let toldLast = "";

/** Say *text* in the gateway's log, once as long as nothing else is said. */
function tell(text: string): void {
  if (text === toldLast) return;
  toldLast = text;
  try {
    console.warn(`[scrimshaw] ${text}`);
  } catch {
    // Nobody listens.
  }
}

// -- that the gateway has loaded this, for `scrimshaw doctor` -----------------------------------------------

type Alive = { pid: number; loaded_at: string; version: string; events: Record<string, unknown> };
const ALIVE = path.join(FOLDER, "alive.json");
const alive: Alive = {
  pid: process.pid,
  loaded_at: new Date().toISOString(),
  version: versionOf(),
  events: eventsBefore(),
};
let bootstrapNotedAt = 0;
writeAlive();

function noteAlive(name: string, done: Done & { ms: number }): void {
  const now = Date.now();
  if (name === "agent:bootstrap") {
    if (now - bootstrapNotedAt < BOOTSTRAP_NOTE_MS) return; // every turn has one
    bootstrapNotedAt = now;
  }
  alive.events[name] = { at: new Date(now).toISOString(), ...done };
  writeAlive();
}

function writeAlive(): void {
  const temporary = `${ALIVE}.${process.pid}.tmp`;
  try {
    fs.writeFileSync(temporary, JSON.stringify(alive, null, 1), { mode: 0o600 });
    fs.renameSync(temporary, ALIVE);
  } catch {
    // A folder that cannot be written: doctor will say that the hook gives no sign.
  }
}

/** Return what tells this text from a newer one on disk: the gateway does not load that by itself. */
function versionOf(): string {
  const text = readBounded(path.join(FOLDER, "handler.ts"), MAX_SETTINGS_BYTES);
  return text === null ? "" : createHash("sha256").update(text).digest("hex").slice(0, 12);
}

function eventsBefore(): Record<string, unknown> {
  try {
    const found = JSON.parse(readBounded(ALIVE, MAX_SETTINGS_BYTES) ?? "");
    const events = isRecord(found) && isRecord(found.events) ? Object.entries(found.events) : [];
    return Object.fromEntries(events.filter(([name]) => NOTING.has(name) || name === "agent:bootstrap"));
  } catch {
    return {};
  }
}
