import { expect, test } from 'vitest';
import { openRedaction } from '../../src/input/secret-guard.ts';
import { createSecrets } from '../../src/secrets/secrets.ts';
import { githubToken, privateKey, random } from '../support/secret.ts';

function setup() {
  let next = 0;
  return openRedaction({ random: () => (next += 0.0123), secrets: createSecrets({}) });
}

const other = ['gh', 's_', random(40)].join('');

test('each secret has a placeholder that names its kind, in all texts', () => {
  const { redact } = setup();
  const first = redact(`a ${githubToken} b ${other} c ${githubToken}`);
  const [, one, two, again] = /^a (\w+) b (\w+) c (\w+)$/.exec(first) ?? [];
  expect(one).toMatch(/^REDACTED_GITHUB_TOKEN_[0-9A-F]{6}$/);
  expect(two).not.toBe(one);
  expect(again).toBe(one);
  expect(redact(`x ${githubToken}`)).toBe(`x ${one}`);
});

test('restoring is the inverse of redacting', () => {
  const { redact, restoreText } = setup();
  const text = `$& ${githubToken}\n${privateKey()}\n${other}`;
  const redacted = redact(text);
  expect(redacted).not.toContain(githubToken.slice(0, 8));
  expect(restoreText(redacted)).toBe(text);
});

test('a stream restores a placeholder wherever it is cut', () => {
  const { redact, createStream } = setup();
  const text = `RED REDACTED_ ${githubToken}${other} ${privateKey()} R`;
  const many = redact(`${githubToken}\n${other}\n`.repeat(4)).replaceAll('\n', '');
  const answer = redact(text) + many;
  const whole = text + `${githubToken}${other}`.repeat(4);
  for (let size = 1; size <= answer.length; size += 1) {
    const stream = createStream();
    let shown = '';
    for (let at = 0; at < answer.length; at += size)
      shown += stream.write(answer.slice(at, at + size));
    expect(shown + stream.end()).toBe(whole);
  }
});

test('only text that may be a placeholder waits', () => {
  const { redact, createStream } = setup();
  const placeholder = redact(githubToken);
  const stream = createStream();
  expect(stream.write('an ordinary sentence. ')).toBe('an ordinary sentence. ');
  expect(stream.write(placeholder.slice(0, 12))).toBe('');
  expect(stream.write(' no')).toBe(`${placeholder.slice(0, 12)} no`);
  expect(stream.end()).toBe('');
});
