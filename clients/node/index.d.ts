type Json = Record<string, unknown>;
export type Role = 'user' | 'assistant' | 'system' | 'tool';
export type When = string | Date;

export interface Options {
	/** The folder of agents: the server that works on it is found, or started. */
	dataDir?: string;
	url?: string; socketPath?: string; token?: string; tokenFile?: string;
	/** Of a server that is started: tokens (30,000; 40,000). */
	messageThreshold?: number; observationThreshold?: number;
	/** "offline" (rules), or PROVIDER/MODEL. */
	observerModel?: string; scope?: 'thread' | 'resource'; embedding?: string;
	command?: string | string[]; startSeconds?: number; timeoutSeconds?: number;
}

export interface NewMessage {
	role: Role; content: string; threadId: string; resourceId: string;
	/** One id, one message. */
	id?: string; timestamp?: When;
}
export interface AddedMessage {
	id: string; role: Role; content: string; timestamp: string; threadId: string; resourceId: string;
	tokenCount: number; isNew: boolean; shouldObserve: boolean; unobservedTokenCount: number;
}
interface Note extends Json { id: string; content: string; timestamp: string; resourceId: string; tokenCount: number }
/** *priority* is 1 to 5. */
export interface Observation extends Note { threadId?: string; priority?: number; taskState?: unknown; tags?: string[] }
export interface Reflection extends Note { pattern?: string; sourceObs?: string[] }
export interface NewNote extends Json { content: string; resourceId: string; threadId?: string; priority?: number; importance?: number; metadata?: Json }
export interface ContextOptions {
	shape?: 'anthropic' | 'openai' | 'text'; identity?: string; systemPrompt?: string; channelHint?: string;
	query?: string; memories?: number;
}
export interface Context extends Json {
	messages: { role: string; content: unknown }[]; observations: Observation[]; reflections: Reflection[]; totalTokens: number;
	system?: { type: string; text: string }[]; text?: string; shouldObserve: boolean; shouldReflect: boolean;
}
/** *score* is 0 to 1. */
export interface Found {
	id: string; content: string; score: number; source: 'working' | 'episodic'; agent: string; type: string;
	importance: number; createdAt: string; metadata: Json;
	closed?: string | null; isSetAside?: boolean;
}
export interface TimelineEntry { timestamp: string; content: string; type: string; source: string }
export interface StoreOptions { type?: 'episodic' | 'semantic' | 'procedural' | 'system'; importance?: number; metadata?: Json; pin?: boolean }
export interface StoredMemory extends Json { id: string; content: string }

export class ScrimshawError extends Error { status: number; nextStep: string; code: string }

export class ObservationalMemory {
	constructor(options: Options);
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
	recall(resourceId: string, query: string, limit?: number): Promise<Found[]>;
	updateMemory(resourceId: string, id: string, changes: { content?: string; importance?: number; metadata?: Json; pinned?: boolean }): Promise<StoredMemory>;
	deleteMemory(resourceId: string, id: string): Promise<void>;
	forceObserve(threadId: string, resourceId: string): Promise<Json>;
	why(resourceId: string, line: string): Promise<Json>;
	close(): Promise<void>;
}
