import { closeSync, openSync } from 'node:fs';
import { ReadStream } from 'node:tty';

/** The terminal that a process was started from, also if its standard input is a pipe; Windows has no such file. */
const device = '/dev/tty';

/** Whether a person can answer questions although standard input is not a terminal. */
export function hasControllingTerminal(): boolean {
  try {
    closeSync(openSync(device, 'r'));
    return true;
  } catch {
    // There is none, as in a service or a job of a scheduler.
    return false;
  }
}

/** Standard input, or the controlling terminal if that is not one. */
export function terminalInput(stdin: NodeJS.ReadStream): NodeJS.ReadStream {
  return stdin.isTTY || !hasControllingTerminal() ? stdin : new ReadStream(openSync(device, 'r'));
}
