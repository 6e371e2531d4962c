import { expect, onTestFinished, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { jsonLines, serviceAt, startNatter } from '../support/natter.ts';
import { response, streamed } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';

const echo = '[sandbox echo]ask';
const lines = 'a\nb\nc\nd\ne\n';

test('--every answers each group under its lines', async () => {
  const words = ['--sandbox', '--every', '2l', echo];
  const { code, stdout, stderr } = await runInMemory(words, { input: lines });
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toBe(
    '==> lines 1-2 <==\nask\n\na\nb\n\n==> lines 3-4 <==\nask\n\nc\nd\n\n==> line 5 <==\nask\n\ne\n',
  );
});

test('--every places each group at {{stdin}}', async () => {
  const words = ['--sandbox', '-q', '--every', '3l', '[sandbox echo]<{{stdin}}>'];
  const { stdout } = await runInMemory(words, { input: 'a\nb\n' });
  expect(stdout).toBe('==> lines 1-2 <==\n<a\nb\n>\n');
});

test('--every answers a group as it arrives, and ends with the input', async () => {
  const words = ['--sandbox', '--every', '2l,100ms', echo];
  const natter = startNatter(words, { input: 'a\nb\n', keepInputOpen: true });
  onTestFinished(() => void natter.child.kill());
  await natter.waitFor('stdout', /==> lines 1-2 <==\nask\n\na\nb\n$/);
  natter.child.stdin?.write('c\n');
  await natter.waitFor('stdout', /==> line 3 <==\nask\n\nc\n$/);
  natter.child.stdin?.end('d\n');
  const { code, stdout } = await natter.result;
  expect(code).toBe(0);
  expect(stdout).toMatch(/==> line 4 <==\nask\n\nd\n$/);
});

test('--every --json prints a line for each group', async () => {
  const words = ['--sandbox', '--json', '--every', '3l', echo];
  const { code, stdout } = await runInMemory(words, { input: lines });
  expect(code).toBe(0);
  expect(jsonLines(stdout)).toMatchObject([
    { first_line: 1, last_line: 3, model: 'origin', content: 'ask\n\na\nb\nc\n' },
    { first_line: 4, last_line: 5, model: 'origin', content: 'ask\n\nd\ne\n' },
  ]);
});

test('a group that fails is reported, the next one is answered, and the exit code is that of the cause', async () => {
  const server = await serve([[streamed('one')], [response(500)], [streamed('three')]]);
  const env = serviceAt(server, { NATTER_RETRIES: '0' });
  const { code, stdout, stderr } = await runInMemory(['--every', '1l', 'x'], {
    env,
    input: '1\n2\n3\n',
  });
  expect(code).toBe(9);
  expect(stdout).toBe('==> line 1 <==\none\n\n==> line 2 <==\n\n==> line 3 <==\nthree\n');
  expect(stderr).toContain('natter: warning: line 2: the service failed (500)\n');
  expect(stderr).toContain('natter: 1 of 3 groups failed; the first: the service failed (500)\n');
  expect(server.requests).toHaveLength(3);
});

test('Ctrl+C ends --every at once', async () => {
  const words = ['--sandbox', '--every', '1l', echo];
  const natter = startNatter(words, { input: 'a\n', keepInputOpen: true });
  await natter.waitFor('stdout', /ask\n\na\n$/);
  natter.child.kill('SIGINT');
  const { signal, stdout, stderr } = await natter.result;
  expect(signal).toBe('SIGINT');
  expect(stdout).toBe('==> line 1 <==\nask\n\na\n');
  expect(stderr).not.toContain('    at ');
});

test('--every keeps secrets from a different machine, and --redact puts them back', async () => {
  const secret = ['token = "gh', 'p_aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5"'].join('');
  const env = { NATTER_BASE_URL: 'https://service.test', NATTER_API_KEY: 'test-key' };
  const words = ['--every', '1l', '--no-input', 'x'];
  const refused = await runInMemory(words, { env, input: `\n${secret}\n` });
  expect(refused.stdout).toContain('==> line 2 <==\n');
  expect(refused.stderr).toContain(
    'natter: warning: line 2: standard input line 2 has a GitHub token, so it was not sent',
  );
  const redacted = ['--sandbox', '--redact', '-q', '--every', '1l', echo];
  const { stdout } = await runInMemory(redacted, { input: `${secret}\n` });
  expect(stdout).toContain(secret);
});

test.each([
  ['--jsonl', ['--jsonl']],
  ['--continue', ['-c']],
  ['--dry-run', ['--dry-run']],
])('--every refuses %s', async (name, more) => {
  const words = ['--sandbox', '--every', '2l', ...more, 'x'];
  const { code, stderr } = await runInMemory(words, { input: lines });
  expect(code).toBe(2);
  expect(stderr).toContain(`--every and ${name} cannot be used together`);
});

test('--every with -f and empty input names standard input and an example', async () => {
  const words = ['--sandbox', '--every', '2l', '-f', 'package.json', 'x'];
  const { code, stderr } = await runInMemory(words, { input: '' });
  expect(code).toBe(0);
  expect(stderr).toMatch(/--every reads standard input, not -f, and it was empty; .+ tail -f app/);
});

test('--every refuses a wrong size, and --no-stdin', async () => {
  const wrong = await runInMemory(['--sandbox', '--every', '200', 'x'], { input: lines });
  expect(wrong.code).toBe(2);
  expect(wrong.stderr).toContain('--every must be lines, a time or a size');
  const without = await runInMemory(['--sandbox', '--every', '2l', '--no-stdin', 'x']);
  expect(without.stderr).toContain('--every needs standard input that is piped in');
});

test('input that is faster than the answers is held back, and reported once', async () => {
  const server = await serve([[50, streamed('ok')]]);
  const env = serviceAt(server);
  const input = Array.from({ length: 20 }, (_, index) => `${index}\n`).join('');
  const { code, stdout, stderr } = await runInMemory(['--every', '1l', 'x'], { env, input });
  expect(code).toBe(0);
  expect(stdout.match(/==> line /g)).toHaveLength(20);
  expect(stderr).toMatch(
    /^natter: input arrives faster than answers; reading is paused \(\d+ groups with \d+ lines wait\)\n$/,
  );
});
