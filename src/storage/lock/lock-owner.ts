import { isJsonObject, parseJson } from '../../json.ts';
import { thisMachine } from './machine.ts';
import type { ProcessFacts, ProcessSpace } from './process-facts.ts';

/** The contents of a lock file. */
export interface LockOwner {
  readonly host: string;
  readonly processId: number;
  /** Where the process id is valid; undefined where its system did not name it. */
  readonly space?: Omit<ProcessSpace, 'isContainer'> | undefined;
  /** When the process started, as {@link ProcessState} has it. */
  readonly start?: string | undefined;
  /** Device number of the lock's folder, as the owner's container sees it. */
  readonly device?: number | undefined;
  /** When the lock was taken; absent in locks of older versions, which did not renew them. */
  readonly since?: string | undefined;
  /** Unique for each time a lock is taken. */
  readonly token: string;
}

/** `unknown` for a process that cannot be seen from here: then the age of its lock decides. */
export type Fate = 'alive' | 'gone' | 'unknown';

const machineOf = ({ machine = thisMachine }: ProcessFacts) => machine;

/** The owner of a lock that this process takes. */
export function ownerHere(process: ProcessFacts, since: Date, token: string): LockOwner {
  const machine = machineOf(process);
  const { boot, namespace } = machine.space() ?? {};
  const owner = { host: machine.host(), processId: process.id, since: since.toISOString(), token };
  if (boot === undefined || namespace === undefined) return owner;
  return { ...owner, space: { boot, namespace }, start: machine.process(process.id).start };
}

/** Whether the other process runs on this host, perhaps in a container that has its name. */
export function isOfHost({ host }: LockOwner, process: ProcessFacts): boolean {
  return host === machineOf(process).host();
}

/** Whether the other process runs where this one does, so that each can see the other. */
function isNeighbour(owner: LockOwner, process: ProcessFacts): boolean {
  const here = machineOf(process).space();
  const { boot, namespace } = owner.space ?? {};
  return isOfHost(owner, process) && boot === here?.boot && namespace === here?.namespace;
}

/** Whether the other process runs under the same kernel, perhaps in another container. */
export function isSameBoot({ space }: LockOwner, process: ProcessFacts): boolean {
  return space !== undefined && space.boot === machineOf(process).space()?.boot;
}

/** Whether a container hides this process from others that use the same files. */
export function isInContainer(process: ProcessFacts): boolean {
  return machineOf(process).space()?.isContainer === true;
}

/** What became of the process that took a lock. */
export function fateOf(owner: LockOwner, process: ProcessFacts): Fate {
  if (owner.since === undefined) return fateOfOldOwner(owner, process);
  if (!isNeighbour(owner, process)) return 'unknown';
  if (!process.isRunning(owner.processId)) return 'gone';
  const { isDead, start } = machineOf(process).process(owner.processId);
  if (isDead) return 'gone';
  if (start === undefined || owner.start === undefined) return 'unknown';
  return start === owner.start ? 'alive' : 'gone';
}

/** For locks of older versions, which have only the host and the process. */
function fateOfOldOwner(owner: LockOwner, process: ProcessFacts): Fate {
  if (!isOfHost(owner, process)) return 'unknown';
  const { processId } = owner;
  // This process takes no such locks: its id was that of a natter before it, as process 1 of a container.
  if (processId === process.id || !process.isRunning(processId)) return 'gone';
  return 'unknown';
}

/** A lock's file as text. */
export function formatOwner(owner: LockOwner): string {
  return `${JSON.stringify(owner)}\n`;
}

/** Whether this is the beginning of a lock's text: all that its owner could write. */
export function isUnsigned(text: string): boolean {
  const start = '{"host":';
  return start.startsWith(text.slice(0, start.length));
}

const tokenPattern = /^[\w-]{1,100}$/;
const optionalText = (value: unknown) => (typeof value === 'string' ? value : undefined);

function parseSpace(value: unknown): LockOwner['space'] {
  if (!isJsonObject(value)) return undefined;
  const { boot, namespace } = value;
  return typeof boot === 'string' && typeof namespace === 'string'
    ? { boot, namespace }
    : undefined;
}

/** As older versions wrote it: host, process id and token. */
function parseOldOwner(text: string): LockOwner | undefined {
  const [, host, id, token] = /^(\S+) (\d+) ([\w-]{1,100})$/.exec(text) ?? [];
  if (host === undefined || token === undefined) return undefined;
  return { host, processId: Number(id), token };
}

/** Undefined for anything but the text of a lock: one that is being written, or a foreign file. */
export function parseOwner(text: string): LockOwner | undefined {
  if (!text.startsWith('{')) return parseOldOwner(text);
  const object = parseJson(text);
  if (!isJsonObject(object)) return undefined;
  const { host, processId, device, since, token } = object;
  if (typeof host !== 'string' || typeof since !== 'string' || typeof token !== 'string') {
    return undefined;
  }
  if (!Number.isSafeInteger(processId) || !tokenPattern.test(token)) return undefined;
  return {
    host,
    processId: processId as number,
    space: parseSpace(object['space']),
    start: optionalText(object['start']),
    device: typeof device === 'number' ? device : undefined,
    since,
    token,
  };
}
