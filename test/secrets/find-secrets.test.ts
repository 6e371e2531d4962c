import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findSecrets } from '../../src/secrets/find-secrets.ts';
import { random } from '../support/secret.ts';

const hex = (length: number) => random(length, '0123456789abcdef');
const capitals = (length: number) => random(length, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567');

const joined = (...parts: readonly string[]) => parts.join('');

const tokens: readonly (readonly [kind: string, token: string])[] = [
  ['AWS access key', joined('AK', 'IA', capitals(16))],
  ['AWS access key', joined('AS', 'IA', capitals(16))],
  ['GitHub token', joined('gh', 'p_', random(36))],
  ['GitHub token', joined('gh', 's_', random(36))],
  ['GitHub token', joined('github', '_pat_', random(22), '_', random(59))],
  ['GitLab token', joined('gl', 'pat-', random(20))],
  ['GitLab token', joined('gl', 'rt-', random(20))],
  ['Slack token', joined('xo', 'xb-', '123456789012-', random(24))],
  ['Slack token', joined('xa', 'pp-1-', random(40))],
  ['Stripe key', joined('sk', '_live_', random(24))],
  ['Stripe key', joined('rk', '_live_', random(24))],
  ['Stripe key', joined('sk', '_test_', random(24))],
  ['Stripe webhook secret', joined('wh', 'sec_', random(32))],
  ['OpenAI key', joined('sk', '-proj-', random(48))],
  ['API key', joined('sk', '-', random(48))],
  ['Anthropic key', joined('sk', '-ant-', 'api03-', random(80))],
  ['OpenRouter key', joined('sk', '-or-v1-', hex(64))],
  ['Google API key', joined('AI', 'za', random(35))],
  ['Google OAuth secret', joined('GOC', 'SPX-', random(28))],
  ['npm token', joined('np', 'm_', random(36))],
  ['PyPI token', joined('py', 'pi-AgE', random(60))],
  ['Hugging Face token', joined('h', 'f_', random(34))],
  ['SendGrid key', joined('S', 'G.', random(22), '.', random(43))],
  ['Vault token', joined('hv', 's.', random(24))],
  ['DigitalOcean token', joined('do', 'p_v1_', hex(64))],
  ['Docker token', joined('dckr', '_pat_', random(27))],
  ['Databricks token', joined('da', 'pi', hex(32))],
  ['Shopify token', joined('shp', 'at_', hex(32))],
  ['Linear key', joined('lin', '_api_', random(40))],
  ['Groq key', joined('g', 'sk_', random(52))],
  ['xAI key', joined('x', 'ai-', random(80))],
  ['JSON Web Token', joined('ey', 'J', random(30), '.ey', 'J', random(40), '.', random(43))],
];

const shapesIn = (text: string) =>
  findSecrets(text).map(({ kind, start, end }) => [kind, text.slice(start, end)]);

test.each(tokens)('a %s is found wherever it is', (kind, token) => {
  const expected = [[kind, token]];
  for (const text of [
    token,
    `use ${token}, please`,
    `curl -H "X-Key: ${token}" https://api.example.com`,
    `<a href="https://x.example/?k=${token}&b=1">`,
    `{"log":"key:\\n${token}\\n"}`,
    `${'word '.repeat(500)}${token}${' word'.repeat(500)}`,
  ]) {
    expect(shapesIn(text)).toEqual(expected);
  }
});

test.each(tokens)('a %s in the middle of a longer word is none', (_, token) => {
  expect(shapesIn(`abc_${token}`).filter(([kind]) => kind !== 'password or key')).toEqual([]);
});

const body = Array.from({ length: 6 }, () => random(64)).join('\n');
const pem = (type: string) => `-----BEGIN ${type}-----\n${body}\n-----END ${type}-----`;

test.each(['RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED ', 'DSA ', ''])(
  'a %sprivate key is found with its header and its footer',
  (type) => {
    const key = pem(joined(type, 'PRIVATE', ' KEY'));
    expect(shapesIn(`first\n${key}\nlast`)).toEqual([['private key', key]]);
    const escaped = key.replaceAll('\n', String.raw`\n`);
    expect(shapesIn(`{"private_key":"${escaped}"}`)).toEqual([['private key', escaped]]);
  },
);

test('a private key of PGP and one without its footer are found', () => {
  const pgp = pem(joined('PGP PRIVATE', ' KEY BLOCK'));
  expect(shapesIn(pgp)).toEqual([['private key', pgp]]);
  const cut = pem(joined('PRIVATE', ' KEY')).split('\n-----END')[0] ?? '';
  expect(shapesIn(cut)).toEqual([['private key', cut]]);
});

test('certificates, public keys and headers without a key are not secrets', () => {
  expect(shapesIn(pem('CERTIFICATE') + pem('PUBLIC KEY'))).toEqual([]);
  const header = joined('-----BEGIN PRIVATE', ' KEY-----');
  expect(shapesIn(`if (text.startsWith("${header}")) return parse(text);`)).toEqual([]);
});

test.each([
  ['DB_PASSWORD=', 'hJ8#kLm2pQ9!'],
  ['password: ', 'Tr0ub4dor&3x'],
  ['  "apiKey": "', random(24)],
  ["client_secret = '", random(32)],
  ['aws_secret_access_key = ', random(40)],
  ['Authorization: Bearer ', random(40)],
  ['export AUTH_TOKEN=', random(24)],
  ['AccountKey=', `${random(40)}==`],
  ['passphrase => "', 'k3!vB8#nQ1$x'],
])('a password after %s is found', (before, secret) => {
  const quote = /["']$/.exec(before)?.[0] ?? '';
  expect(shapesIn(`a: 1\n${before}${secret}${quote}\nb: 2`)).toEqual([['password or key', secret]]);
});

test('a password in a URL is found', () => {
  const secret = 'k3vB8nQ1x!7';
  const text = `DATABASE_URL=postgres://ada:${secret}@db.internal:5432/app`;
  expect(shapesIn(text)).toEqual([['password in a URL', secret]]);
});

test.each([
  'password = process.env.DB_PASSWORD2',
  'const token = parser.nextToken2();',
  'api_key: ${API_KEY_2024}',
  'apiKey: "your-api-key-here-123"',
  'password: "changeme1234"',
  'token = "xxxxxxxxxxxx1234"',
  'secret: example-secret-123456',
  'postgres://user:password@localhost/app',
  'https://example.com/a:b@c',
  '"integrity": "sha512-aB3dE5gH7jK9mN2pQ4sT6vW8xY1zA0cR=="',
  'tokens: 123456789012',
  'tokenize(input12345678, options)',
  '--password hunter2',
  // Documented examples.
  joined('AK', 'IA', 'IOSFODNN7', 'EXAMPLE'),
  joined('gh', 'p_', 'x'.repeat(36)),
])('%s is not a secret', (text) => {
  expect(shapesIn(text)).toEqual([]);
});

test("natter's own secrets win, and overlapping secrets are one", () => {
  const token = joined('gh', 'p_', random(36));
  const text = `token=${token}`;
  const own = () => [{ start: 6, end: text.length }];
  expect(findSecrets(text, own)).toMatchObject([{ kind: "natter's key", start: 6 }]);
  expect(shapesIn(text)).toEqual([['GitHub token', token]]);
});

test('long values of digits and letters are searched in linear time', () => {
  const value = `${'12'.repeat(50)}${'ab'.repeat(48)}`;
  // In cubic time, this would take more than 20 seconds.
  expect(shapesIn(`password=${value}\n`.repeat(15_000))).toEqual([]);
});

const isText = /\.(?:[cm]?[jt]sx?|md|json|ya?ml|sh|txt)$/;

/** `file: kind`, without the text that was found. */
const findingsIn = (folders: readonly string[]) =>
  folders
    .flatMap((folder) => readdirSync(folder, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && isText.test(entry.name))
    .flatMap(({ parentPath, name }) => {
      const found = findSecrets(readFileSync(join(parentPath, name), 'utf8'));
      return found.map(({ kind }) => `${name}: ${kind}`);
    });

test("nothing in natter's own code and guides counts as a secret", () => {
  expect(findingsIn(['src', 'docs', 'scripts', 'bin', 'man', 'bench'])).toEqual([]);
  // Names of styles in a highlighter.
  expect(findingsIn(['node_modules/@codemirror/legacy-modes'])).toEqual([]);
});

/** They have 22 MB of text; the tests of zod contain JSON Web Tokens. */
const packages = 'commander marked openai postcss react typescript undici vite yaml zod'.split(' ');

test('the text of ten well-known packages has almost no secret', () => {
  const found = findingsIn(packages.map((name) => join('node_modules', name)));
  expect(found.filter((finding) => !finding.endsWith('JSON Web Token'))).toEqual([]);
  expect(found.length).toBeLessThan(5);
});
