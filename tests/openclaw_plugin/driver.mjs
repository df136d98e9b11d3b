// Plays the gateway for the plug-in: registers it with an API that keeps what it is given, then answers each line of
// standard input, the name of what to call and what with, by a line of output.
import { createInterface } from "node:readline";

const [, , folder, config] = process.argv;
const { default: plugin } = await import(`${folder}/index.js`);
const sessions = await import(`${folder}/sessions.js`);

const kept = { log: [], hooks: {} };
const api = {
  pluginConfig: JSON.parse(config),
  config: {},
  logger: { warn: (text) => kept.log.push(text) },
  registerTool: (factory) => (kept.tools = factory),
  registerMemoryCorpusSupplement: (supplement) => (kept.corpus = supplement),
  registerService: (service) => (kept.service = service),
  on: (name, handler) => (kept.hooks[name] = handler),
};
plugin.register(api);

const calls = {
  tool: async ({ asked, name, given }) => {
    const tool = kept.tools(asked).find((one) => one.name === name);
    return (await tool.execute("1", given)).content[0].text;
  },
  search: (asked) => kept.corpus.search(asked),
  get: (asked) => kept.corpus.get(asked),
  joined: async ({ event, asked }) => (await kept.hooks.before_tool_call?.(event, asked)) ?? null,
  prompt: async (asked) => (await kept.hooks.before_prompt_build({}, asked)) ?? null,
  crowded: async (asked) => {
    const search = kept.tools(asked)[0];
    const over = [];
    const tools = Array.from({ length: 12 }, () => search.execute("1", { query: "key" }).then(() => over.push("tool")));
    const prompt = kept.hooks.before_prompt_build({}, asked).then(() => over.push("prompt"));
    await Promise.all([...tools, prompt]);
    return over;
  },
  // What is waited for in vain is waited for so many times shorter.
  hasten: (times) => {
    const set = globalThis.setTimeout;
    globalThis.setTimeout = (act, milliseconds) => set(act, milliseconds / times);
  },
  kinds: (keys) => keys.map((key) => sessions.kindOf(key)),
  agents: ({ asked, config }) => sessions.privateAgent(asked, config),
  log: () => kept.log,
  start: () => kept.service.start() ?? null,
  stop: () => kept.service.stop() ?? null,
};

for await (const line of createInterface({ input: process.stdin })) {
  const [name, given] = JSON.parse(line);
  let answer;
  try {
    answer = { ok: (await calls[name](given)) ?? null };
  } catch (error) {
    answer = { thrown: String(error) };
  }
  process.stdout.write(`${JSON.stringify(answer)}\n`);
}
