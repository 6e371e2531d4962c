import { expect, test } from 'vitest';
import { runInMemory } from '../support/in-memory.ts';
import { serviceAt } from '../support/natter.ts';
import { chunk, delta, response, streamed, streamHead } from '../support/raw-replies.ts';
import { fin, type Reply, reset } from '../support/raw-server.ts';
import { serve } from '../support/serve.ts';

const answered: Reply = [streamed('the ', 'answer')];
const status = (code: number, headers: Readonly<Record<string, string>> = {}): Reply => [
  response(code, headers),
];

test('R2 natter waits at least as long as Retry-After', async () => {
  const times: number[] = [];
  const note = () => times.push(performance.now());
  const server = await serve([
    [note, ...status(429, { 'retry-after': '1' })],
    [note, ...answered],
  ]);
  const { code, stdout } = await runInMemory(['hi'], { env: serviceAt(server) });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'the answer\n' });
  const [first = 0, second = 0] = times;
  expect(second - first).toBeGreaterThanOrEqual(1000);
});

test.each([
  ['120', /Retry-After is 2 minutes, until /],
  ['7200', /Retry-After is 2 hours, until /],
  ['999999999999', /Retry-After is more than a year/],
])('R9 a Retry-After of %s is reported without waiting', async (seconds, message) => {
  const server = await serve([status(429, { 'retry-after': seconds }), answered]);
  const { code, stdout, stderr } = await runInMemory(['hi'], { env: serviceAt(server) });
  expect({ code, stdout }).toEqual({ code: 8, stdout: '' });
  expect(stderr).toMatch(message);
  expect(server.requests).toHaveLength(1);
});

test('R9 --retry-max-wait is the limit', async () => {
  const server = await serve([status(429, { 'retry-after': '2' }), answered]);
  const words = ['--retry-max-wait', '1s', 'hi'];
  const { code, stderr } = await runInMemory(words, { env: serviceAt(server) });
  expect(code).toBe(8);
  expect(stderr).toMatch(/Retry-After is 2 seconds/);
  expect(server.requests).toHaveLength(1);
});

test('R12 after two failures the answer is printed once, and R31 standard error reports each retry', async () => {
  const failed = status(500, { 'retry-after': '0' });
  const server = await serve([failed, failed, answered]);
  const { code, stdout, stderr } = await runInMemory(['hi'], { env: serviceAt(server) });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'the answer\n' });
  expect(stderr.trimEnd().split('\n')).toEqual([
    expect.stringContaining('retry 1 of 4'),
    expect.stringContaining('retry 2 of 4'),
  ]);
  const bodies = server.requests.map(({ body }) => body);
  expect(new Set(bodies).size).toBe(1);
});

test.each([
  ['2', 3],
  ['0', 1],
])(
  'R13 R27 --retries %s makes %i requests to a service that keeps failing',
  async (retries, count) => {
    const server = await serve([status(500, { 'retry-after': '0' })]);
    const words = ['--retries', retries, 'hi'];
    const { code, stdout } = await runInMemory(words, { env: serviceAt(server) });
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' });
    expect(server.requests).toHaveLength(count);
  },
);

test('R15 a refusal that would be repeated is not retried', async () => {
  const server = await serve([status(400), answered]);
  expect((await runInMemory(['hi'], { env: serviceAt(server) })).code).toBe(7);
  expect(server.requests).toHaveLength(1);
});

test('R17 a refused connection fails at once, with host and port', async () => {
  const server = await serve([answered]);
  await server.stop();
  const { code, stderr } = await runInMemory(['hi'], { env: serviceAt(server) });
  expect(code).toBe(10);
  expect(stderr).toContain(`cannot reach 127.0.0.1:${server.port}: the connection was refused`);
  expect(stderr).not.toContain('retry');
});

test.each([
  ['closed', fin],
  ['reset', reset],
] as const)('R18 a connection %s before the response is retried', async (_name, ending) => {
  const server = await serve([[ending], answered]);
  const { code, stdout, stderr } = await runInMemory(['hi'], { env: serviceAt(server) });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'the answer\n' });
  expect(stderr).toMatch(
    /closed the connection before the response.*retry 1 of 4|retry 1 of 4.*closed/,
  );
});

test('R21 an answer cut after its first text is not retried', async () => {
  const server = await serve([[streamHead(), chunk(delta('the ')), fin], answered]);
  const { code, stdout, stderr } = await runInMemory(['hi'], { env: serviceAt(server) });
  expect({ code, stdout }).toEqual({ code: 11, stdout: 'the \n' });
  expect(stderr).toMatch(/the answer is incomplete/);
  expect(server.requests).toHaveLength(1);
});

test('R22 an answer cut before its first text is retried, without duplicate text', async () => {
  const server = await serve([[streamHead(), chunk(': hello\n\n'), fin], answered]);
  const { code, stdout } = await runInMemory(['hi'], { env: serviceAt(server) });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'the answer\n' });
  expect(server.requests).toHaveLength(2);
});

test('R26 --timeout limits all retries together', async () => {
  const server = await serve([status(503)]);
  const words = ['--retries', '100', '--timeout', '1s', 'hi'];
  const { code, stderr } = await runInMemory(words, { env: serviceAt(server) });
  expect(code).toBe(10);
  expect(stderr).toMatch(
    /the answer was not complete within 1 second; the last attempt failed: .*503/,
  );
  // The waits grow: a hundred retries would take many minutes.
  expect(server.requests.length).toBeLessThan(20);
});

test('R30 an untrusted certificate is not retried, and the hint names the remedy', async () => {
  const server = await serve([answered], { tls: true });
  const { code, stderr } = await runInMemory(['hi'], { env: serviceAt(server) });
  expect(code).toBe(10);
  expect(stderr).toMatch(/certificate of .* is signed by an authority unknown to this machine/);
  expect(stderr).toMatch(/NODE_EXTRA_CA_CERTS/);
  expect(stderr).not.toContain('retry');
  expect(server.requests).toHaveLength(0);
});

test('R31 --quiet does not report retries', async () => {
  const server = await serve([status(500, { 'retry-after': '0' }), answered]);
  const result = await runInMemory(['--quiet', 'hi'], { env: serviceAt(server) });
  expect(result).toMatchObject({ code: 0, stdout: 'the answer\n', stderr: '' });
});
