'use strict';
// Where the server is: one that listens on the folder's socket is taken, else one is started that ends with
// this process. A request is one HTTP message over the socket or to a URL.

const { spawn } = require('node:child_process');
const { createHash } = require('node:crypto');
const fs = require('node:fs');
const http = require('node:http');
const https = require('node:https');
const os = require('node:os');
const path = require('node:path');

const LONGEST_SOCKET = 100; // a socket's path holds 108 bytes, 104 on macOS
const GONE = ['ECONNREFUSED', 'ENOENT', 'ECONNRESET', 'EPIPE'];

/** An error with what to do: nextStep. */
class ScrimshawError extends Error {
	constructor(message, { status = 0, nextStep = '', code = '' } = {}) {
		super(nextStep ? `${message}\nNext: ${nextStep}` : message);
		this.name = 'ScrimshawError';
		Object.assign(this, { status, nextStep, code });
	}
}

/** The socket of a folder's server: within it, else where a path is short enough. */
function socketOf(dataDir) {
	const name = `scrimshaw-${process.getuid()}-${createHash('sha256').update(dataDir).digest('hex').slice(0, 12)}`;
	const away = (folder) => path.join(folder, name, 'socket');
	const places = [path.join(dataDir, '.scrimshaw-server', 'socket'), away(process.env.XDG_RUNTIME_DIR || os.tmpdir())];
	return places.find((one) => Buffer.byteLength(one) <= LONGEST_SOCKET) ?? away('/tmp');
}

function makeFolder(folder) {
	fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
	const found = fs.lstatSync(folder);
	if (!found.isDirectory() || found.uid !== process.getuid()) {
		throw new ScrimshawError(`${folder}: is not a folder of this user. Nothing was started.`, { nextStep: `ls -ld ${folder}` });
	}
	fs.chmodSync(folder, 0o700);
}

/** Asks one server; starts it where it may and must. */
class Server {
	constructor({ url, socketPath, dataDir, token, env, command, startSeconds, timeoutSeconds }) {
		Object.assign(this, { token, env, command, startSeconds, timeoutSeconds, dataDir });
		this.url = url && new URL(url);
		this.socketPath = url ? undefined : socketPath || socketOf(dataDir);
		this.mayStart = !url && !socketPath;
		this.agent = new (this.url?.protocol === 'https:' ? https : http).Agent({ keepAlive: true, maxSockets: 16 });
		this.stop = () => this.child?.kill();
	}

	/** Send one request; resolve to {status, body}. Starts the server where there is none. */
	async send(method, target, body, headers = {}) {
		for (let tries = 0; ; tries += 1) {
			try {
				return await this.once(method, target, body, headers);
			} catch (error) {
				// What creates carries a key, so that it is safe to send again.
				const isSafe = method === 'GET' || headers['Idempotency-Key'] || error.code !== 'ECONNRESET';
				if (!GONE.includes(error.code) || !isSafe || tries >= 2) throw this.told(error);
				if (this.mayStart && !(await this.isUp())) await this.start();
				else if (tries > 0) throw this.told(error);
			}
		}
	}

	once(method, target, body, headers) {
		const { url, socketPath } = this;
		const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
		const all = { ...headers, ...(bytes && { 'Content-Type': 'application/json', 'Content-Length': bytes.length }) };
		if (this.token) all.Authorization = `Bearer ${this.token}`;
		const where = url
			? { protocol: url.protocol, hostname: url.hostname.replace(/^\[|\]$/g, ''), port: url.port, path: url.pathname.replace(/\/$/, '') + target }
			: { socketPath, path: target, host: 'localhost' };
		const asks = url?.protocol === 'https:' ? https : http;
		return new Promise((resolve, reject) => {
			const request = asks.request({ method, headers: all, agent: this.agent, ...where }, (response) => {
				const parts = [];
				response.on('data', (part) => parts.push(part));
				response.on('error', reject);
				response.on('end', () => resolve({ status: response.statusCode, body: Buffer.concat(parts) }));
			});
			request.setTimeout(this.timeoutSeconds * 1000, () => {
				request.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }));
			});
			request.on('error', reject);
			request.end(bytes);
		});
	}

	isUp() {
		return this.once('GET', '/health').then(({ status }) => status === 200, () => false);
	}

	start() {
		return (this.starting ??= this.startNow().finally(() => { this.starting = undefined; }));
	}

	async startNow() {
		makeFolder(path.dirname(this.socketPath));
		const [program, ...words] = this.command;
		const all = [...words, 'serve', '--home', this.dataDir, '--socket', this.socketPath];
		const child = spawn(program, all, { env: { ...process.env, ...this.env }, stdio: ['ignore', 'ignore', 'pipe'] });
		let said = '';
		let ended;
		child.stderr.on('data', (part) => { said = (said + part).slice(-2000); });
		child.on('error', (error) => { ended = error; });
		child.on('exit', () => { ended ??= new Error(said.trim()); });
		child.unref();
		child.stderr.unref?.();
		process.off('exit', this.stop);
		process.on('exit', this.stop);
		this.child = child;
		const until = Date.now() + this.startSeconds * 1000;
		while (Date.now() < until) {
			if (await this.isUp()) return;
			if (ended?.code === 'ENOENT') {
				throw new ScrimshawError(`${program}: there is no such command. Nothing was started.`, { nextStep: "pip install 'scrimshaw[server]', or name it: {command: ['/path/to/scrimshaw']}" });
			}
			if (ended && !(await this.isUp())) break;
			await new Promise((resolve) => { setTimeout(resolve, 50); });
		}
		child.kill();
		const why = ended?.message || said.trim() || `no answer within ${this.startSeconds} seconds`;
		throw new ScrimshawError(`The server did not start: ${why}`, { nextStep: `${this.command.join(' ')} serve --home ${this.dataDir}` });
	}

	told(error) {
		if (error instanceof ScrimshawError) return error;
		return new ScrimshawError(`${this.url?.href ?? this.socketPath}: cannot be reached (${error.code ?? error.message}). What was asked may not have been done.`, { code: error.code, nextStep: 'start it: scrimshaw serve' });
	}

	async close() {
		this.agent.destroy();
		process.off('exit', this.stop);
		const { child } = this;
		this.child = undefined;
		if (!child || (child.exitCode ?? child.signalCode) !== null) return;
		await new Promise((resolve) => { child.ref(); child.once('exit', resolve); child.kill(); });
	}
}

module.exports = { ScrimshawError, Server };
