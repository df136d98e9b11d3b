// Reads one call a line, [method, arguments], and answers each with one line: {told} or {error}.
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const { ObservationalMemory } = await import(pathToFileURL(process.argv[2]));
const memory = new ObservationalMemory(JSON.parse(process.argv[3]));
for await (const line of createInterface({ input: process.stdin })) {
  const [method, words] = JSON.parse(line);
  let said;
  try {
    said = { told: (await memory[method](...words)) ?? null };
  } catch (error) {
    said = { error: error.message, status: error.status ?? null };
  }
  console.log(JSON.stringify(said));
}
await memory.close();
