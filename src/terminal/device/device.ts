import { writeSync } from 'node:fs';
import type { SignalWatch } from './signals.ts';

/**
 * What natter can react to: a new size of the window; Ctrl+C in a cooked terminal (`SIGINT`); what schedulers send before
 * they end or kill a job (`SIGUSR1`, `SIGTERM`); Ctrl+Z in a cooked terminal (`SIGTSTP`), after which the listener must
 * call `suspend`; that the process continues after being stopped (`SIGCONT`); its end, if it can be known (`exit`).
 */
type DeviceEvent = 'resize' | 'SIGINT' | 'SIGUSR1' | 'SIGTERM' | 'SIGTSTP' | 'SIGCONT' | 'exit';

/** The terminal of an interactive program: keys, resizes, and job control by the shell. */
export interface TerminalDevice {
  /**
   * Reads input. `onEnd` is called once, at the end of input: Ctrl+D in a cooked terminal, or a closed terminal.
   * @returns a function that stops reading
   */
  listen(onBytes: (bytes: Uint8Array) => void, onEnd: () => void): () => void;
  /** Raw mode: the terminal delivers each key, without echo. */
  setRaw(isRaw: boolean): void;
  /** @returns a function that removes the listener */
  on(event: DeviceEvent, listener: () => void): () => void;
  /** Reads the terminal's size, because the signal may be late; listeners are called at once if it has changed. */
  checkSize(): void;
  /** Stops the job until the shell continues it; `onContinue` is called then, or at once without job control. */
  suspend(onContinue: () => void): void;
  /** Writes synchronously, bypassing the stream, before the process ends. */
  writeNow(text: string, stream?: 'stdout' | 'stderr'): void;
}

/** Milliseconds after which the process is considered not stopped: without job control nothing would continue it. */
const stopTime = 200;

/** The whole job, as the terminal would on Ctrl+Z: a script or npx around natter stops with it. */
function stopJob(process: NodeJS.Process, onContinue: () => void): void {
  const back = () => {
    clearTimeout(timer);
    process.off('SIGCONT', back);
    onContinue();
  };
  const timer = setTimeout(back, stopTime);
  process.on('SIGCONT', back);
  process.kill(0, 'SIGTSTP');
}

function listenTo(
  input: NodeJS.ReadStream,
  onBytes: (bytes: Uint8Array) => void,
  onEnd: () => void,
): () => void {
  let isOver = false;
  const end = () => {
    if (isOver) return;
    isOver = true;
    onEnd();
  };
  input.on('data', onBytes).on('end', end).on('error', end).on('close', end);
  input.resume();
  return () => {
    isOver = true;
    // The error listener stays: a closed terminal may report errors at any time.
    input.off('data', onBytes).off('end', end).off('close', end);
    input.pause();
  };
}

/** The terminal that `process` was started on. */
export function createDevice(process: NodeJS.Process, watch: SignalWatch): TerminalDevice {
  // Node reads the size on this signal.
  const checkSize = () => void process.emit('SIGWINCH', 'SIGWINCH');
  return {
    listen: (onBytes, onEnd) => listenTo(process.stdin, onBytes, onEnd),
    setRaw(isRaw) {
      if (process.stdin.isTTY && !process.stdin.destroyed) process.stdin.setRawMode(isRaw);
    },
    on(event, listener) {
      if (event === 'SIGINT' || event === 'SIGTERM') return watch.handle(event, listener);
      const emitter: NodeJS.EventEmitter = event === 'resize' ? process.stdout : process;
      emitter.on(event, listener);
      const forget = event === 'exit' ? watch.beforeSignalExit(listener) : undefined;
      return () => {
        emitter.off(event, listener);
        forget?.();
      };
    },
    checkSize,
    suspend(onContinue) {
      if (process.platform === 'win32') return onContinue();
      return stopJob(process, () => {
        // Resizes meanwhile were signalled to the foreground job only.
        checkSize();
        onContinue();
      });
    },
    writeNow(text, stream = 'stdout') {
      try {
        writeSync(process[stream].fd, text);
      } catch {
        // The terminal is closed.
      }
    },
  };
}
