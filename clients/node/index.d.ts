export interface Options {
  /** The folder of agents that the server works on; one is found there or started. */
  dataDir?: string;
  /** A server elsewhere, and its token, as text or as the path of a file. */
  url?: string;
  socketPath?: string;
  token?: string;
  tokenFile?: string;
  /** Tokens of a conversation at which it is observed (30,000), and of observations at which they are reflected on (40,000). */
  messageThreshold?: number;
  observationThreshold?: number;
  /** Who notes: "offline" (rules), or PROVIDER/MODEL. */
  observerModel?: string;
  scope?: 'thread' | 'resource';
  embedding?: string;
  /** How the server is started: ["scrimshaw"]. */
  command?: string | string[];
  startSeconds?: number;
  timeoutSeconds?: number;
}

export type Role = 'user' | 'assistant' | 'system' | 'tool';
export type When = string | Date;

export interface NewMessage {
  role: Role;
  content: string;
  threadId: string;
  resourceId: string;
  /** The same id twice is one message. */
  id?: string;
  timestamp?: When;
}

export interface AddedMessage {
  id: string;
  role: Role;
  content: string;
  timestamp: string;
  threadId: string;
  resourceId: string;
  tokenCount: number;
  isNew: boolean;
  shouldObserve: boolean;
  unobservedTokenCount: number;
}

export interface Observation {
  id: string;
  content: string;
  timestamp: string;
  resourceId: string;
  tokenCount: number;
  threadId?: string;
  /** 1 to 5 */
  priority?: number;
  taskState?: unknown;
  tags?: string[];
  [more: string]: unknown;
}

export interface Reflection {
  id: string;
  content: string;
  timestamp: string;
  resourceId: string;
  tokenCount: number;
  pattern?: string;
  sourceObs?: string[];
  [more: string]: unknown;
}

export interface NewNote {
  content: string;
  resourceId: string;
  threadId?: string;
  priority?: number;
  importance?: number;
  metadata?: Record<string, unknown>;
  [more: string]: unknown;
}

export interface ContextOptions {
  shape?: 'anthropic' | 'openai' | 'text';
  identity?: string;
  systemPrompt?: string;
  channelHint?: string;
  /** What memories are looked for; else what the user said last. */
  query?: string;
  memories?: number;
}

export interface Context {
  messages: { role: string; content: unknown }[];
  observations: Observation[];
  reflections: Reflection[];
  totalTokens: number;
  system?: { type: string; text: string }[];
  text?: string;
  shouldObserve: boolean;
  shouldReflect: boolean;
  [more: string]: unknown;
}

export interface Found {
  id: string;
  content: string;
  /** 0 to 1 */
  score: number;
  source: 'working' | 'episodic';
  agent: string;
  type: string;
  importance: number;
  createdAt: string;
  metadata: Record<string, unknown>;
}

export interface TimelineEntry {
  timestamp: string;
  content: string;
  type: string;
  source: string;
  [more: string]: unknown;
}

export interface StoreOptions {
  type?: 'episodic' | 'semantic' | 'procedural' | 'system';
  importance?: number;
  metadata?: Record<string, unknown>;
  pin?: boolean;
}

export interface StoredMemory {
  id: string;
  content: string;
  [more: string]: unknown;
}

/** An answer that is an error; *message* says what is wrong and what state things are in. */
export class ScrimshawError extends Error {
  /** HTTP status; 0 where there was no answer. */
  status: number;
  nextStep: string;
  code: string;
}

export class ObservationalMemory {
  constructor(options: Options);
  /** The agent's name that stands for a resource. */
  static agentOf(resourceId: string): string;
  version(): Promise<1 | 2>;
  addMessage(message: NewMessage): Promise<AddedMessage>;
  getContext(threadId: string, resourceId: string, options?: ContextOptions): Promise<Context>;
  searchMemory(resourceId: string, query: string, limit?: number): Promise<Found[]>;
  getTimeline(resourceId: string, from?: When, to?: When, limit?: number): Promise<TimelineEntry[]>;
  exportMemory(resourceId: string, file?: string): Promise<string>;
  storeObservation(observation: NewNote): Promise<Observation>;
  storeReflection(reflection: NewNote): Promise<Reflection>;
  store(resourceId: string, content: string, options?: StoreOptions): Promise<StoredMemory>;
  forceObserve(threadId: string, resourceId: string): Promise<Record<string, unknown>>;
  why(resourceId: string, line: string): Promise<Record<string, unknown>>;
  close(): Promise<void>;
}

export default ObservationalMemory;
