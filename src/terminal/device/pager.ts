// Shows text that is longer than the terminal in the user's pager.
import { spawnSync } from 'node:child_process';
import { type Environment, withoutKeys } from '../../environment.ts';

/** What a pager depends on. */
interface PagerHost {
  readonly environment: Environment;
  readonly platform: NodeJS.Platform;
}

/**
 * The command line of the pager: `NATTER_PAGER`, else `PAGER`, else less. Undefined for none: the first of them that is
 * set is empty or `cat`, or the terminal is too simple.
 */
export function pagerOf({ environment, platform }: PagerHost): string | undefined {
  // Windows has no pager that shows UTF-8.
  const fallback = platform === 'win32' ? '' : 'less';
  const pager = (environment['NATTER_PAGER'] ?? environment['PAGER'] ?? fallback).trim();
  return pager === '' || pager === 'cat' || environment['TERM'] === 'dumb' ? undefined : pager;
}

/** Words that mean the same to every shell. */
const plainWords = /^[\w@%+:,./-]+(?: +[\w@%+:,./-]+)*$/;

/**
 * The program to start, with its arguments: plain words are split, everything else is for a shell. Without a shell
 * between them, natter and the pager share the signals of the terminal.
 */
export function pagerCommand(pager: string, platform: NodeJS.Platform): readonly string[] {
  if (plainWords.test(pager)) return pager.split(/ +/);
  return platform === 'win32'
    ? ['cmd.exe', '/d', '/s', '/c', `"${pager}"`]
    : ['/bin/sh', '-c', pager];
}

/** Exit codes of shells when a program is missing or cannot run; 9009 is from cmd.exe. */
export const notRunCodes: ReadonlySet<number | null> = new Set([126, 127, 9009]);

/** The options that git sets: less ends at once if the text fits, keeps it on the screen, and understands colours. */
const pagerDefaults = { LESS: 'FRX', LV: '-c' };

/**
 * Shows the text in the pager, perhaps only a part of it, and waits for its end. False if there is no pager, it cannot
 * be started, or the text fits the terminal with the prompt of the shell: the text is then still to be printed.
 */
export function showInPager(text: string, rows: number, host: PagerHost): boolean {
  const pager = pagerOf(host);
  if (pager === undefined || text.split('\n').length <= rows) return false;
  const { environment, platform } = host;
  const [program = pager, ...words] = pagerCommand(pager, platform);
  const { pid, status } = spawnSync(program, words, {
    input: text,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: { ...pagerDefaults, ...withoutKeys(environment) },
    windowsVerbatimArguments: platform === 'win32',
  });
  return pid !== 0 && !notRunCodes.has(status);
}
