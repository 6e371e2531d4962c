import { spawn } from 'node:child_process';

export interface Program {
  readonly name: string;
  /** The arguments of `node`: a script and its words. */
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The whole output that the program must print; undefined: not checked. */
  readonly expected?: string;
}

/** Times in milliseconds since the process was started. */
export interface Sample {
  readonly wall: number;
  readonly firstByte: number;
  /** Peak resident memory in kB; 0 without `measureMemory`. */
  readonly memory: number;
}

/** Runs a program without the machine's environment, because a variable like NODE_EXTRA_CA_CERTS slows every start. */
export type Run = (
  program: Program,
  options?: { readonly measureMemory: boolean },
) => Promise<Sample>;

/** `home` is the home folder of the programs, `preload` a script that reports memory on file descriptor 3. */
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
          reject(
            new Error(`${program.name}: exit code ${code}, ${output.length} characters of output`),
          );
      });
    });
}
