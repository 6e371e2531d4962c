import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { expectNoSecret, secretKey } from '../../support/secret.ts';
import { checksOf, environmentOf } from './run-doctor.ts';

test('without a service the check fails, and nothing else does', async () => {
  const { failure, page } = await checksOf([], { environment: environmentOf() });
  expect(failure).toMatchObject({ kind: 'configuration' });
  const failed = page.checks.filter(({ outcome }) => outcome === 'failed');
  expect(failed.map(({ check }) => check)).toEqual(['service']);
  expect(failed[0]?.advice).toContain('natter auth login');
});

function withSettings(settings: object, more: Readonly<Record<string, string>> = {}) {
  const environment = environmentOf(more);
  mkdirSync(environment.NATTER_CONFIG_DIR);
  const file = join(environment.NATTER_CONFIG_DIR, 'config.json');
  writeFileSync(file, JSON.stringify(settings));
  return environment;
}

test('unknown keys and broken profiles are warnings that name the profile', async () => {
  const environment = withSettings({
    version: 1,
    theme: 'dark',
    profiles: { default: { modle: 'nextgen' }, work: { retries: 'many' } },
  });
  const { page } = await checksOf(['--offline'], { environment });
  const warnings = page.checks.filter(({ outcome }) => outcome === 'warning');
  expect(warnings.map(({ text }) => text)).toEqual([
    '"theme" in config.json is not a setting and has no effect',
    '"modle" in profile default is not a setting and has no effect',
    'retries in profile work must be a whole number from 0 to 100',
  ]);
  expect(warnings[1]?.advice).toContain('did you mean model?');
});

test('values that may be private are not shown', async () => {
  const environment = withSettings({
    version: 1,
    profiles: {
      default: {
        system: 'the private prompt',
        params: { user: 'alice' },
        headers: { 'x-team': 'blue-team', 'x-api-token': 'nk-private-0001' },
      },
    },
  });
  chmodSync(join(environment.NATTER_CONFIG_DIR, 'config.json'), 0o644);
  const { page, named } = await checksOf(['--offline'], { environment });
  const text = JSON.stringify(page);
  for (const value of ['the private prompt', 'alice', 'blue-team', 'nk-private']) {
    expect(text).not.toContain(value);
  }
  expect(text).toContain('system: 18 characters (profile default)');
  expect(named('settings-file')?.text).toContain('which has a secret header');
});

test.each([
  ['a damaged settings file', '{', 'configuration'],
  [
    'a bad value in the profile in use',
    '{"profiles":{"default":{"timeout":"soon"}}}',
    'configuration',
  ],
])('%s fails with what to do, and the other checks run', async (_, text, kind) => {
  const environment = environmentOf({ NATTER_BASE_URL: 'http://127.0.0.1:1' });
  mkdirSync(environment.NATTER_CONFIG_DIR);
  writeFileSync(join(environment.NATTER_CONFIG_DIR, 'config.json'), text);
  const { failure, page } = await checksOf([], { environment });
  expect(failure).toMatchObject({ kind });
  expect(page.checks.some(({ section }) => section === 'files')).toBe(true);
  expect(page.checks.some(({ section }) => section === 'service')).toBe(false);
});

test('a data folder that is a file fails as storage, and others that are open to all are a warning', async () => {
  const environment = environmentOf();
  writeFileSync(environment.NATTER_DATA_DIR, '');
  mkdirSync(environment.NATTER_STATE_DIR);
  chmodSync(environment.NATTER_STATE_DIR, 0o777);
  const { failure, named } = await checksOf(['--sandbox', '--offline'], { environment });
  expect(failure).toMatchObject({ kind: 'storage' });
  expect(named('data-folder')?.text).toContain('part of its path is not a folder');
  expect(named('state-folder')).toMatchObject({ outcome: 'warning' });
  expect(named('state-folder')?.text).toContain('(mode 0777)');
});

test("a variable that is almost one of natter's is a warning", async () => {
  const { named } = await checksOf(['--offline'], {
    environment: environmentOf({ NATTER_MODLE: 'x' }),
  });
  expect(named('variable')).toMatchObject({
    outcome: 'warning',
    text: 'natter reads no variable NATTER_MODLE',
  });
  expect(named('variable')?.advice).toContain('did you mean NATTER_MODEL?');
});

test('what is wrong with the variables of certificates and proxies is shown without a password', async () => {
  const environment = environmentOf({
    NATTER_BASE_URL: 'https://service.test',
    NATTER_API_KEY: secretKey,
    HTTPS_PROXY: `http://alice:${encodeURIComponent(secretKey)}@127.0.0.1:1`,
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
    NODE_EXTRA_CA_CERTS: '/no/such/file.pem',
  });
  const { page, failure, named } = await checksOf([], { environment });
  expect(failure).toMatchObject({ kind: 'unreachable' });
  const texts = page.checks.filter(({ check }) => check === 'variable').map(({ text }) => text);
  expect(texts).toEqual([
    'NODE_TLS_REJECT_UNAUTHORIZED is 0: certificates are not verified',
    'NODE_EXTRA_CA_CERTS: cannot read /no/such/file.pem: there is no such file or folder',
  ]);
  expect(named('rest')?.text).toBe('no request was sent');
  expectNoSecret(JSON.stringify(page));
});

test('a recording is not a service', async () => {
  const { named } = await checksOf([], {
    environment: environmentOf({
      NATTER_BASE_URL: 'http://127.0.0.1:1',
      NATTER_REPLAY: 'tape.jsonl',
    }),
  });
  expect(named('offline')?.text).toBe('the service was not checked: answers are from a recording');
});
