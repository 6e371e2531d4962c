import { expect, test } from 'vitest';
import { expectFailure, runInMemory } from '../../support/in-memory.ts';
import { streamed } from '../../support/raw-replies.ts';
import { runOn } from '../../support/serve.ts';

/** The words of a line; `""` is an empty word. */
const wordsOf = (line: string) =>
  line.split(' ').flatMap((word) => (word === '' ? [] : [word.replace('""', '')]));

test.each([
  ['an unknown flag', 'hi --nope', "unknown option '--nope'"],
  ['an unknown flag of a command', 'models list --nope', "unknown option '--nope'"],
  ['N31: an unknown short flag after a known one', '-q0 hi', "unknown option '-0'"],
  ['an unknown short flag', '-z hi', "unknown option '-z'"],
  ['a flag without its value', 'hi --model', "option '-m, --model <id>' argument missing"],
  ['an invalid choice', 'hi --color blue', "option '--color <when>' argument 'blue' is invalid"],
  ['too many arguments', 'config get a b', "too many arguments for 'get'"],
  ['words after a list', 'models list x', 'natter models list takes no arguments, but got "x"'],
  ['a word that a group does not have', 'prompts ls', 'there is no command "natter prompts ls"'],
  ['a missing argument', 'config set model', "missing required argument 'value'"],
  ['a command after options', '-m x models list', 'ambiguous: "models" is a command name but'],
  ['chat after options', '-m x chat hi', 'ambiguous: "chat" is a command name but follows'],
  ['two formats', 'hi --plain --raw', '--plain and --raw cannot be used together'],
  ['an invalid duration', 'hi --timeout soon', '--timeout must be a duration'],
  ['a duration with an invalid unit', 'hi --idle-timeout 5d', '--idle-timeout must be'],
  ['an invalid number', 'hi --retries -1', '--retries must be a whole number'],
  ['an invalid limit', 'hi -t many', '--max-tokens must be a whole number'],
  ['a parameter without a value', 'hi --param a', '--param must be name=json'],
  ['a forbidden parameter', 'hi --param __proto__={}', '"__proto__" is not a valid parameter name'],
  ['an invalid address', 'hi --base-url service', '--base-url must be an http:// or https:// add'],
  ['a missing prompt', '', 'there is nothing to send'],
  ['a missing scenario', 'sandbox --scenario no.json', 'cannot read the scenario no.json'],
  ['a file without a name', 'hi -f ""', '--file needs the path of a file'],
  ['a value for a flag without one', 'hi --json=1', "option '--json' takes no value"],
  ['a longer value for a flag', 'hi --quiet=always', "option '--quiet' takes no value"],
  ['an unknown shell', 'completion tcsh', "unknown shell 'tcsh'. Allowed choices are bash"],
  ['a missing file', 'hi -f no.txt', 'cannot attach no.txt'],
])('P27 %s is a usage error, and nothing is sent', async (_, line, message) => {
  const { server, ...result } = await runOn([[streamed('Hello')]], wordsOf(line));
  expectFailure(result, 2, `natter: ${message}`);
  expect(server.connections()).toBe(0);
});

test('P27 a prompt of spaces is a usage error', async () => {
  expectFailure(await runInMemory(['  ']), 2, 'natter: there is nothing to send');
});

test.each([
  ['after', ['hi', '-m', 'nextgen', '--no-stream']],
  ['before', ['-m', 'nextgen', '--no-stream', 'hi']],
  ['on both sides of', ['--no-stream', 'hi', '-m', 'nextgen']],
  ['with equals signs around', ['--model=nextgen', 'hi', '--no-stream']],
  ['after the command and before', ['chat', '-m', 'nextgen', '--no-stream', 'hi']],
])('options may be %s the prompt', async (_, words) => {
  const { server } = await runOn([[streamed('Hello')]], words);
  const messages = [{ role: 'user', content: 'hi' }];
  expect(server.bodies()).toEqual([{ model: 'nextgen', messages }]);
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
  const { code, server } = await runOn([[streamed('Hello')]], words);
  expect(code).toBe(0);
  expect(server.bodies()).toMatchObject([{ messages: [{ role: 'user', content: prompt }] }]);
});

test('Y10: in a script a prompt like a command is sent, with one line on standard error', async () => {
  const result = await runOn([[streamed('Hello')]], ['model', 'list']);
  expect(result).toMatchObject({ code: 0, stdout: 'Hello\n' });
  expect(result.stderr).toBe(
    'natter: "model list" looks like the command natter models list; sending it as a prompt\n',
  );
});

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

// Options of other programs. A setting is a hint only where prompts are sent.
test.each([
  ['--schema-multi x', '--schema "[name, age int]" asks for a list; the brackets make it one'],
  ['--json-schema x', '--schema asks for JSON and checks it'],
  ['--no-session-persistence x', '--no-save does not save the conversation'],
  ['--max-turns x', 'natter sends one prompt and gets one answer'],
  ['usage --model origin', '--by model shows a row for each'],
  ['usage --window 8192', 'see natter usage --help'],
  ['models list --window 8192', 'see natter models list --help'],
  ['batch a.txt --window 8192', 'it is a setting: natter config set window <value>'],
  // natter sandbox does not offer the settings of a client.
  ['sandbox --window 8192', 'see natter sandbox --help'],
  ['--modle x', 'did you mean --model? See natter --help'],
  ['--temperature 0', 'use --param temperature=0.2, if the service takes it'],
  ['--image a.png', 'natter sends no images; -f attaches a text file'],
  ['--template review', 'natter run NAME sends a prompt file; natter prompts lists them'],
  ['--window 8192', 'it is a setting: natter config set window <value>, or NATTER_WINDOW'],
  ['--secret-guard=off hi', 'it is a setting: natter config set secret-guard <value>'],
  ['conversations rm latest', 'natter conversations delete latest\n'],
  ['conversations find "a', 'natter conversations search …\n'],
  ['-t summarize', 'a template is a prompt file: natter run NAME sends it'],
  ['--api-key=x hi', 'use natter auth login, or'],
  ['--output json', 'natter "a prompt" > FILE writes the answer to a file; --json prints JSON'],
  ['models --format', '--json prints JSON'],
  ['models -p', 'see natter models list --help'],
  ['compare --fallback', 'a comparison shows what each model answers, so no other model answers'],
  ['compare --kye', 'see natter compare --help; put text that starts with a dash after --\n'],
  ['models lsit', 'did you mean natter models list?'],
  ['models origin', 'to show a model: natter models get origin'],
  ['models default', 'natter config set model <model>'],
  ['models use nextgen', 'natter config set model nextgen\n'],
  ['last night I dreamt', 'for a prompt: natter chat last night I dreamt\n'],
  ["last night I didn't", 'for a prompt: natter chat last …\n'],
  ['doctor who is the best', 'for a prompt: natter chat doctor who is the best\n'],
  ['completion tcsh', 'see natter completion --help\n'],
  ['config lst', 'did you mean list? See natter config --help'],
  ['prompts list nope', 'to show a prompt file: natter prompts show nope\n'],
  ['models list nope', 'to show a model: natter models get nope\n'],
  ['prompts ls', 'natter prompts list\n'],
  ['prompts shw review', 'did you mean natter prompts show review?\n'],
  [
    'auth login --api-key x',
    'natter auth login asks for the key, or reads it from a file: natter auth login < key.txt\n',
  ],
  ['auth login --kye', 'see natter auth login --help\n'],
])('N13, N27, N29, N33, S6: natter %s has the hint: %s', async (line, hint) => {
  expectFailure(await runInMemory(line.split(' ')), 2, `\n  ${hint}`);
});

// N28: -t is a template in other clients, but not with a number.
test.each([
  ['0', ['-t', '0', 'hi']],
  ['-1', ['-t', '-1', 'hi']],
  ['2k', ['-t', '2k', 'hi']],
  ['a word for a batch', ['batch', '-', '-t', 'abc']],
])('N28: -t with %s has no hint of templates', async (_, words) => {
  const result = await runInMemory(['--sandbox', ...words], { input: 'a line\n' });
  expectFailure(result, 2, '--max-tokens must be a whole number');
  expect(result.stderr).not.toContain('template');
});

test('N30: a home folder that is a file has no settings, which is no failure', async () => {
  const env = { HOME: '/dev/null', NATTER_BASE_URL: 'http://127.0.0.1:9' };
  expectFailure(await runInMemory(['--no-save', 'hi'], { env }), 10, 'cannot reach 127.0.0.1:9');
});

test('a field that the sandbox does not take is refused with a hint', async () => {
  expectFailure(
    await runInMemory(['--sandbox', '--param', 'temperature=0', 'hi']),
    7,
    'unsupported parameter: "temperature"',
    '\n  leave out the --param that sets it, or natter config unset params.<name>; the sandbox takes only model, messages, stream and max_tokens, other servers take more\n',
  );
});
