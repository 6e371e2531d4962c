import type { Journal } from '../../conversation/journal/journal.ts';
import type { TerminalDevice } from '../../terminal/device/device.ts';
import type { OutputStream } from '../../terminal/device/streams.ts';
import type { SessionPorts } from './ports.ts';
import type { ReplState } from '../state/state.ts';

/** What a REPL is started with, in lines or with a live region. */
export interface ReplOptions {
  readonly ports: SessionPorts;
  readonly journal: Journal;
  readonly state: ReplState;
  readonly device: TerminalDevice;
  readonly stdout: OutputStream;
}
