import { writeSync } from 'node:fs';
import type { SignalWatch } from './signals.ts';

/** The terminal as a program that lives on it uses it: keys as they are typed, and what the shell does to it. */
export interface TerminalDevice {
  /**
   * Reads what is typed. `onEnd` is called once, when nothing can be read any more: Ctrl-D in a cooked
   * terminal, or a terminal that is gone. @returns what stops reading
   */
  listen(onBytes: (bytes: Uint8Array) => void, onEnd: () => void): () => void;
  /** Raw: every key is passed on when it is pressed, and nothing is echoed. */
  setRaw(isRaw: boolean): void;
  /** @returns what stops listening */
  onResize(listener: () => void): () => void;
  /** Asks the terminal for its size, of which a signal tells late; listeners hear at once that it has changed. */
  checkSize(): void;
  /** Ctrl-C in a cooked terminal, or `kill -INT`. @returns what gives it back */
  onInterrupt(listener: () => void): () => void;
  /** SIGUSR1: schedulers send it some time before they end a job. @returns what stops listening */
  onTimeLimit(listener: () => void): () => void;
  /** Ctrl-Z in a cooked terminal: who listens suspends by itself. @returns what gives it back */
  onSuspend(listener: () => void): () => void;
  /** Stops the job until the shell continues it; `onContinue` is called then, or at once without job control. */
  suspend(onContinue: () => void): void;
  /** The process was stopped from outside, and goes on. @returns what stops listening */
  onContinue(listener: () => void): () => void;
  /** Called when the process is about to end, in whatever way it can know of. @returns what stops listening */
  onExit(listener: () => void): () => void;
  /** Writes past the stream, at once: there may be no later. */
  writeNow(text: string): void;
}

/** Milliseconds after which the process was not stopped: outside of job control nothing would continue it. */
const stopTime = 200;

/** Node asks for the size when it hears of this signal. */
function checkSize(process: NodeJS.Process): void {
  process.emit('SIGWINCH', 'SIGWINCH');
}

/** The whole job, as the terminal would on Ctrl-Z: a script or npx around natter stops with it. */
function stopJob(process: NodeJS.Process, onContinue: () => void): void {
  const back = () => {
    clearTimeout(timer);
    process.off('SIGCONT', back);
    // Sizes that changed meanwhile were told to the foreground job alone.
    checkSize(process);
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
    // A listener for errors stays: a terminal that is gone reports it whenever it likes.
    input.off('data', onBytes).off('end', end).off('close', end);
    input.pause();
  };
}

/** What the shell does to the job. */
function jobControl(
  process: NodeJS.Process,
): Pick<TerminalDevice, 'onSuspend' | 'suspend' | 'onContinue'> {
  return {
    onSuspend(listener) {
      process.on('SIGTSTP', listener);
      return () => void process.off('SIGTSTP', listener);
    },
    suspend(onContinue) {
      if (process.platform === 'win32') onContinue();
      else stopJob(process, onContinue);
    },
    onContinue(listener) {
      process.on('SIGCONT', listener);
      return () => void process.off('SIGCONT', listener);
    },
  };
}

/** The terminal that `process` was started on. */
export function createDevice(
  process: NodeJS.Process,
  watch: Pick<SignalWatch, 'takeInterrupts' | 'beforeDeath'>,
): TerminalDevice {
  return {
    listen: (onBytes, onEnd) => listenTo(process.stdin, onBytes, onEnd),
    setRaw(isRaw) {
      if (process.stdin.isTTY && !process.stdin.destroyed) process.stdin.setRawMode(isRaw);
    },
    onResize(listener) {
      process.stdout.on('resize', listener);
      return () => void process.stdout.off('resize', listener);
    },
    checkSize: () => checkSize(process),
    onInterrupt: watch.takeInterrupts,
    onTimeLimit(listener) {
      process.on('SIGUSR1', listener);
      return () => void process.off('SIGUSR1', listener);
    },
    ...jobControl(process),
    onExit(listener) {
      process.on('exit', listener);
      const forget = watch.beforeDeath(listener);
      return () => {
        process.off('exit', listener);
        forget();
      };
    },
    writeNow(text) {
      try {
        writeSync(process.stdout.fd, text);
      } catch {
        // A terminal that is gone needs nothing any more.
      }
    },
  };
}
