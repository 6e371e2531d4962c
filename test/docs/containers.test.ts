import { execFile, spawnSync } from 'node:child_process';
import { chmodSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { folderOf } from '../support/folder.ts';
import { blocksOf } from '../support/guide-blocks.ts';
import { openFileSandbox } from '../support/held-sandbox.ts';
import { writeNatter } from '../support/natter.ts';

function blockWith(guide: string, text: string): string {
  const blocks = blocksOf(guide, readFileSync(`docs/${guide}`, 'utf8'));
  return blocks.find((block) => block.text.includes(text))?.text ?? '';
}

const commandWithSecret = blockWith('scripts.md', 'exec natter');

/** The script in the arguments of the Job's container. */
const jobScript = (
  /- \|\n(?<script>(?: {14}.*\n)+)/.exec(blockWith('batch.md', 'kind: Job'))?.groups?.['script'] ??
  ''
).replaceAll(/^ {14}/gm, '');

const sandbox = await openFileSandbox();
const files = { 'natter-key': sandboxKey, 'notes.md': 'Notes.\n', 'prompts.txt': 'one\ntwo\n' };
const folder = folderOf(files);
chmodSync(folder, 0o777);
writeNatter(folder);

/** Runs a script with the folders of the guide, in an environment that has nothing but a path and the service. */
function runBare(
  script: string,
  around: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<{ readonly code: number; readonly stdout: string; readonly stderr: string }> {
  const local = script.replaceAll(/\/(?:run\/secrets|prompts|results)\//g, `${folder}/`);
  const [program, ...words] = [...around, '/bin/sh', '-c', local];
  const bare = { PATH: `${folder}:/usr/bin:/bin:/usr/sbin`, NATTER_BASE_URL: sandbox.url, ...env };
  return new Promise((settle) => {
    const child = execFile(program, words, { env: bare, cwd: folder }, (error, stdout, stderr) => {
      settle({ code: error === null ? 0 : Number(error.code), stdout, stderr });
    });
    child.stdin?.end();
  });
}

test('the command with a secret in a file sends its input', async () => {
  const { code, stdout } = await runBare(commandWithSecret, [], { NATTER_SAVE: 'false' });
  expect(code).toBe(0);
  expect(stdout).toContain('sum this up');
});

test('a pod of the Job answers the prompts of its shard', async () => {
  expect(await runBare(jobScript, [], { JOB_COMPLETION_INDEX: '1' })).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('1 of 1 item answered') as string,
  });
  const results = readFileSync(join(folder, 'piece-1.jsonl'), 'utf8');
  expect(JSON.parse(results)).toMatchObject({ index: 1 });
});

/** A user without an entry in /etc/passwd, in a new namespace. */
const asUnknownUser = ['unshare', '--user', '--map-user=12345'];
/** The same with a file system that nothing can write to. */
const readOnly = [
  'unshare',
  '--user',
  '--map-root-user',
  '--mount',
  '/bin/sh',
  '-c',
  'mount --rbind / /mnt && mount -o remount,bind,ro /mnt && exec chroot /mnt "$@"',
  'sh',
];
const allows = ([command = '', ...words]: readonly string[]) =>
  spawnSync(command, [...words, '/bin/true']).status === 0;

describe.runIf(allows(asUnknownUser))('without a user', () => {
  const warning = 'conversations are not saved, because the home folder is unknown';
  test.each([
    ['a prompt is answered, with a warning', '', `natter: warning: ${warning}\n`],
    ['NATTER_SAVE=false turns the warning off', 'NATTER_SAVE=false', ''],
  ])('%s', async (_, variables, stderr) => {
    const script = `${variables} NATTER_API_KEY=${sandboxKey} natter "[sandbox echo] hi"`;
    expect(await runBare(script, asUnknownUser)).toEqual({ code: 0, stdout: 'hi\n', stderr });
  });
});

describe.runIf(allows(readOnly))('on a read-only file system', () => {
  test('N13: a prompt is answered, with one warning that it is not saved', async () => {
    const script = `cd /; NATTER_API_KEY=${sandboxKey} natter "[sandbox echo] hi"`;
    const { code, stdout, stderr } = await runBare(script, readOnly);
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'hi\n' });
    expect(stderr).toMatch(
      /^natter: warning: .+without saving \(NATTER_SAVE=false turns saving off\)\n$/,
    );
  });

  test('a batch without a volume exits with 12', async () => {
    const script = `NATTER_API_KEY=${sandboxKey} natter batch ${folder}/prompts.txt -o ${folder}/no.jsonl`;
    expect(await runBare(script, readOnly)).toMatchObject({ code: 12 });
  });
});
