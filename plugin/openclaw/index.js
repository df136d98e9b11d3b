// Scrimshaw inside the OpenClaw gateway: three tools, our lines in `memory_search` with corpus "all" (by choice in every
// one), and the section in the prompt where the host leaves MEMORY.md out and no hook of ours brings it.
//
// - It runs in the gateway's own process: no callback throws, and none waits longer than its bound.
// - Whose conversation it is, the session's key says, in each callback anew (sessions.js); in any that is not private
//   nothing is looked up.
// - All else is the server's: what is found, how much of it is told, whether a note holds.

import * as os from "node:os";
import * as path from "node:path";

import { MemoryError, Server, socketOf } from "./server.js";
import { privateAgent } from "./sessions.js";

const TOOL_MS = 2_000;
const PROMPT_MS = 250;
const CORPUS = "scrimshaw";
const VERSION = "0.11.0";
const NOT_PRIVATE =
  "Nothing was looked up: this is not a private conversation of this agent, and the memory is for those alone.";

const string = (description, most) => ({ type: "string", minLength: 1, maxLength: most, description });
const TOOLS = [
  {
    name: "scrimshaw_search",
    asks: "memory_search",
    description:
      "Search what was said in earlier conversations with this person. Use before you answer about the past, people, " +
      "decisions, preferences or dates, and before you ask the person something again. Private conversations only.",
    properties: {
      query: string("words, or a whole question", 1000),
      limit: { type: "integer", minimum: 1, maximum: 20 },
      since: string("2026-11-03, last Tuesday", 60),
      until: string("2026-11-03, yesterday", 60),
    },
    required: ["query"],
  },
  {
    name: "scrimshaw_why",
    asks: "memory_why",
    description:
      "Show what a remembered line rests on: the messages, and what became of it. Use when the person doubts a line, or " +
      "two disagree.",
    properties: { id: string("the id of a line, from scrimshaw_search", 64) },
    required: ["id"],
  },
  {
    name: "scrimshaw_add",
    asks: "memory_write",
    description:
      "Note one lasting fact, decision or preference. Use when the person asks you to remember it. It is checked against " +
      "the conversations: use their words, add nothing.",
    properties: {
      text: string("one sentence", 2000),
      kind: { type: "string", enum: ["decision", "preference", "fact", "issue", "next-step", "outcome"] },
    },
    required: ["text"],
  },
];

export default {
  id: "scrimshaw",
  name: "Scrimshaw memory",
  description: "Search, trace and add to what was said in earlier conversations.",

  register(api) {
    const memory = new Memory(api);
    api.registerTool((asked) => TOOLS.map((tool) => memory.tool(tool, asked)), { names: TOOLS.map((tool) => tool.name) });
    // What an older host has not, it goes without.
    api.registerMemoryCorpusSupplement?.({
      search: (asked) => memory.corpus(asked),
      get: (asked) => memory.line(asked),
    });
    api.on?.("before_prompt_build", (_event, asked) => memory.prompt(asked), { timeoutMs: PROMPT_MS });
    if (memory.joinSearch) {
      const which = { matcher: ["memory_search", "memory_get"] };
      api.on?.("before_tool_call", (event, asked) => memory.joined(event, asked), which);
    }
    api.registerService?.({
      id: "scrimshaw",
      start: () => memory.begin(),
      stop: () => memory.server.stop(),
    });
  },
};

/** What the callbacks share. */
class Memory {
  constructor(api) {
    this.api = api;
    this.told = "";
    const settings = settingsFrom(api.pluginConfig);
    this.joinSearch = settings.joinSearch;
    const stateDir = process.env.OPENCLAW_STATE_DIR || stateDirOf(api);
    this.server = new Server({
      command: settings.command,
      socketPath: settings.socket ?? socketOf(stateDir),
      mayStart: settings.start,
      // This server is of this host's agents: not of another profile's, nor of a folder that a setting names.
      options: ["--state-dir", stateDir],
      env: { OPENCLAW_STATE_DIR: stateDir, SCRIMSHAW_MEMORY_EPISODIC_DATA_DIR: '""' },
    });
  }

  /** A tool for one conversation. It is there in every one, so that what the host keeps of it is right for all. */
  tool({ name, asks, description, properties, required }, asked) {
    return {
      name,
      label: name,
      description,
      parameters: { type: "object", properties, required, additionalProperties: false },
      execute: async (_id, given) => said(await this.call(asks, asked, isRecord(given) ? given : {})),
    };
  }

  /** Call a tool of the server for who asks; resolves to a text, whatever happens. */
  async call(name, asked, given) {
    try {
      const agent = privateAgent(asked, this.config(asked));
      if (agent === null) return NOT_PRIVATE;
      const answer = await this.server.ask("POST", `/tools/${name}`, { agent, arguments: given }, TOOL_MS);
      return answer.is_error ? answer.text : JSON.stringify(answer.content);
    } catch (error) {
      return this.failed(error);
    }
  }

  /** What `memory_search` with corpus "all" gets of ours. */
  async corpus(asked) {
    try {
      const found = await this.found(asked, "memory_search", {
        query: String(asked.query).slice(0, 1000),
        limit: Math.min(20, Math.max(1, Number(asked.maxResults) || 8)),
      });
      return (found?.results ?? []).map((line, at) => ({ ...hit(line), score: 1 / (at + 1), snippet: line.text }));
    } catch (error) {
      this.failed(error);
      return [];
    }
  }

  /** What `memory_get` gets of ours: a line by the id or the path of a hit. */
  async line(asked) {
    try {
      const id = String(asked.lookup).replace(/^scrimshaw[/:]/, "");
      if (!/^[\w-]{6,64}$/.test(id)) return null;
      const [line] = (await this.found(asked, "memory_get", { ids: [id] }))?.lines ?? [];
      return line ? { ...hit(line), content: line.text, fromLine: 1, lineCount: 1 } : null;
    } catch (error) {
      this.failed(error);
      return null;
    }
  }

  /**
   * Have the host's own search ask us, too: a plain call becomes one of corpus "all". The host's tool goes on to answer,
   * with its own checks of who may see what, so nothing of its own is shown that would not have been.
   */
  joined(event, asked) {
    try {
      const given = event?.params;
      if (!isRecord(given) || given.corpus !== undefined) return undefined;
      const isOurs = event.toolName === "memory_get" && String(given.path).startsWith(`${CORPUS}/`);
      if (event.toolName !== "memory_search" && !isOurs) return undefined;
      if (privateAgent(asked ?? {}, this.config(asked)) === null) return undefined;
      return { params: { ...given, corpus: isOurs ? "wiki" : "all" } };
    } catch (error) {
      this.failed(error);
      return undefined; // here a throw would block the call
    }
  }

  async found(asked, name, given) {
    const who = { sessionKey: asked.agentSessionKey, agentId: asked.agentId };
    const agent = privateAgent(who, this.config(asked));
    if (agent === null) return null;
    const answer = await this.server.ask("POST", `/tools/${name}`, { agent, arguments: given }, TOOL_MS);
    return answer.is_error ? null : answer.content;
  }

  /** The section, for a prompt that would be without it. */
  async prompt(asked) {
    try {
      const agent = privateAgent(asked ?? {}, this.config(asked));
      if (agent === null) return undefined;
      const { section } = await this.server.ask("GET", `/unshown/${encodeURIComponent(agent)}`, undefined, PROMPT_MS);
      return section ? { appendSystemContext: section } : undefined;
    } catch (error) {
      this.failed(error);
      return undefined;
    }
  }

  /** Have the server there before the first question; the gateway does not wait for it. */
  begin() {
    if (this.server.mayStart) this.server.note(VERSION);
    this.server.ask("GET", "/stats", undefined, 10_000).catch((error) => this.failed(error));
  }

  config(asked) {
    const { runtime, config } = this.api;
    return asked?.getRuntimeConfig?.() ?? asked?.runtimeConfig ?? asked?.config ?? runtime?.config?.current?.() ?? config;
  }

  /** Say once in the gateway's log what went wrong; return it for the agent. */
  failed(error) {
    const text =
      error instanceof MemoryError
        ? `${error.message}${error.next ? `\nNext: ${error.next}` : ""}`
        : `The memory's plug-in has a defect (${error?.name ?? "unknown"}). Go on without it.`;
    if (text !== this.told) {
      this.told = text;
      try {
        this.api.logger?.warn?.(`[scrimshaw] ${text.replaceAll("\n", " ")}`);
      } catch {
        // Nobody listens.
      }
    }
    return text;
  }
}

function settingsFrom(found) {
  const given = isRecord(found) ? found : {};
  const words = Array.isArray(given.command) ? given.command.filter((one) => typeof one === "string" && one) : [];
  return {
    command: words.length ? words : ["scrimshaw"],
    socket: typeof given.socket === "string" && path.isAbsolute(given.socket) ? given.socket : undefined,
    start: given.start !== false && typeof given.socket !== "string",
    joinSearch: given.joinSearch === true,
  };
}

function stateDirOf(api) {
  try {
    const found = api.runtime?.state?.resolveStateDir?.();
    if (typeof found === "string" && found) return found;
  } catch {
    // An older host.
  }
  return path.join(os.homedir(), ".openclaw");
}

function hit(line) {
  return {
    corpus: CORPUS,
    path: `${CORPUS}/${line.id}`,
    id: line.id,
    title: line.date ? `${line.date} ${line.kind}` : line.kind,
    kind: line.kind,
    source: CORPUS,
    provenanceLabel: line.rests_on,
    updatedAt: line.date,
  };
}

const said = (text) => ({ content: [{ type: "text", text }], details: {} });
const isRecord = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
