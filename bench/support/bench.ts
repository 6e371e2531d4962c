import { join, resolve } from 'node:path';
import type { Program, Run } from './measure.ts';

export interface Bench {
  readonly run: Run;
  /** Runs of each program. */
  readonly turns: number;
  /** Base URLs of a service that answers with this number of chunks. */
  readonly plain: (chunks: number) => string;
  readonly secure: (chunks: number) => string;
}

export const text = (chunks: number): string => 'abcde '.repeat(chunks);

export const node: Program = { name: 'node -e 0', words: ['-e', '0'], expected: '' };

/** A program of bench/programs, bundled beside this file. */
export function program(name: 'bare' | 'openai', baseUrl: string, chunks: number): Program {
  const words = [join(__dirname, `${name}.cjs`), baseUrl];
  return { name, words, expected: text(chunks) };
}

export function natter(words: readonly string[]): Program {
  return { name: `natter ${words.join(' ')}`, words: [resolve('bin/natter.cjs'), ...words] };
}

/** One prompt with settings and journal. */
export function oneShot(baseUrl: string, chunks: number): Program {
  const environment = { NATTER_BASE_URL: baseUrl, NATTER_API_KEY: 'bench-key-0123456789' };
  return { ...natter(['hi']), environment, expected: text(chunks) };
}
