import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { binary, cleanEnvironment, runNatter } from '../support/natter.ts';
import { startProxy } from '../support/proxy-server.ts';
import { streamed } from '../support/raw-replies.ts';
import { certificatePath } from '../support/raw-server.ts';
import { serve } from '../support/serve.ts';
import { blocksOf } from '../support/guide-blocks.ts';

const guide = readFileSync('docs/servers.md', 'utf8');
const service = 'api.example.com';
const proxyHost = 'http://proxy.example.com:3128';
const inGuide = (text: string) =>
  text.replaceAll(/127\.0\.0\.1(?::\d+)?/g, (host) =>
    host.includes(':') ? `${service}:443` : service,
  );

test.each([
  ['server.pem', {}],
  ['self-signed.pem', {}],
  ['expired.pem', {}],
  ['other-name.pem', { NODE_EXTRA_CA_CERTS: certificatePath('other-name.pem') }],
])('the guide has the message for %s', async (certificate, trust) => {
  const server = await serve([], { tls: true, certificate });
  const env = { NATTER_BASE_URL: server.url, ...trust };
  const { code, stderr } = await runNatter(['hello'], { env });
  expect(code).toBe(10);
  const [first = ''] = inGuide(stderr).split('\n');
  expect(guide).toContain(`\`${first.replace('natter: the TLS certificate of ', '')}\``);
});

test.each([407, 403])('the guide has the message for a proxy that answers %i', async (refusal) => {
  const proxy = await startProxy({ upstream: 1, refusal });
  const env = { NATTER_BASE_URL: `https://${service}`, HTTPS_PROXY: proxy.url };
  const { stderr } = await runNatter(['hello'], { env });
  const [first = ''] = stderr.replaceAll(proxy.url, proxyHost).split('\n');
  expect(guide).toContain(`\`${first.replace('natter: ', '')}\``);
});

/** The lines of the block on certificates, as variables. */
const exports = blocksOf('servers.md', guide)
  .filter(({ testedBy }) => testedBy !== undefined)
  .flatMap(({ text }) => [...text.matchAll(/^export (?<name>\w+)=(?<value>\S+)/gm)])
  .map(({ groups }) => ({ name: groups?.['name'] ?? '', value: groups?.['value'] ?? '' }));

/** Node 20, and 22 before 22.15, refuse the option. */
const hasSystemStore = process.allowedNodeEnvironmentFlags.has('--use-system-ca');
const usable = exports.filter(({ value }) => value !== '--use-system-ca' || hasSystemStore);

test.each(usable)('$name=$value makes natter trust a company certificate', async (variable) => {
  const server = await serve([[streamed('Hello')]], { tls: true });
  const authority = certificatePath('authority.pem');
  const value = variable.name === 'NODE_EXTRA_CA_CERTS' ? authority : variable.value;
  const env = { NATTER_BASE_URL: server.url, SSL_CERT_FILE: authority, [variable.name]: value };
  expect(await runNatter(['hello'], { env })).toMatchObject({ code: 0, stdout: 'Hello\n' });
});

test('the guide has three ways to trust a certificate', () => {
  expect(exports.map(({ value }) => value)).toEqual([
    '/etc/ssl/company-ca.pem',
    '--use-system-ca',
    '--use-openssl-ca',
  ]);
});

test('the first command of the guide uses the proxy', async () => {
  const server = await serve([[streamed('Hello')]], { tls: true });
  const proxy = await startProxy({ upstream: server.port });
  const [line = ''] = /^HTTPS_PROXY=.*natter .*$/m.exec(guide) ?? [];
  const command = line
    .replace(proxyHost, proxy.url)
    .replace('natter', `"${process.execPath}" "${binary}"`);
  const env = cleanEnvironment({
    NATTER_BASE_URL: `https://${service}`,
    NODE_TLS_REJECT_UNAUTHORIZED: '0',
  });
  // The servers of this process answer only while it does not wait.
  const { stdout } = await new Promise<{ stdout: string }>((settle, reject) => {
    execFile('/bin/sh', ['-c', command], { env }, (error, out) =>
      error === null ? settle({ stdout: out }) : reject(error),
    ).stdin?.end();
  });
  expect(stdout).toBe('Hello\n');
  expect(proxy.requests).toMatchObject([{ method: 'CONNECT', target: `${service}:443` }]);
});
