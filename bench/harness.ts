// Runs programs in turns, and makes a table of ratios.
import { spawn } from 'node:child_process';
import { join, resolve } from 'node:path';

export interface Program {
  readonly name: string;
  /** The arguments of `node`: a script and its words. */
  readonly words: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The whole output that the program must print; undefined: not checked. */
  readonly expected?: string;
  /** Called before each run. */
  readonly prepare?: () => void;
}

export interface Sample {
  /** Milliseconds since the process was started. */
  readonly wall: number;
  readonly firstByte: number;
  /** CPU time in milliseconds, and peak resident memory in kB; 0 unless usage is measured. */
  readonly cpu: number;
  readonly memory: number;
}

export type Measure = keyof Sample;

export interface Row {
  readonly what: string;
  readonly against: string;
  /** Medians with units. */
  readonly values: string;
  readonly ratio: string;
  readonly aim: string;
}

/** What all parts share. */
export interface Bench {
  /** The home folder of the programs, and a place for files. */
  readonly home: string;
  /** Runs of each program. */
  readonly turns: number;
  readonly items: number;
  /** Base URLs of a service that answers with this number of chunks. */
  readonly plain: (chunks: number) => string;
  readonly secure: (chunks: number) => string;
  /** The base URL of a service that answers as fast as it can. */
  readonly fast: string;
}

/** A bundled file of the bench. */
export const bundled = (name: string): string => join(import.meta.dirname, name);

export const node: Program = { name: 'node -e 0', words: ['-e', '0'] };

export function natter(words: readonly string[], baseUrl?: string): Program {
  const service = { NATTER_BASE_URL: baseUrl ?? '', NATTER_API_KEY: 'bench-key-0123456789' };
  return {
    name: `natter ${words.join(' ')}`,
    words: [resolve('bin/natter.cjs'), ...words],
    ...(baseUrl !== undefined && { environment: service }),
  };
}

/** Without the machine's environment, because a variable like NODE_EXTRA_CA_CERTS slows every start. */
function run(home: string, program: Program, measuresUsage: boolean): Promise<Sample> {
  program.prepare?.();
  return new Promise((done, fail) => {
    const preload = measuresUsage ? ['--require', bundled('usage.cjs')] : [];
    const start = performance.now();
    let [wall, firstByte] = [Number.NaN, Number.NaN];
    const chunks: Buffer[] = [];
    let usage = '';
    const child = spawn(process.execPath, [...preload, ...program.words], {
      env: { PATH: process.env['PATH'], HOME: home, LANG: 'C.UTF-8', ...program.environment },
      stdio: ['ignore', 'pipe', 'ignore', 'pipe'],
    });
    child.once('error', fail);
    child.once('exit', () => (wall = performance.now() - start));
    child.stdout?.on('data', (part: Buffer) => {
      if (chunks.length === 0) firstByte = performance.now() - start;
      chunks.push(part);
    });
    child.stdio[3]?.on('data', (part: Buffer) => (usage += String(part)));
    child.once('close', (code) => {
      const output = Buffer.concat(chunks).toString();
      if (code !== 0 || output !== (program.expected ?? output)) {
        fail(new Error(`${program.name}: code ${code}, ${output.length} characters of output`));
        return;
      }
      const [cpu = 0, memory = 0] = usage.split(' ').map(Number);
      done({ wall, firstByte, cpu, memory });
    });
  });
}

/** Runs the programs in turns, after a run of each that is not measured. @returns samples in the order of the programs */
export async function alternate(
  { home, turns }: Bench,
  programs: readonly Program[],
  measuresUsage = false,
): Promise<readonly (readonly Sample[])[]> {
  const samples: Sample[][] = programs.map(() => []);
  for (let turn = -1; turn < turns; turn += 1) {
    // Every second turn is reversed, so that a program does not always follow the same one.
    const order = turn % 2 === 0 ? [...programs.keys()] : [...programs.keys()].toReversed();
    for (const index of order) {
      const program = programs[index];
      if (program === undefined) continue;
      const sample = await run(home, program, measuresUsage);
      if (turn >= 0) samples[index]?.push(sample);
    }
  }
  return samples;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export const medianOf = (samples: readonly Sample[], measure: Measure): number =>
  median(samples.map((sample) => sample[measure]));

/** The median of the ratios of each turn: a machine that is slow for a while then slows both programs of a ratio. */
export function compare(
  samples: readonly Sample[] | undefined,
  others: readonly Sample[] | undefined,
  measure: Measure,
): { readonly ratio: string; readonly values: string } {
  const [ours, theirs] = [samples ?? [], others ?? []];
  const ratios = ours.map((one, turn) => one[measure] / (theirs[turn]?.[measure] ?? Number.NaN));
  const show = (list: readonly Sample[]) => medianOf(list, measure).toFixed(1);
  const values = `${show(ours)} against ${show(theirs)} ms`;
  return { ratio: median(ratios).toFixed(2), values };
}

/** A row of a figure that is not a ratio. */
export const figure = (what: string, value: string, aim: string): Row => {
  return { what, against: '-', values: value, ratio: '-', aim };
};

export function formatTable(rows: readonly Row[]): string {
  const cells = rows.map((row) => [row.what, row.against, row.values, row.ratio, row.aim]);
  const heads = ['what', 'against', 'medians', 'ratio', 'aim'];
  const widths = heads.map((head, column) =>
    Math.max(...[heads, ...cells].map((line) => (line[column] ?? head).length)),
  );
  const format = (line: readonly string[]) =>
    `| ${line.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join(' | ')} |\n`;
  const rule = widths.map((width) => '-'.repeat(width));
  return [heads, rule, ...cells].map(format).join('');
}
