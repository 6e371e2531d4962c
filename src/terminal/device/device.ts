import { writeSync } from 'node:fs';
import type { SignalWatch } from './signals.ts';

/**
 * What natter can react to: a new size of the window; Ctrl+C in a cooked terminal (`SIGINT`); what schedulers send before
 * they end or kill a job (`SIGUSR1`, `SIGTERM`); Ctrl+Z in a cooked terminal (`SIGTSTP`), after which the listener must
 * call `suspend`; that the process continues after being stopped (`SIGCONT`); its end, if it can be known (`exit`).
 */
type DeviceEvent = 'resize' | 'SIGINT' | 'SIGUSR1' | 'SIGTERM' | 'SIGTSTP' | 'SIGCONT' | 'exit';

/** The terminal of an interactive program: keys, resizes, and job control by the shell. */
export type TerminalDevice = ReturnType<typeof createDevice>;

/** Milliseconds after which the process is considered not stopped: without job control nothing would continue it. */
const stopTime = 200;

/** The terminal that `process` was started on. */
export function createDevice(process: NodeJS.Process, watch: SignalWatch) {
  // Node reads the size on this signal.
  const checkSize = () => void process.emit('SIGWINCH', 'SIGWINCH');
  return {
    /**
     * Reads input. `onEnd` is called once, at the end of input: Ctrl+D in a cooked terminal, or a closed terminal.
     * @returns a function that stops reading
     */
    listen(onBytes: (bytes: Uint8Array) => void, onEnd: () => void): () => void {
      const input = process.stdin;
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
    },
    /** Raw mode: the terminal delivers each key, without echo. */
    setRaw(isRaw: boolean): void {
      if (process.stdin.isTTY && !process.stdin.destroyed) process.stdin.setRawMode(isRaw);
    },
    /** @returns a function that removes the listener */
    on(event: DeviceEvent, listener: () => void): () => void {
      if (event === 'SIGINT' || event === 'SIGTERM') return watch.handle(event, listener);
      const emitter: NodeJS.EventEmitter = event === 'resize' ? process.stdout : process;
      emitter.on(event, listener);
      const forget = event === 'exit' ? watch.beforeSignalExit(listener) : undefined;
      return () => {
        emitter.off(event, listener);
        forget?.();
      };
    },
    /** Reads the terminal's size, because the signal may be late; listeners are called at once if it has changed. */
    checkSize,
    /** Stops the job until the shell continues it; `onContinue` is called then, or at once without job control. */
    suspend(onContinue: () => void): void {
      if (process.platform === 'win32') return onContinue();
      const back = () => {
        clearTimeout(timer);
        process.off('SIGCONT', back);
        // Resizes meanwhile were signalled to the foreground job only.
        checkSize();
        onContinue();
      };
      const timer = setTimeout(back, stopTime);
      process.on('SIGCONT', back);
      // The whole job, as the terminal would on Ctrl+Z: a script or npx around natter stops with it.
      return void process.kill(0, 'SIGTSTP');
    },
    /** Writes synchronously, bypassing the stream, before the process ends. */
    writeNow(text: string, stream: 'stdout' | 'stderr' = 'stdout'): void {
      try {
        writeSync(process[stream].fd, text);
      } catch {
        // The terminal is closed.
      }
    },
  };
}
