// In which conversations the memory may speak. The host gives no chat type, and its `senderIsOwner` is true in
// groups, too; the form of the session's key is what tells. The same rules as the hook's (templates/hook/handler.ts;
// a test compares the two): when unsure, a conversation is not private.

const MAX_NAME_CHARS = 512;

// Legacy keys of groups name no kind: WhatsApp's end in @g.us, Discord's hold guild-… and channel-….
const SHARED =
  /:(?:subagent|cron|hook|group|channel|room|acp):|:(?:dreaming|internal)|@g\.us|:guild-|:channel-/;
const PRIVATE = new RegExp(
  "^agent:[^:]+:(?:" +
    "main(?::thread:[^:]+)?|" + // where the person talks
    "(?:explicit|dashboard):[^:]+|" + // opened by the operator: command line, control panel
    "(?:[^:]+:){0,2}(?:direct|dm):.+" + // [channel:[account:]]direct:peer
    ")$",
);

/**
 * Return what a session key says of who can hear.
 * @param {unknown} sessionKey
 * @returns {"private" | "heartbeat" | "unknown" | "other"}
 */
export function kindOf(sessionKey) {
  if (!isName(sessionKey)) return "unknown";
  const key = sessionKey.toLowerCase();
  if (SHARED.test(`:${key}:`)) return "other";
  const base = key.replace(/(?::heartbeat)+$/, "");
  if (base !== key) return PRIVATE.test(base) ? "heartbeat" : "other"; // of whatever conversation it is about
  return PRIVATE.test(key) ? "private" : "unknown";
}

/**
 * Return whose memory may speak in a conversation; null where it must not.
 * @param {{sessionKey?: unknown, agentId?: unknown, sandboxed?: unknown}} asked what the host says of who asks
 * @param {unknown} config the host's configuration
 * @returns {string | null} the agent
 */
export function privateAgent({ sessionKey, agentId }, config) {
  const kind = kindOf(sessionKey);
  if (kind !== "private" && kind !== "heartbeat") return null;
  const agent = /^agent:([^:]+):/i.exec(/** @type {string} */ (sessionKey))?.[1]?.toLowerCase();
  if (!agent || (agentId !== undefined && String(agentId).toLowerCase() !== agent)) return null;
  return mayBeShared(config) ? null : agent;
}

/** Whether groups may talk in the main session, so that its key no longer tells who listens. */
export function mayBeShared(config) {
  if (!isRecord(config)) return true;
  const session = isRecord(config.session) ? config.session : {};
  const bindings = Array.isArray(config.bindings) ? config.bindings : [];
  return [session, ...bindings.map((one) => (isRecord(one) ? one.session : null))].some(
    (one) => isRecord(one) && one.groupScope === "main",
  );
}

function isRecord(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isName(value) {
  return typeof value === "string" && value.length > 0 && value.length <= MAX_NAME_CHARS && !/\p{Cc}/u.test(value);
}
