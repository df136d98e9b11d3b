import assert from 'node:assert/strict';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { ObservationalMemory, ScrimshawError } from '../index.mjs';

const required = createRequire(import.meta.url)('../index.js');
const own = path.dirname(new URL('../package.json', import.meta.url).pathname);
const command = process.env.SCRIMSHAW_COMMAND ? JSON.parse(process.env.SCRIMSHAW_COMMAND) : undefined;
const skip = command ? false : 'SCRIMSHAW_COMMAND says how scrimshaw is started';

const folder = () => fs.mkdtempSync(path.join(os.tmpdir(), 'scrimshaw-node-'));
const remove = (one) => fs.rmSync(one, { recursive: true, force: true });

async function older(work) {
  const rows = [];
  const server = http.createServer((request, response) => {
    let body = '';
    request.on('data', (part) => { body += part; });
    request.on('end', () => {
      const { pathname, searchParams } = new URL(request.url, 'http://x');
      if (request.method === 'POST') rows.push({ id: rows.length + 1, ...JSON.parse(body) });
      const told = request.method === 'POST' ? rows.at(-1)
        : pathname === '/health' ? { status: 'ok' }
        : rows.filter((row) => row.content.includes(searchParams.get('q') ?? ''));
      response.end(JSON.stringify(told));
    });
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  const memory = new ObservationalMemory({ url: `http://127.0.0.1:${server.address().port}` });
  try {
    await work(memory);
  } finally {
    await memory.close();
    server.close();
  }
}

test('import and require give the same class', () => {
  assert.equal(required.ObservationalMemory, ObservationalMemory);
  assert.equal(required.ScrimshawError, ScrimshawError);
});

test('the package is small, and needs no other', () => {
  const about = JSON.parse(fs.readFileSync(path.join(own, 'package.json')));
  assert.deepEqual([about.dependencies, about.peerDependencies], [undefined, undefined]);
  const files = [...about.files, 'package.json'];
  assert.ok(files.reduce((sum, name) => sum + fs.statSync(path.join(own, name)).size, 0) <= 20 * 1024);
});

test('a resource that is no plain name gets one, always the same', () => {
  assert.equal(ObservationalMemory.agentOf('user_123'), 'user_123');
  const name = ObservationalMemory.agentOf('Älice@example.org');
  assert.match(name, /^[a-z0-9][a-z0-9_-]{0,63}$/);
  assert.equal(ObservationalMemory.agentOf('Älice@example.org'), name);
  assert.notEqual(ObservationalMemory.agentOf('../alice'), ObservationalMemory.agentOf('alice'));
  assert.throws(() => ObservationalMemory.agentOf(''), TypeError);
});

test('a socket has a path that is short enough, however long the folders are, and one of nobody else', async () => {
  const kept = { ...process.env };
  const root = folder();
  const long = path.join(root, 'x'.repeat(60), 'y'.repeat(60));
  fs.mkdirSync(long, { recursive: true });
  try {
    Object.assign(process.env, { TMPDIR: long, XDG_RUNTIME_DIR: long });
    const { socketPath } = new ObservationalMemory({ dataDir: long }).server;
    assert.match(socketPath, new RegExp(`^/tmp/scrimshaw-${process.getuid()}-[0-9a-f]{12}/socket$`));
    assert.equal(new ObservationalMemory({ dataDir: long }).server.socketPath, socketPath);
    assert.notEqual(new ObservationalMemory({ dataDir: `${long}2` }).server.socketPath, socketPath);
    process.env.XDG_RUNTIME_DIR = '/run/user/7';
    assert.match(new ObservationalMemory({ dataDir: long }).server.socketPath, /^\/run\/user\/7\//);

    // What somebody else has put there is not taken.
    const taken = new ObservationalMemory({ dataDir: long, command: ['no-such-scrimshaw'] });
    fs.symlinkSync(root, path.join(root, 'link'));
    taken.server.socketPath = path.join(root, 'link', 'socket');
    await assert.rejects(taken.version(), /not a folder of this user/);
    await taken.close();
  } finally {
    for (const name of ['TMPDIR', 'XDG_RUNTIME_DIR']) {
      if (kept[name] === undefined) delete process.env[name];
      else process.env[name] = kept[name];
    }
    remove(root);
  }
});

test('an older server is spoken to in version 1', () => older(async (memory) => {
  assert.equal(await memory.version(), 1);
  const stored = await memory.storeObservation({ content: 'Gareth pays on Mondays', resourceId: 'albert', priority: 4 });
  assert.equal(stored.content, 'Gareth pays on Mondays');
  assert.deepEqual((await memory.searchMemory('albert', 'Mondays')).map((one) => one.content), ['Gareth pays on Mondays']);
  await assert.rejects(memory.getContext('t', 'albert'), /version 1 alone/);
}));

test('where nobody answers the next step is said', async () => {
  const memory = new ObservationalMemory({ url: 'http://127.0.0.1:9' });
  await assert.rejects(memory.searchMemory('albert', 'anything'), (error) => error instanceof ScrimshawError && /scrimshaw serve/.test(error.nextStep));
  await memory.close();
});

test('a command that is not there is told kindly', async () => {
  const dataDir = folder();
  const memory = new ObservationalMemory({ dataDir, command: ['no-such-scrimshaw'] });
  await assert.rejects(memory.version(), /pip install/);
  await memory.close();
  remove(dataDir);
});

test('from nothing to a stored, found and explained memory', { skip }, async () => {
  const dataDir = folder();
  const memory = new ObservationalMemory({ dataDir, command, observerModel: 'offline', embedding: 'off', startSeconds: 60 });
  const other = new ObservationalMemory({ dataDir, command, startSeconds: 60 });
  try {
    await memory.store('albert', 'Gareth at the Plough pays on Mondays');
    const [found] = await other.searchMemory('albert', 'when does Gareth pay?', 3);
    assert.equal(found.content, 'Gareth at the Plough pays on Mondays');
    assert.equal(found.source, 'working');
    assert.equal(other.server.child, undefined, 'the second one found the server of the first');

    const added = await memory.addMessage({ role: 'user', content: 'I bought the lamp from Anna for 200 euros.', threadId: 't1', resourceId: 'albert' });
    assert.deepEqual([added.role, added.threadId, added.isNew], ['user', 't1', true]);
    await memory.forceObserve('t1', 'albert');
    await memory.storeObservation({ content: 'Anna sells lamps', resourceId: 'albert', threadId: 't1', priority: 3, tags: ['Fact'] });
    await memory.storeReflection({ content: 'Albert buys old things', resourceId: 'albert', threadId: 't1', pattern: 'buys' });
    const context = await memory.getContext('t1', 'albert');
    assert.deepEqual(context.messages, [{ role: 'user', content: 'I bought the lamp from Anna for 200 euros.' }]);
    assert.deepEqual(context.observations.map((one) => one.content).sort(), ['Anna sells lamps', 'I bought the lamp from Anna for 200 euros.']);
    assert.deepEqual(context.reflections.map((one) => [one.content, one.pattern]), [['Albert buys old things', 'buys']]);
    assert.ok(context.totalTokens > 0);
    assert.match(JSON.stringify(await memory.why('albert', 'the lamp')), /Anna for 200 euros/);
    assert.ok((await memory.getTimeline('albert')).some((one) => one.content.includes('lamp')));
    await assert.rejects(memory.why('albert', 'the moon'), (error) => error instanceof ScrimshawError && error.status >= 400);
  } finally {
    await other.close();
    await memory.close();
  }
  assert.equal(await memory.server.isUp(), false, 'the server has ended with its client');
  const place = path.dirname(memory.server.socketPath);
  if (place.startsWith('/tmp/scrimshaw-')) remove(place);
  remove(dataDir);
});
