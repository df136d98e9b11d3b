// A program that uses every method, and each way of naming where the server is; only compiled.
import {
  ObservationalMemory, ScrimshawError,
  type AddedMessage, type Context, type Found, type Observation, type Options, type Reflection,
  type StoredMemory, type TimelineEntry,
} from 'scrimshaw';

const here: Options = {
  dataDir: './agents', messageThreshold: 20_000, observationThreshold: 30_000, observerModel: 'offline',
  scope: 'resource', embedding: 'off', command: ['scrimshaw'], startSeconds: 5, timeoutSeconds: 30,
};
const elsewhere: Options[] = [
  { url: 'http://127.0.0.1:18892', token: 't' }, { url: 'http://127.0.0.1:18892', tokenFile: 'token' }, { socketPath: 's' },
];

export async function use(): Promise<number> {
  const memory = new ObservationalMemory(here);
  const others: ObservationalMemory[] = elsewhere.map((one) => new ObservationalMemory(one));
  try {
    const agent: string = ObservationalMemory.agentOf('Älice@example.org');
    const version: 1 | 2 = await memory.version();
    const added: AddedMessage = await memory.addMessage({
      role: 'user', content: 'I bought the lamp.', threadId: 't', resourceId: agent, id: 'm1', timestamp: new Date(0),
    });
    const isDue: boolean = added.shouldObserve;
    await memory.forceObserve(added.threadId, added.resourceId);
    const context: Context = await memory.getContext('t', agent, { shape: 'openai', systemPrompt: 'Be kind.', query: 'lamp', memories: 3 });
    const found: Found[] = await memory.searchMemory(agent, 'lamp', 3);
    const recalled: Found[] = await memory.recall(agent, 'lamp');
    const timeline: TimelineEntry[] = await memory.getTimeline(agent, '2026-01-01', new Date(), 10);
    const noted: Observation = await memory.storeObservation({ content: 'A lamp', resourceId: agent, threadId: 't', priority: 3, tags: ['Fact'] });
    const pattern: Reflection = await memory.storeReflection({ content: 'Likes lamps', resourceId: agent, pattern: 'lamps' });
    const stored: StoredMemory = await memory.store(agent, 'A lamp', { type: 'semantic', importance: 0.6, metadata: { a: 1 }, pin: true });
    const changed: StoredMemory = await memory.updateMemory(agent, stored.id, { content: 'Two lamps', pinned: false });
    await memory.deleteMemory(agent, changed.id);
    const why: Record<string, unknown> = await memory.why(agent, 'lamp');
    const file: string = await memory.exportMemory(agent);
    return version + Number(isDue) + context.totalTokens + found[0].score + recalled.length + timeline.length
      + (noted.priority ?? 0) + (pattern.sourceObs?.length ?? 0) + Object.keys(why).length + file.length;
  } catch (error) {
    if (error instanceof ScrimshawError) return error.status + error.nextStep.length + error.code.length;
    throw error;
  } finally {
    await Promise.all([memory, ...others].map((one) => one.close()));
  }
}
