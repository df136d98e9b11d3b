// The connection to `scrimshaw serve` over its unix socket, and the program behind it: one that listens is taken, else
// one is started. Nothing here waits without a bound, and an answer is no larger than one.

import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import * as fs from "node:fs";
import * as http from "node:http";
import * as os from "node:os";
import * as path from "node:path";

const V2 = "/api/v2/memory";
const LONGEST_SOCKET = 100; // a socket's path holds 108 bytes, 104 on macOS
const MAX_ANSWER_BYTES = 256 * 1024;
const AGAIN_MS = 10_000; // between two starts: a program that ends at once is not started on and on
const LOOK_MS = 50;
const NOTE = "alive.json";
const MOST_SILENT = 3; // requests in a row without an answer: a server of ours hangs, and is ended
const ABSENT = new Set(["ECONNREFUSED", "ENOENT"]);
const GONE = new Set([...ABSENT, "ECONNRESET", "EPIPE"]); // or only a connection that was kept too long

/** What could not be done, in a sentence for the agent; `next` says what to do. */
export class MemoryError extends Error {
  constructor(message, next = "", isLasting = false) {
    super(message);
    this.next = next;
    this.isLasting = isLasting; // asking again will not help
  }
}

/**
 * Return where the socket of a state folder's server lies: in it, else where a path is short enough.
 * @param {string} stateDir
 */
export function socketOf(stateDir) {
  const name = `scrimshaw-${process.getuid?.() ?? 0}-${createHash("sha256").update(stateDir).digest("hex").slice(0, 12)}`;
  const away = (folder) => path.join(folder, name, "socket");
  const places = [path.join(stateDir, "scrimshaw", "socket"), away(process.env.XDG_RUNTIME_DIR || os.tmpdir())];
  return places.find((one) => Buffer.byteLength(one) <= LONGEST_SOCKET) ?? away("/tmp");
}

export class Server {
  /**
   * @param {{command: string[], socketPath: string, mayStart: boolean, options: string[],
   *   env: Record<string, string>}} settings *options*: of the program that is started
   */
  constructor({ command, socketPath, mayStart, options, env }) {
    this.command = command;
    this.socketPath = socketPath;
    this.mayStart = mayStart;
    this.options = options;
    this.env = env;
    this.connections = new http.Agent({ keepAlive: true, maxSockets: 8 });
    this.startedAt = -Infinity;
    this.silent = 0;
    this.said = "";
    this.children = new Set();
    this.onExit = () => this.kill();
  }

  /**
   * Send one request; resolve to the JSON of its answer. Rejects with MemoryError within *milliseconds*.
   * @param {string} method
   * @param {string} where below /api/v2/memory
   * @param {unknown} body
   * @param {number} milliseconds
   */
  async ask(method, where, body, milliseconds) {
    const until = performance.now() + milliseconds;
    for (;;) {
      try {
        const answer = await this.once(method, V2 + where, body, until - performance.now());
        this.silent = 0;
        return told(answer);
      } catch (error) {
        if (error instanceof MemoryError) throw error;
        if (!GONE.has(error.code)) throw this.late(error);
        if (ABSENT.has(error.code)) this.start();
      }
      if (performance.now() + LOOK_MS >= until) throw this.unreachable();
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** Start the server where none answers and none was started a moment ago; never throws, never waits. */
  start() {
    if (!this.mayStart || performance.now() - this.startedAt < AGAIN_MS) return;
    this.startedAt = performance.now();
    try {
      makeFolder(path.dirname(this.socketPath));
      const [program, ...words] = this.command;
      const child = spawn(program, [...words, "serve", "--socket", this.socketPath, ...this.options], {
        env: { ...process.env, ...this.env },
        stdio: ["ignore", "ignore", "pipe"],
      });
      child.stderr.on("data", (part) => {
        this.said = (this.said + part).slice(-400);
      });
      child.on("error", (error) => {
        this.said = error.code === "ENOENT" ? `${program}: there is no such command` : error.message;
      });
      child.on("exit", () => this.children.delete(child));
      child.unref();
      child.stderr.unref?.();
      process.off("exit", this.onExit);
      process.on("exit", this.onExit);
      this.children.add(child);
    } catch (error) {
      this.said = String(error?.message ?? error);
    }
  }

  /** @param {NodeJS.Signals} [signal] */
  kill(signal) {
    for (const child of this.children) child.kill(signal);
  }

  /** Leave a note for `scrimshaw doctor`: which gateway has loaded this. */
  note(version) {
    try {
      const folder = path.dirname(this.socketPath);
      makeFolder(folder);
      const told = { pid: process.pid, loaded_at: new Date().toISOString(), version };
      fs.writeFileSync(path.join(folder, NOTE), JSON.stringify(told), { mode: 0o600 });
    } catch {
      // A folder that cannot be written: doctor will say that there is no sign.
    }
  }

  /** End what was started here, and leave nothing behind. */
  stop() {
    process.off("exit", this.onExit);
    this.connections.destroy();
    for (const child of this.children) child.once("exit", () => this.tidy());
    this.kill();
    this.children.clear();
    this.startedAt = -Infinity;
    this.tidy();
  }

  tidy() {
    const folder = path.dirname(this.socketPath);
    try {
      fs.rmSync(path.join(folder, NOTE), { force: true });
      if (this.mayStart) fs.rmdirSync(folder); // while the socket is in it, it stays
    } catch {
      // Somebody else's.
    }
  }

  once(method, target, body, milliseconds) {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body));
    const headers = bytes ? { "Content-Type": "application/json", "Content-Length": bytes.length } : {};
    return new Promise((resolve, reject) => {
      const request = http.request(
        { method, path: target, host: "localhost", socketPath: this.socketPath, headers, agent: this.connections },
        (response) => {
          const parts = [];
          let size = 0;
          response.on("data", (part) => {
            size += part.length;
            if (size > MAX_ANSWER_BYTES) request.destroy(new Error("the answer is too large"));
            else parts.push(part);
          });
          response.on("error", reject);
          response.on("end", () => resolve({ status: response.statusCode, body: Buffer.concat(parts) }));
        },
      );
      const late = () => {
        const error = Object.assign(new Error("no answer in time"), { code: "ETIMEDOUT" });
        reject(error); // a request that still waits for a free connection says nothing when it is destroyed
        request.destroy(error);
      };
      const timer = setTimeout(late, Math.max(1, milliseconds));
      request.on("close", () => clearTimeout(timer));
      request.on("error", reject);
      request.end(bytes);
    });
  }

  late(error) {
    if (error.code === "ETIMEDOUT" && ++this.silent >= MOST_SILENT && this.children.size) {
      this.silent = 0;
      this.kill("SIGKILL"); // it hangs; the next question starts another
    }
    const why = error.code === "ETIMEDOUT" ? "did not answer in time" : `failed (${error.code ?? error.message})`;
    return new MemoryError(`The memory ${why}.`, "go on without it, and try again later");
  }

  unreachable() {
    const why = this.said.trim().split("\n").at(-1);
    const next = this.mayStart ? `${this.command.join(" ")} serve` : "start it: scrimshaw serve --socket PATH";
    return new MemoryError(`The memory's server is not there yet${why ? ` (${why})` : ""}.`, `go on without it; for the person: ${next}`);
  }
}

function told({ status, body }) {
  let found;
  try {
    found = JSON.parse(body.toString("utf8"));
  } catch {
    throw new MemoryError("The memory's answer is no JSON.", "go on without it");
  }
  if (status < 300) return found;
  if (status === 404 && found?.detail === "There is nothing at this address.") {
    throw new MemoryError(
      "The memory's server is older than its plug-in.",
      "for the person: update Scrimshaw, then openclaw gateway restart",
      true,
    );
  }
  throw new MemoryError(String(found?.detail ?? `status ${status}`).slice(0, 400), String(found?.next ?? "").slice(0, 400), status < 500);
}

function makeFolder(folder) {
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  const found = fs.lstatSync(folder);
  if (!found.isDirectory() || (process.getuid && found.uid !== process.getuid())) {
    throw new Error(`${folder}: is not a folder of this user`);
  }
  fs.chmodSync(folder, 0o700);
}
