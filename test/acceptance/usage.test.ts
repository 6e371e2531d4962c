import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { serviceAt } from '../support/natter.ts';
import { streamed } from '../support/raw-replies.ts';
import { serve } from '../support/serve.ts';
import { openTerminal } from '../support/terminal.ts';

test.each([
  ['an unknown flag', ['hi', '--nope'], "unknown option '--nope'"],
  ['an unknown flag of a command', ['models', 'list', '--nope'], "unknown option '--nope'"],
  ['an unknown short flag', ['-z', 'hi'], "unknown option '-z'"],
  ['a flag without its value', ['hi', '--model'], "option '-m, --model <id>' argument missing"],
  [
    'an invalid choice',
    ['hi', '--color', 'blue'],
    "option '--color <when>' argument 'blue' is invalid",
  ],
  ['too many arguments', ['config', 'get', 'a', 'b'], "too many arguments for 'get'"],
  ['a missing argument', ['config', 'set', 'model'], "missing required argument 'value'"],
  [
    'a command after options',
    ['-m', 'x', 'models', 'list'],
    'ambiguous: "models" is a command name but follows',
  ],
  [
    'chat after options',
    ['-m', 'x', 'chat', 'hi'],
    'ambiguous: "chat" is a command name but follows',
  ],
  ['two formats', ['hi', '--plain', '--raw'], '--plain and --raw cannot be used together'],
  ['an invalid duration', ['hi', '--timeout', 'soon'], '--timeout must be a duration'],
  ['a duration with an invalid unit', ['hi', '--idle-timeout', '5d'], '--idle-timeout must be'],
  ['an invalid number', ['hi', '--retries', '-1'], '--retries must be a whole number'],
  ['an invalid limit', ['hi', '-t', 'many'], '--max-tokens must be a whole number'],
  ['a parameter without a value', ['hi', '--param', 'a'], '--param must be name=json'],
  ['a parameter that is not JSON', ['hi', '--param', 'a={b'], '--param a must be JSON'],
  [
    'a parameter set by natter',
    ['hi', '--param', 'stream=true'],
    'the parameter stream is set by natter itself',
  ],
  [
    'an invalid address',
    ['hi', '--base-url', 'service'],
    '--base-url must be an http:// or https:// address',
  ],
  ['a missing prompt', [], 'there is nothing to send'],
  ['a prompt of spaces', ['  '], 'there is nothing to send'],
  [
    'a missing scenario',
    ['sandbox', '--scenario', 'no.json'],
    'cannot read the scenario no.json: there is no such file or folder',
  ],
  ['a file without a name', ['hi', '-f', ''], '--file needs the path of a file'],
  ['a value for a flag without one', ['hi', '--json=1'], "option '--json' takes no value"],
  [
    'a longer value for a flag without one',
    ['hi', '--quiet=always'],
    "option '--quiet' takes no value",
  ],
  ['an unknown shell', ['completion', 'tcsh'], "unknown shell 'tcsh'. Allowed choices are bash"],
  ['a missing file', ['hi', '-f', 'no.txt'], 'cannot attach no.txt'],
])('P27 %s is a usage error, and nothing is sent', async (_, words, message) => {
  const server = await serve([[streamed('Hello')]]);
  const { code, stdout, stderr } = await runInMemory(words, { env: serviceAt(server) });
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(`natter: ${message}`);
  expect(server.connections()).toBe(0);
});

test.each([
  [['last', 'night', 'I', 'dreamt'], 'for a prompt: natter chat last night I dreamt'],
  [['last', 'night', 'I', "didn't"], 'for a prompt: natter chat last …'],
  [['completion', 'rate', 'of', 'studies'], 'for a prompt: natter chat completion rate of studies'],
  [['doctor', 'who', 'is', 'the', 'best'], 'for a prompt: natter chat doctor who is the best'],
  [['completion', 'tcsh'], 'see natter completion --help'],
])('words after a command have a hint: %j', async (words, hint) => {
  const { code, stderr } = await runInMemory(words);
  expect(code).toBe(2);
  expect(stderr).toContain(`\n  ${hint}\n`);
});

test.each(['default', 'set', 'use'])('natter models %s names the setting', async (word) => {
  const { code, stderr } = await runInMemory(['models', word, 'nextgen']);
  expect(code).toBe(2);
  expect(stderr).toContain('\n  natter config set model nextgen\n');
});

test.each([
  ['after', ['hi', '-m', 'nextgen', '--no-stream']],
  ['before', ['-m', 'nextgen', '--no-stream', 'hi']],
  ['on both sides of', ['--no-stream', 'hi', '-m', 'nextgen']],
  ['with equals signs around', ['--model=nextgen', 'hi', '--no-stream']],
  ['after the command and before', ['chat', '-m', 'nextgen', '--no-stream', 'hi']],
])('options may be %s the prompt', async (_, words) => {
  const server = await serve([[streamed('Hello')]]);
  await runInMemory(words, { env: serviceAt(server) });
  expect(JSON.parse(server.requests[0]?.body ?? '')).toEqual({
    model: 'nextgen',
    messages: [{ role: 'user', content: 'hi' }],
  });
});

test.each([
  [['--', 'models'], 'models'],
  [['--', '--json'], '--json'],
  [['--', '-m', 'x'], '-m x'],
  [['-m', 'nextgen', '--', 'config', 'list'], 'config list'],
  [['chat', '--', 'models'], 'models'],
  [['chat', 'models'], 'models'],
  [['why', 'models?'], 'why models?'],
])('natter %j sends the prompt "%s"', async (words, prompt) => {
  const server = await serve([[streamed('Hello')]]);
  expect((await runInMemory(words, { env: serviceAt(server) })).code).toBe(0);
  expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({
    messages: [{ role: 'user', content: prompt }],
  });
});

test.each(['modles', 'Help', 'confg', 'sanbox', 'auht'])(
  'a single word that resembles a command (%s) needs a confirmation on a terminal, by default no',
  async (word) => {
    const server = await serve([[streamed('Hello')]]);
    const terminal = openTerminal([word], { env: serviceAt(server) });
    await terminal.waitFor(/Send it as a prompt\? \[y\/N\]/);
    terminal.type('\r');
    expect((await terminal.exit).exitCode).toBe(2);
    expect(await terminal.transcript()).toContain(`natter -- ${word}`);
    expect(server.connections()).toBe(0);
  },
);

test.each(['model list', 'modles list', 'conversatons', 'login', 'version', 'update', 'quit'])(
  'Y10: %s, which looks like a command, needs a confirmation on a terminal',
  async (prompt) => {
    const server = await serve([[streamed('Hello')]]);
    const terminal = openTerminal(prompt.split(' '), { env: serviceAt(server) });
    await terminal.waitFor(/Send it as a prompt\? \[y\/N\]/);
    terminal.type('\r');
    expect((await terminal.exit).exitCode).toBe(2);
    expect(await terminal.transcript()).toContain(`natter -- ${prompt}`);
    expect(server.connections()).toBe(0);
  },
);

test('Y10: in a script a prompt like a command is sent, with one line on standard error', async () => {
  const server = await serve([[streamed('Hello')]]);
  const result = await runInMemory(['model', 'list'], { env: serviceAt(server) });
  expect(result).toMatchObject({ code: 0, stdout: 'Hello\n' });
  expect(result.stderr).toBe(
    'natter: "model list" looks like the command natter models list; sending it as a prompt\n',
  );
});

test.each([
  ['--', 'login'],
  ['chat', 'login'],
])('Y10: natter %s %s needs no confirmation', async (...words) => {
  const server = await serve([[streamed('Hello')]]);
  const terminal = openTerminal(words, { env: serviceAt(server) });
  expect((await terminal.exit).exitCode).toBe(0);
  expect(await terminal.transcript()).toContain('Hello');
});

test('a single word is sent after "y"', async () => {
  const server = await serve([[streamed('Hello')]]);
  const terminal = openTerminal(['modles'], { env: serviceAt(server) });
  await terminal.waitFor(/\[y\/N\]/);
  terminal.type('y\r');
  expect((await terminal.exit).exitCode).toBe(0);
  expect(await terminal.transcript()).toContain('Hello');
});

test('Ctrl+C at the confirmation ends natter by SIGINT', async () => {
  const server = await serve([[streamed('Hello')]]);
  const terminal = openTerminal(['modles'], { env: serviceAt(server) });
  await terminal.waitFor(/\[y\/N\]/);
  terminal.type('\u0003');
  expect((await terminal.exit).signal).toBe(2);
  expect(server.connections()).toBe(0);
});

test('with --no-input a single word that resembles a command is refused', async () => {
  const server = await serve([[streamed('Hello')]]);
  const terminal = openTerminal(['modles', '--no-input'], { env: serviceAt(server) });
  expect((await terminal.exit).exitCode).toBe(2);
  expect(await terminal.transcript()).toContain('did you mean natter models?');
  expect(server.connections()).toBe(0);
});

test.each([[['modles', '--quiet']], [['hello']], [['what', 'modles']]])(
  'in a pipe %j is sent without a notice',
  async (words) => {
    const server = await serve([[streamed('Hello')]]);
    const { stdout, stderr } = await runInMemory(words, { env: serviceAt(server) });
    expect({ stdout, stderr }).toEqual({ stdout: 'Hello\n', stderr: '' });
  },
);

test.each([
  ['a usage error', ['hi', '--json', '--nope'], 'usage'],
  ['two formats', ['hi', '--json', '--jsonl'], 'usage'],
  ['no service', ['hi', '--json'], 'configuration'],
  ['an unknown setting', ['config', 'get', 'nope', '--json'], 'usage'],
])('with --json %s is one JSON line on standard error', async (_, words, kind) => {
  const { stdout, stderr } = await runInMemory(words);
  expect(stdout).toBe('');
  expect(stderr).toMatch(/^\{.*\}\n$/);
  expect(JSON.parse(stderr)).toMatchObject({ error: { kind, message: expect.any(String) } });
});

test('with --json an unreachable service is an error in the document and on standard error', async () => {
  const { stdout, stderr } = await runInMemory(['hi', '--json', '--base-url=http://127.0.0.1:9']);
  const error = { kind: 'unreachable', message: expect.any(String) as string };
  expect(JSON.parse(stderr)).toMatchObject({ error });
  expect(JSON.parse(stdout)).toMatchObject({ content: '', incomplete: true, error });
});

test('--json after -- is text, so failures are printed as text', async () => {
  const { stderr } = await runInMemory(['--', '--json']);
  expect(stderr).toMatch(/^natter: no service is configured\n/);
});

test.each([
  [
    'an option without its number',
    ['batch', 'a.txt', '--rerun-failed'],
    'add a number: --rerun-failed 1',
  ],
  ['an image', ['hi', '--image', 'a.png'], 'natter sends no images; -f attaches a text file'],
])('the hint for %s', async (_, words, hint) => {
  const { code, stderr } = await runInMemory(words);
  expect(code).toBe(2);
  expect(stderr).toContain(`\n  ${hint}\n`);
});
