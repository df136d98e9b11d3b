// Plays the gateway for handlers: each line of standard input names one and the calls to make of it in turn,
// each line of output says what came of them. A call is
//   {"fn": NAME, "args": […]}      an exported function
//   {"event": {…}} | {"js": TEXT}  the default export, with this event or the one that the expression makes;
//                                  with "times" so often at once, with "with" together with those events
import { createInterface } from "node:readline";

let log = [];
for (const level of ["log", "warn", "error", "info"]) console[level] = (...words) => log.push(words.join(" "));
process.on("warning", (warning) => log.push(`${warning.name} ${warning.message}`));
process.on("unhandledRejection", (error) => log.push(`unhandled ${error}`));

async function made(handler, call) {
  if (call.fn) return handler[call.fn](...call.args) ?? null;
  const event = call.js ? new Function(`return (${call.js})`)() : call.event;
  const before = call.js ? undefined : event?.context?.bootstrapFiles;
  const kept = JSON.stringify(before);
  const began = performance.now();
  const answer = { ended: "resolved" };
  const events = [...Array(call.times ?? 1).fill(event), ...(call.with ?? [])];
  const runs = events.map((one) => handler.default(one));
  await Promise.all(runs).catch((error) => (answer.ended = `rejected ${error}`));
  answer.seconds = (performance.now() - began) / 1000;
  if (Array.isArray(before)) {
    answer.files = event.context.bootstrapFiles;
    answer.kept = JSON.stringify(before) === kept;
  }
  return answer;
}

for await (const line of createInterface({ input: process.stdin })) {
  const { url, calls } = JSON.parse(line);
  log = [];
  const handler = await import(url);
  const answers = [];
  for (const call of calls) answers.push(await made(handler, call));
  process.stdout.write(`${JSON.stringify({ answers, log })}\n`);
}
