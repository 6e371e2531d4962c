import { EventEmitter } from 'node:events';
import type { Context } from '../../src/run.ts';
import { createSecrets } from '../../src/secrets/secrets.ts';
import type { TerminalDevice } from '../../src/terminal/device/device.ts';
import type { InputStream, OutputStream } from '../../src/terminal/device/streams.ts';
import { createFakeClock } from './fake-clock.ts';

/** Stores the text that is written. */
export function createMemoryOutput(isTerminal = false, columns = 80) {
  const written: string[] = [];
  const output: OutputStream = {
    isTerminal,
    columns: () => columns,
    rows: () => 24,
    isClosed: () => false,
    write: (text) => void written.push(text),
    flush: async () => undefined,
  };
  return { ...output, text: () => written.join('') };
}

export interface MemoryOptions {
  readonly environment?: Readonly<Record<string, string>>;
  /** Standard input, one item per read; without it, a terminal if `terminals` contains `stdin`, else empty. */
  readonly input?: readonly (string | Uint8Array)[];
  readonly terminals?: readonly ('stdin' | 'stdout' | 'stderr')[];
  readonly columns?: number;
  /** The user's answers to questions, in order. */
  readonly answers?: readonly string[];
  readonly homeDirectory?: string;
}

/** A {@link Context} in memory, with a fake clock. */
export function createMemoryContext(options: MemoryOptions = {}) {
  const { environment = {}, input = [], terminals = [], answers = [], columns = 80 } = options;
  const stdout = createMemoryOutput(terminals.includes('stdout'), columns);
  const stderr = createMemoryOutput(terminals.includes('stderr'), columns);
  const stdin: InputStream = {
    isTerminal: terminals.includes('stdin'),
    isRedirected: () => !terminals.includes('stdin') && input.length > 0,
    async *bytes() {
      for (const piece of input) yield Buffer.from(piece);
    },
  };
  const clock = createFakeClock();
  const abortion = new AbortController();
  const questions: string[] = [];
  // No command in these tests uses the terminal device.
  const context: Omit<Context, 'device'> = {
    streams: { stdin, stdout, stderr },
    ask: Object.assign(
      async (question: string) => {
        questions.push(question);
        const answer = answers[questions.length - 1];
        if (answer === undefined) throw new Error(`the test has no answer to: ${question}`);
        return answer;
      },
      { end: () => undefined },
    ),
    environment,
    clock,
    random: () => 0,
    signal: abortion.signal,
    process: { id: 1, isRunning: () => false },
    platform: 'linux',
    homeDirectory: options.homeDirectory,
    version: '1.2.3',
    secrets: createSecrets(environment),
    shared: { printedKeys: new Map() },
  };
  return {
    context: context as Context,
    clock,
    questions,
    stdout: () => stdout.text(),
    stderr: () => stderr.text(),
    abort: (reason: unknown) => abortion.abort(reason),
  };
}

/** A {@link TerminalDevice} without a terminal, which a test controls. */
export function createMemoryDevice() {
  /** Text of `writeNow`, changes of the mode (`raw`, `cooked`), and `stopped`. */
  const log: string[] = [];
  const events = new EventEmitter();
  const on = (event: string, listener: (bytes: Uint8Array) => void) => {
    events.on(event, listener);
    return () => void events.off(event, listener);
  };
  let isRaw = false;
  const device: TerminalDevice = {
    listen(onBytes, onEnd) {
      const stops = [on('bytes', onBytes), on('end', onEnd)];
      return () => stops.forEach((stop) => stop());
    },
    setRaw(wanted) {
      if (wanted !== isRaw) log.push(wanted ? 'raw' : 'cooked');
      isRaw = wanted;
    },
    on,
    checkSize: () => undefined,
    suspend(onContinue) {
      log.push('stopped');
      const forget = on('SIGCONT', () => {
        forget();
        onContinue();
      });
    },
    writeNow: (text) => void log.push(text),
  };
  return {
    device,
    log,
    type: (typed: string | Uint8Array) =>
      events.emit('bytes', typeof typed === 'string' ? Buffer.from(typed) : typed),
    hangUp: () => events.emit('end'),
    resize: () => events.emit('resize'),
    interrupt: () => events.emit('SIGINT'),
    terminate: () => events.emit('SIGTERM'),
    approachTimeLimit: () => events.emit('SIGUSR1'),
    pressSuspend: () => events.emit('SIGTSTP'),
    resume: () => events.emit('SIGCONT'),
    exit: () => events.emit('exit'),
  };
}
