// Plays the gateway for `python -m bench plugin`: registers the plug-in, asks each question of standard input by its
// tool as an agent would, and prints how long each took and how many answers held a line.
import { readFileSync } from "node:fs";

const [, , folder, config] = process.argv;
const { default: plugin } = await import(`${folder}/index.js`);
let factory, service;
plugin.register({
  pluginConfig: JSON.parse(config),
  config: {},
  logger: { warn: (text) => process.stderr.write(`${text}\n`) },
  registerTool: (made) => (factory = made),
  registerService: (made) => (service = made),
});
const asked = { sessionKey: "agent:main:main", agentId: "main" };
const [search] = factory(asked);
const ask = async (query) => (await search.execute("1", { query })).content[0].text;

service.start();
const questions = JSON.parse(readFileSync(0, "utf8"));
for (let tries = 0; tries < 60 && !(await ask(questions[0])).startsWith("{"); tries += 1) {
  await new Promise((resolve) => setTimeout(resolve, 1000));
}
const took = [];
let found = 0;
for (const question of questions) {
  const began = performance.now();
  const told = await ask(question);
  took.push(performance.now() - began);
  if (told.startsWith("{") && JSON.parse(told).results.length) found += 1;
}
service.stop();
process.stdout.write(JSON.stringify({ took, found }));
process.exit(0);
