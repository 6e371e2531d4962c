import { execFile } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { exitCodes } from '../../src/failure.ts';
import { sandboxKey } from '../../src/sandbox/keys.ts';
import { openFileSandbox } from '../support/held-sandbox.ts';
import { cleanEnvironment } from '../support/natter.ts';
import { installPacked } from '../support/packed.ts';

const run = promisify(execFile);
const guide = readFileSync('docs/client.md', 'utf8');

/** The output of each example, with the sandbox as the service. */
const outputs = [
  /your prompt: `why is the sky blue\?`/,
  /your prompt: `three names for a cat`.*\n \d+ [\d.]+\n$/s,
  /\[ 'origin', 'nextgen' \]\n1000000\n.*no-such-model/s,
];
const examples = [...guide.matchAll(/```ts.*\n(?<text>[\s\S]*?)```/g)].map(({ groups }, index) => ({
  number: index + 1,
  text: groups?.['text'] ?? '',
  output: outputs[index],
}));

const sandbox = await openFileSandbox();
let folder: string;
beforeAll(async () => {
  folder = await installPacked();
  symlinkSync(resolve('node_modules/@types'), join(folder, 'node_modules/@types'), 'junction');
  for (const { number, text } of examples) {
    writeFileSync(join(folder, `example-${number}.mts`), text);
  }
}, 240_000);

const options = ['--ignoreConfig', '--strict', '--exactOptionalPropertyTypes'];
const modules = ['--target', 'es2023', '--module', 'nodenext', '--types', 'node'];
const compiler = resolve('node_modules/typescript/bin/tsc');

function compile(names: readonly string[], ...words: readonly string[]) {
  return run(process.execPath, [compiler, ...options, ...words, ...names], { cwd: folder });
}

const checkTypes = (names: readonly string[]) => compile(names, ...modules, '--noEmit');

test('all examples compile', async () => {
  const names = examples.map(({ number }) => `example-${number}.mts`);
  expect(names).toHaveLength(outputs.length);
  expect((await checkTypes(names)).stdout).toBe('');
});

test.each(examples)('example $number runs with the packed library', async ({ number, output }) => {
  await compile([`example-${number}.mts`], ...modules);
  const name = `example-${number}.mjs`;
  const env = cleanEnvironment({ NATTER_BASE_URL: sandbox.url, NATTER_API_KEY: sandboxKey });
  const { stdout, stderr } = await run(process.execPath, [name], { cwd: folder, env });
  expect(stderr).toBe('');
  expect(stdout).toMatch(output ?? /^$/);
});

const call = "createClient({ baseUrl: '' }).chat({ model: 'origin', messages: [{ role:";

test.each([
  ['baseURL', "createClient({ baseURL: '' });"],
  ['usr', `${call} 'usr', content: 'hi' }] });`],
  ['max_token', `${call} 'user', content: 'hi' }], max_token: 5 });`],
  // It belongs into params.
  ['temperature', `${call} 'user', content: 'hi' }], temperature: 0 });`],
])('Y26: %s does not compile', async (found, text) => {
  const importing = "import { createClient } from 'natter/client';\n";
  writeFileSync(join(folder, 'mistake.mts'), `${importing}void ${text}\n`);
  const failure = { stdout: expect.stringContaining(found) as string };
  await expect(checkTypes(['mistake.mts'])).rejects.toMatchObject(failure);
});

test.each([
  ['program.cts', ['--module', 'node16']],
  ['program.cts', ['--module', 'nodenext']],
  ['program.mts', ['--module', 'nodenext']],
])('Y26: %s with %j finds the types and needs no others', async (name, module) => {
  const text = `import { createClient } from 'natter/client';
    const client = createClient({ baseUrl: '' });
    const messages = [{ role: 'user', content: 'hi' } as const];
    void client.chat({ model: 'origin', messages, params: { temperature: 0 } });`;
  writeFileSync(join(folder, name), text);
  const words = [...module, '--noEmit', '--target', 'es2023', '--skipLibCheck', 'false'];
  expect((await compile([name], ...words)).stdout).toBe('');
});

const namesIn = (path: string, pattern: RegExp) =>
  [...readFileSync(path, 'utf8').matchAll(pattern)].map(([, name = '']) => name);

test('the guide names every event', () => {
  const types = namesIn('src/client/events.ts', /readonly type: '([\w-]+)'/g);
  expect(types).toHaveLength(7);
  expect(types.filter((type) => !guide.includes(`\`${type}\``))).toEqual([]);
});

test('the guide names every kind of failure that the client throws', () => {
  const table = guide.slice(guide.indexOf('| kind')).split('\n\n')[0] ?? '';
  const unnamed = Object.keys(exitCodes).filter((kind) => !table.includes(`\`${kind}\``));
  expect(unnamed).toEqual([
    'unexpected',
    'usage',
    'storage',
    'mismatch',
    'budget',
    'truncated_prompt',
    'secrets',
    'unfinished',
  ]);
});
