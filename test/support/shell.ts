import { spawn } from 'node:child_process';
import { binary, cleanEnvironment, type RunResult } from './natter.ts';

/**
 * Runs a bash command line in which `$NATTER` is the program, for redirections. The code is that of the last command, or
 * of the last one that failed in a pipe.
 */
export function runShell(
  line: string,
  env: Readonly<Record<string, string>> = {},
): Promise<RunResult> {
  const variables = cleanEnvironment({ ...env, NATTER: `${process.execPath} ${binary}` });
  const child = spawn('/bin/bash', ['--norc', '-o', 'pipefail', '-c', line], {
    env: variables,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      const stdoutBytes = Buffer.concat(stdout);
      resolve({
        code,
        signal,
        stdout: stdoutBytes.toString(),
        stdoutBytes,
        stderr: Buffer.concat(stderr).toString(),
      });
    });
  });
}
