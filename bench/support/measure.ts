import { spawn } from 'node:child_process';

export interface Program {
  readonly name: string;
  /** Of `node`: a script and its words. */
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** What the program has to print, all of it; undefined where it is not looked at. */
  readonly expected?: string;
}

/** Milliseconds from before the process was started. */
export interface Sample {
  readonly wall: number;
  readonly firstByte: number;
  /** Peak resident memory in kB; only where `measureMemory` asked. */
  readonly memory: number;
}

/** Nothing of the machine's own environment: a variable like NODE_EXTRA_CA_CERTS slows every start. */
export type Run = (
  program: Program,
  options?: { readonly measureMemory: boolean },
) => Promise<Sample>;

/** `home` is the home folder of the programs; `preload` a script that reports memory on file descriptor 3. */
export function createRun(home: string, preload: string): Run {
  const base = { PATH: process.env['PATH'] ?? '', HOME: home, LANG: 'C.UTF-8' };
  return (program, { measureMemory } = { measureMemory: false }) =>
    new Promise((resolve, reject) => {
      const words = measureMemory ? ['--require', preload, ...program.words] : program.words;
      const start = performance.now();
      let firstByte = NaN;
      const chunks: Buffer[] = [];
      const child = spawn(process.execPath, [...words], {
        env: { ...base, ...program.environment },
        stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
      });
      let wall = NaN;
      let memory = '';
      child.once('error', reject);
      child.once('exit', () => {
        wall = performance.now() - start;
      });
      child.stdout?.on('data', (part: Buffer) => {
        if (chunks.length === 0) firstByte = performance.now() - start;
        chunks.push(part);
      });
      child.stdio[3]?.on('data', (part: Buffer) => {
        memory += String(part);
      });
      child.once('close', (code) => {
        const output = Buffer.concat(chunks).toString();
        const isWhole = program.expected === undefined || output === program.expected;
        if (code === 0 && isWhole) resolve({ wall, firstByte, memory: Number(memory) });
        else
          reject(new Error(`${program.name} ended with ${code} and ${output.length} characters`));
      });
    });
}
