import { isoTime } from '../../clock.ts';
import { isJsonObject, parseJson } from '../../json.ts';
import { type ProcessFacts, type ProcessSpace, thisMachine } from './process-facts.ts';

export interface LockOwner {
  readonly host: string;
  readonly processId: number;
  /** Where the process id is valid; undefined on systems that do not report it. */
  readonly space?: Omit<ProcessSpace, 'isContainer'> | undefined;
  /** Start time of the process, as in {@link ProcessState}. */
  readonly start?: string | undefined;
  /** Device number of the lock's folder in the owner's container. */
  readonly device?: number | undefined;
  /** When the lock was taken; absent in locks of older versions, which did not renew them. */
  readonly since?: string | undefined;
  /** Unique for each time a lock is taken. */
  readonly token: string;
}

/** `unknown` for a process that cannot be seen from here; then the age of its lock decides. */
export type Liveness = 'alive' | 'dead' | 'unknown';

const machineOf = ({ machine = thisMachine }: ProcessFacts) => machine;

export function createOwner(process: ProcessFacts, since: Date, token: string): LockOwner {
  const machine = machineOf(process);
  const { boot, namespace } = machine.space() ?? {};
  const owner = { host: machine.host(), processId: process.id, since: isoTime(since), token };
  if (boot === undefined || namespace === undefined) return owner;
  return { ...owner, space: { boot, namespace }, start: machine.process(process.id).start };
}

/** Whether the owner runs on this host, perhaps in a container of the same name. */
export function isSameHost({ host }: LockOwner, process: ProcessFacts): boolean {
  return host === machineOf(process).host();
}

/** Whether the owner runs in the same namespace of process ids, so that its id is meaningful here. */
function isSameNamespace(owner: LockOwner, process: ProcessFacts): boolean {
  const here = machineOf(process).space();
  const { boot, namespace } = owner.space ?? {};
  return isSameHost(owner, process) && boot === here?.boot && namespace === here?.namespace;
}

/** Whether the owner runs under the same kernel, perhaps in a different container. */
export function isSameBoot({ space }: LockOwner, process: ProcessFacts): boolean {
  return space !== undefined && space.boot === machineOf(process).space()?.boot;
}

/** Whether this process is in a container, invisible to other processes that use the same files. */
export function isInContainer(process: ProcessFacts): boolean {
  return machineOf(process).space()?.isContainer === true;
}

export function livenessOf(owner: LockOwner, process: ProcessFacts): Liveness {
  if (owner.since === undefined) return livenessOfLegacyOwner(owner, process);
  if (!isSameNamespace(owner, process)) return 'unknown';
  if (!process.isRunning(owner.processId)) return 'dead';
  const { isDead, start } = machineOf(process).process(owner.processId);
  if (isDead) return 'dead';
  if (start === undefined || owner.start === undefined) return 'unknown';
  return start === owner.start ? 'alive' : 'dead';
}

/** For locks of older versions, which have only the host and the process id. */
function livenessOfLegacyOwner(owner: LockOwner, process: ProcessFacts): Liveness {
  if (!isSameHost(owner, process)) return 'unknown';
  const { processId } = owner;
  // This version creates no such locks, so an earlier natter had this process's id, such as 1 in a container.
  if (processId === process.id || !process.isRunning(processId)) return 'dead';
  return 'unknown';
}

export function formatOwner(owner: LockOwner): string {
  return `${JSON.stringify(owner)}\n`;
}

/** Whether a text is the beginning of a lock file, whose owner has not finished writing it. */
export function isPartialOwner(text: string): boolean {
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

/** The format of older versions: host, process id and token. */
function parseLegacyOwner(text: string): LockOwner | undefined {
  const [, host, id, token] = /^(\S+) (\d+) ([\w-]{1,100})$/.exec(text) ?? [];
  if (host === undefined || token === undefined) return undefined;
  return { host, processId: Number(id), token };
}

/** Undefined for a text that is not a complete lock file. */
export function parseOwner(text: string): LockOwner | undefined {
  if (!text.startsWith('{')) return parseLegacyOwner(text);
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
