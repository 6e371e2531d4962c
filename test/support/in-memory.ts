import { setMaxListeners } from 'node:events';
import { isMainThread } from 'node:worker_threads';
import { expect } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { printCompletions } from '../../src/cli/completion.ts';
import { buildProgram, runProgram } from '../../src/cli/program.ts';
import { describeFailure } from '../../src/cli/report.ts';
import type { Context } from '../../src/run.ts';
import type { InputStream } from '../../src/terminal/device/streams.ts';
import { createMemoryContext, createMemoryDevice, type MemoryOptions } from './memory-context.ts';
import { cleanEnvironment, runNatter, type RunOptions, type RunResult } from './natter.ts';

/**
 * Runs a command line as the built program does with pipes, but in this process: with the real clock, files and network,
 * without signals. Two runs in different folders (`cwd`) cannot overlap. A worker cannot change its folder; in one, as
 * the tests on Windows run, it starts the built program.
 */
export async function runInMemory(
  words: readonly string[],
  { input = '', env = {}, cwd }: Omit<RunOptions, 'keepInputOpen'> = {},
): Promise<RunResult> {
  if (!isMainThread) return runNatter(words, { input, env, ...(cwd === undefined ? {} : { cwd }) });
  const environment = cleanEnvironment(env) as Record<string, string>;
  const stdin: InputStream = {
    isTerminal: false,
    isRedirected: () => false,
    async *bytes() {
      yield Buffer.from(input);
    },
  };
  const { context: memory, stdout, stderr } = createMemoryContext({ environment });
  const context: Context = {
    ...memory,
    device: createMemoryDevice().device,
    streams: { ...memory.streams, stdin },
    homeDirectory: environment['HOME'],
    clock: systemClock,
    random: Math.random,
  };
  // A batch listens to the signal once for each request in progress; main ignores Node's warning.
  setMaxListeners(0, context.signal);
  const folder = process.cwd();
  if (cwd !== undefined) process.chdir(cwd);
  let code = 0;
  try {
    if (words[0] === '__complete') {
      await printCompletions(context, buildProgram(context), words.slice(1));
    } else {
      await runProgram(context, words);
    }
  } catch (error) {
    const report = describeFailure(error, context, words);
    void context.streams.stderr.write(report.text);
    code = report.exitCode;
  } finally {
    if (cwd !== undefined) process.chdir(folder);
  }
  const stdoutBytes = Buffer.from(stdout());
  return { code, signal: null, stdout: stdout(), stdoutBytes, stderr: stderr() };
}

/** Runs a command line with a memory context, so with a fake clock, and with the terminals and answers of the options. */
export async function runInContext(
  words: readonly string[],
  options: MemoryOptions = {},
  more: Partial<Context> = {},
) {
  const { context, questions, stdout, stderr } = createMemoryContext(options);
  const ran = runProgram({ ...context, ...more }, words);
  const failure: unknown = await ran.catch((error: unknown) => error);
  return { failure, questions, stdout: stdout(), stderr: stderr() };
}

/** Expects that a run failed with this exit code and these messages, and printed no output. */
export function expectFailure(
  { code, stdout, stderr }: RunResult,
  exitCode: number,
  ...messages: readonly (string | RegExp)[]
): void {
  expect({ code, stdout }).toEqual({ code: exitCode, stdout: '' });
  for (const message of messages) {
    if (typeof message === 'string') expect(stderr).toContain(message);
    else expect(stderr).toMatch(message);
  }
}
