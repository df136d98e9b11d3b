'use strict';
// The memory of agents, for Node. Each agent of a server is a resource here; names that are none for a folder
// are made into one. Values go in and out in camelCase.

const { createHash, randomUUID } = require('node:crypto');
const fs = require('node:fs');
const path = require('node:path');
const { ScrimshawError, Server } = require('./server.js');

const V2 = '/api/v2/memory';
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const MOST_OBSERVATIONS = 20;
const MOST_REFLECTIONS = 10;
const SETTINGS = {
	messageThreshold: 'SCRIMSHAW_MESSAGE_THRESHOLD',
	observationThreshold: 'SCRIMSHAW_OBSERVATION_THRESHOLD',
	observerModel: 'SCRIMSHAW_OBSERVER_MODEL',
	scope: 'SCRIMSHAW_SCOPE',
	embedding: 'SCRIMSHAW_EMBEDDINGS',
};

const enc = encodeURIComponent;
const given = (values) => Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));
const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

function inCamelCase(value) {
	if (Array.isArray(value)) return value.map(inCamelCase);
	if (value === null || typeof value !== 'object') return value;
	return Object.fromEntries(Object.entries(value).map(([name, one]) => [camel(name), name === 'metadata' ? one : inCamelCase(one)]));
}

/** Return the name of the agent that *resourceId* stands for; the same for ever. */
function agentOf(resourceId) {
	if (typeof resourceId !== 'string' || !resourceId) throw new TypeError('resourceId: should be a text that is not empty');
	if (NAME.test(resourceId)) return resourceId;
	const plain = resourceId.toLowerCase().replace(/[^a-z0-9_-]+/g, '-').replace(/^[-_]+|-+$/g, '').slice(0, 48);
	return `${plain || 'r'}-${createHash('sha256').update(resourceId).digest('hex').slice(0, 8)}`;
}

const timeOf = (when) => (when instanceof Date ? when.toISOString() : when);

class ObservationalMemory {
	constructor(options = {}) {
		const { dataDir, url, socketPath, token, tokenFile, command, startSeconds = 15, timeoutSeconds = 60 } = options;
		if (!dataDir && !url && !socketPath) throw new TypeError('dataDir: name the folder of agents, or the url of a server');
		const folder = dataDir && path.resolve(dataDir);
		const env = given(Object.fromEntries(Object.entries(SETTINGS).map(([name, variable]) => [variable, options[name]])));
		this.dataDir = folder;
		this.server = new Server({
			url,
			socketPath,
			dataDir: folder,
			token: token ?? (tokenFile && fs.readFileSync(tokenFile, 'utf8').trim()),
			env,
			command: [].concat(command ?? process.env.SCRIMSHAW_COMMAND ?? 'scrimshaw'),
			startSeconds,
			timeoutSeconds,
		});
	}

	version() {
		this.asked ??= this.server.send('GET', '/health').then(({ body }) => {
			let said = {};
			try { said = JSON.parse(body); } catch { /* no JSON: an older program */ }
			return [].concat(said.api_versions ?? []).includes('v2') ? 2 : 1;
		}).catch((error) => { this.asked = undefined; throw error; });
		return this.asked;
	}

	async addMessage(message) {
		const { role, content, threadId, resourceId, id, timestamp } = message;
		return inCamelCase(await this.ask('POST', `/conversations/${enc(threadId)}/messages`, {
			agent: agentOf(resourceId), role, content, id, timestamp: timeOf(timestamp),
		}));
	}

	async getContext(threadId, resourceId, options = {}) {
		const { shape = 'anthropic', identity, systemPrompt, channelHint, query, memories } = options;
		const told = await this.ask('POST', `/conversations/${enc(threadId)}/context`, {
			agent: agentOf(resourceId), shape, identity, system_prompt: systemPrompt, channel_hint: channelHint, query, memories,
			observations: MOST_OBSERVATIONS, reflections: MOST_REFLECTIONS,
		});
		const own = await this.stored(resourceId, threadId);
		const both = (theirs, kind, most) => [...theirs.map(inCamelCase), ...own.filter((one) => one.metadata.kind === kind).map((one) => noted(one, resourceId))].slice(0, most);
		return {
			...inCamelCase(told),
			messages: told.messages ?? [],
			observations: both(told.observations, 'observation', MOST_OBSERVATIONS),
			reflections: both(told.reflections, 'reflection', MOST_REFLECTIONS),
			totalTokens: told.tokens.total,
		};
	}

	async searchMemory(resourceId, query, limit = 10) {
		if ((await this.version()) === 1) {
			const told = await this.ask('GET', `/api/memories/search?q=${enc(query)}`);
			return (Array.isArray(told) ? told : told.memories ?? told.results ?? []).slice(0, limit).map(inCamelCase);
		}
		const told = await this.ask('POST', '/search', { query, agent: agentOf(resourceId), top_k: limit });
		return told.results.map(inCamelCase);
	}

	async getTimeline(resourceId, from, to, limit = 500) {
		const words = new URLSearchParams(given({ from: timeOf(from), to: timeOf(to), limit }));
		const told = await this.ask('GET', `/timeline/${agentOf(resourceId)}?${words}`);
		return told.entries.map(inCamelCase);
	}

	/** Write what *resourceId* remembers to *file*, a portable archive, and return its path. */
	async exportMemory(resourceId, file) {
		const target = path.resolve(file ?? path.join(this.dataDir ?? '.', `${agentOf(resourceId)}-${new Date().toISOString().replace(/[:.]/g, '-')}.mv2`));
		const body = await this.ask('GET', `/export/${agentOf(resourceId)}`, undefined, { raw: true });
		fs.writeFileSync(target, body, { mode: 0o600, flag: 'wx' });
		return target;
	}

	storeObservation(observation) { return this.note('observation', 'episodic', observation); }

	storeReflection(reflection) { return this.note('reflection', 'semantic', reflection); }

	async store(resourceId, content, { type, importance, metadata, pin } = {}) {
		if ((await this.version()) === 1) return inCamelCase(await this.ask('POST', '/api/memories', { content, type, importance, metadata }));
		return inCamelCase(await this.ask('POST', '/store', { content, agent: agentOf(resourceId), type, importance, metadata, pin }));
	}

	async recall(resourceId, query, limit = 10) {
		const told = await this.ask('GET', `/recall?${new URLSearchParams({ agent: agentOf(resourceId), q: query, top_k: limit })}`);
		return told.results.map(inCamelCase);
	}

	async updateMemory(resourceId, id, changes) {
		return inCamelCase(await this.ask('PATCH', `/memories/${enc(id)}?agent=${agentOf(resourceId)}`, changes));
	}

	async deleteMemory(resourceId, id) {
		await this.ask('DELETE', `/memories/${enc(id)}?agent=${agentOf(resourceId)}`, undefined, { raw: true });
	}

	async forceObserve(threadId, resourceId) {
		return inCamelCase(await this.ask('POST', `/conversations/${enc(threadId)}/observe`, { agent: agentOf(resourceId) }));
	}

	async why(resourceId, line) {
		return inCamelCase(await this.ask('GET', `/why/${agentOf(resourceId)}?${new URLSearchParams({ line })}`));
	}

	close() { return this.server.close(); }

	async note(kind, type, { content, resourceId, threadId, priority, importance, metadata, ...rest }) {
		const weight = importance ?? (priority === undefined ? undefined : Math.min(0.89, priority / 5));
		const stored = await this.store(resourceId, content, { type, importance: weight, metadata: { ...metadata, ...given(rest), kind, threadId, priority } });
		return noted({ ...stored, metadata: stored.metadata ?? {} }, resourceId);
	}

	async stored(resourceId, threadId) {
		const { memories } = await this.ask('GET', `/memories?${new URLSearchParams({ agent: agentOf(resourceId), limit: 100 })}`);
		return memories.map(inCamelCase).filter((one) => ['observation', 'reflection'].includes(one.metadata?.kind) && [undefined, threadId].includes(one.metadata.threadId));
	}

	async ask(method, where, body, { raw = false } = {}) {
		const target = where.startsWith('/api/') ? where : V2 + where;
		if (target.startsWith(V2) && (await this.version()) === 1) throw new ScrimshawError('The server speaks version 1 alone. Nothing was done.', { nextStep: 'pip install --upgrade scrimshaw, and start it anew' });
		const headers = { POST: target.startsWith(V2) && { 'Idempotency-Key': randomUUID() }, PATCH: { 'If-Match': '*' }, DELETE: { 'If-Match': '*' } }[method] || {};
		const answer = await this.server.send(method, target, body, headers);
		if (answer.status < 300 && raw) return answer.body;
		let told;
		try {
			told = JSON.parse(answer.body);
		} catch {
			throw new ScrimshawError(`The server's answer to ${method} ${target} is no JSON (status ${answer.status}).`, { status: answer.status });
		}
		if (answer.status >= 300) {
			throw new ScrimshawError(told.detail ?? told.error ?? `status ${answer.status}`, { status: answer.status, nextStep: told.next ?? '' });
		}
		return told;
	}
}

/** Return a stored memory as an observation or a reflection looks. */
function noted({ id, content, createdAt, metadata }, resourceId) {
	const { kind, ...rest } = metadata;
	return { ...rest, id, content, resourceId, timestamp: createdAt, tokenCount: Math.ceil(content.length / 4) };
}

ObservationalMemory.agentOf = agentOf;
module.exports = { ObservationalMemory, ScrimshawError };
