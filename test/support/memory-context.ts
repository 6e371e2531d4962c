import type { Context } from '../../src/run.ts';
import { createSecrets } from '../../src/secrets/secrets.ts';
import type { InputStream, OutputStream } from '../../src/terminal/device/streams.ts';
import { createFakeClock, type FakeClock } from './fake-clock.ts';

/** Stores the text that is written. */
export interface MemoryOutput extends OutputStream {
  text(): string;
}

export function createMemoryOutput(isTerminal = false, columns = 80): MemoryOutput {
  const written: string[] = [];
  return {
    isTerminal,
    columns: () => columns,
    rows: () => 24,
    hasSize: () => true,
    write: (text) => void written.push(text),
    flush: async () => undefined,
    text: () => written.join(''),
  };
}

function createMemoryInput(isTerminal: boolean, pieces: readonly (string | Uint8Array)[]) {
  const input: InputStream = {
    isTerminal,
    isRedirected: () => !isTerminal && pieces.length > 0,
    async *bytes() {
      for (const piece of pieces) yield Buffer.from(piece);
    },
  };
  return input;
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
export interface MemoryContext {
  readonly context: Context;
  readonly clock: FakeClock;
  readonly questions: readonly string[];
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly abort: (reason: unknown) => void;
}

export function createMemoryContext(options: MemoryOptions = {}): MemoryContext {
  const { environment = {}, terminals = [], answers = [], columns = 80 } = options;
  const stdout = createMemoryOutput(terminals.includes('stdout'), columns);
  const stderr = createMemoryOutput(terminals.includes('stderr'), columns);
  const stdin = createMemoryInput(terminals.includes('stdin'), options.input ?? []);
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
    abort: (reason) => abortion.abort(reason),
  };
}
