import fs from 'node:fs';
import os from 'node:os';

/** This process, and what it knows about others. */
export interface ProcessFacts {
  readonly id: number;
  /** Whether a process with that id is running on this machine. */
  isRunning(id: number): boolean;
  /** Default: this machine; tests simulate others. */
  readonly machine?: Machine;
}

/** The machine that a process runs on. Reads nothing before the first call. */
export interface Machine {
  host(): string;
  /** Undefined on systems other than Linux. */
  space(): ProcessSpace | undefined;
  process(id: number): ProcessState;
}

/** The space in which process ids and start times are unique. */
export interface ProcessSpace {
  /** Id of the current boot of the machine. */
  readonly boot: string;
  /** Id of the namespaces of process ids and of time, of the machine or of a container. */
  readonly namespace: string;
}

interface ProcessState {
  /** A zombie: it has ended, but its parent has not read its status. */
  readonly isDead: boolean;
  /** Start time in a unit of the system; undefined if unknown. */
  readonly start: string | undefined;
}

/** Empty on kernels before 5.6, which have no time namespaces. */
function readTimeNamespace(): string {
  try {
    return fs.readlinkSync('/proc/self/ns/time');
  } catch {
    return '';
  }
}

function readSpace(): ProcessSpace | undefined {
  try {
    const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    const processes = fs.readlinkSync('/proc/self/ns/pid');
    // Start times are relative to the boot time in the time namespace.
    const time = readTimeNamespace();
    return { boot, namespace: `${processes} ${time}` };
  } catch {
    // Other systems do not have these files, and a container may hide them.
    return undefined;
  }
}

const deadStates = new Set('ZXx');

/** Reads `/proc/<id>/stat` from field 3, the state: the name before it may contain spaces and parentheses. */
function readState(id: number): ProcessState {
  try {
    const text = fs.readFileSync(`/proc/${id}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { isDead: deadStates.has(fields[0] ?? ''), start: fields[19] };
  } catch {
    // Processes of other users may be hidden.
    return { isDead: false, start: undefined };
  }
}

function createMachine(): Machine {
  let space: { readonly found: ProcessSpace | undefined } | undefined;
  return {
    host: () => os.hostname(),
    space() {
      space ??= { found: readSpace() };
      return space.found;
    },
    process: readState,
  };
}

export const thisMachine: Machine = createMachine();
