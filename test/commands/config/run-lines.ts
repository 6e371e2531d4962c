import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runProgram } from '../../../src/cli/program.ts';
import { createMemoryContext, type MemoryOptions } from '../../support/memory-context.ts';

/** Runs command lines in sequence with the same settings. @returns the output of the last one */
export async function runLines(lines: readonly string[], options: MemoryOptions = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'natter-config-'));
  let output = { stdout: '', stderr: '' };
  for (const line of lines) {
    const environment = { NATTER_CONFIG_DIR: folder, ...options.environment };
    const memory = createMemoryContext({ ...options, environment });
    await runProgram(memory.context, line.split(' '));
    output = { stdout: memory.stdout(), stderr: memory.stderr().replaceAll(folder, '<folder>') };
  }
  return output;
}
