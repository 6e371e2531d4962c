import fs from 'node:fs';
import os from 'node:os';

import type { Machine, ProcessSpace, ProcessState } from './process-facts.ts';

/** The namespace of process ids that Linux starts with (`PROC_PID_INIT_INO` of its sources). */
const firstNamespace = 'pid:[4026531836]';

/** Empty on kernels before 5.6, which have no namespaces of time. */
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
    // Start times are counted from the boot as the namespace of time shows it.
    const time = readTimeNamespace();
    const isContainer = processes !== firstNamespace;
    return { boot, namespace: `${processes} ${time}`, isContainer };
  } catch {
    // Other systems have no such files; a container may hide them.
    return undefined;
  }
}

/** Fields of `/proc/<id>/stat` after the name, which may contain spaces and parentheses; from field 3, the state. */
function readState(id: number): ProcessState {
  try {
    const text = fs.readFileSync(`/proc/${id}/stat`, 'utf8');
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { isDead: /^[ZXx]/.test(fields[0] ?? ''), start: fields[19] };
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

/** The machine, or container, that natter runs on. */
export const thisMachine: Machine = createMachine();
