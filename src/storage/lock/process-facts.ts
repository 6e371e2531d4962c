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

/** The machine that a process runs on. */
export interface Machine {
  host(): string;
  /** Names the space in which process ids and start times are unique; undefined on systems other than Linux. */
  space(): string | undefined;
  /** A dead process is a zombie: its parent has not read its status. The unit of start times is the system's. */
  process(id: number): { readonly isDead: boolean; readonly start: string | undefined };
}

export const thisMachine: Machine = {
  host: () => os.hostname(),
  space() {
    try {
      const boot = fs.readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
      return `${boot} ${fs.readlinkSync('/proc/self/ns/pid')}`;
    } catch {
      // Other systems do not have these files, and a container may hide them.
      return undefined;
    }
  },
  process(id) {
    try {
      const text = fs.readFileSync(`/proc/${id}/stat`, 'utf8');
      // Reading starts at field 3, the state: the name before it may contain spaces and parentheses.
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      return { isDead: /^[ZXx]$/.test(fields[0] ?? ''), start: fields[19] };
    } catch {
      // Processes of other users may be hidden.
      return { isDead: false, start: undefined };
    }
  },
};
