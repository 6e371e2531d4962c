import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../../src/cli/program.ts';
import { createMemoryContext, type MemoryOptions } from '../../support/memory-context.ts';

interface Check {
  readonly section: string;
  readonly check: string;
  readonly outcome: string;
  readonly text: string;
  readonly advice?: string;
}

interface Page {
  readonly exit_code: number;
  readonly checks: readonly Check[];
}

const folder = () => mkdtempSync(join(tmpdir(), 'natter-doctor-'));

/** An environment with separate folders. */
export function environmentOf(more: Readonly<Record<string, string>> = {}) {
  const home = folder();
  return {
    NATTER_CONFIG_DIR: join(home, 'config'),
    NATTER_DATA_DIR: join(home, 'data'),
    NATTER_STATE_DIR: join(home, 'state'),
    XDG_CACHE_HOME: join(home, 'cache'),
    LANG: 'C.UTF-8',
    ...more,
  };
}

/** Runs `natter doctor`. */
export async function examine(words: readonly string[], options: MemoryOptions) {
  const memory = createMemoryContext({ homeDirectory: '/nowhere', ...options });
  const failure: unknown = await runProgram(memory.context, ['doctor', ...words]).catch(
    (error: unknown) => error,
  );
  return { failure, stdout: memory.stdout(), stderr: memory.stderr() };
}

/** Runs `natter doctor --json`. */
export async function checksOf(words: readonly string[], options: MemoryOptions) {
  const { stdout, failure } = await examine([...words, '--json'], options);
  const page = JSON.parse(stdout) as Page;
  const named = (check: string) => page.checks.find((one) => one.check === check);
  return { page, failure, named };
}
