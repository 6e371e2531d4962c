import { expect } from 'vitest';

const letters = 'aB3dE5gH7jK9mN2pQ4sT6vW8xY1zA0cR';

/** Characters without a pattern. Built here, because code hosts refuse files with key-shaped texts. */
export function random(length: number, alphabet = letters): string {
  let state = length;
  const next = () => {
    state = Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x6d2b79f5;
    return (state ^ (state >>> 13)) >>> 4;
  };
  return Array.from({ length }, () => alphabet[next() % alphabet.length]).join('');
}

export const githubToken = ['gh', 'p_', random(36)].join('');

/** A private key in PEM. */
export function privateKey(): string {
  const body = Array.from({ length: 6 }, (_, line) => random(64 - line)).join('\n');
  const name = ['RSA PRIVATE', ' KEY'].join('');
  return `-----BEGIN ${name}-----\n${body}\n-----END ${name}-----`;
}

/** A key with characters that differ in every encoding. */
export const secretKey = 'nk-4/Zx9+Qw7==TopSecret';

const bytes = Buffer.from(secretKey);

/** Forms in which a server could send the key back. */
export const secretForms: readonly string[] = [
  secretKey,
  encodeURIComponent(secretKey),
  encodeURIComponent(secretKey).replaceAll(/%../g, (code) => code.toLowerCase()),
  bytes.toString('base64'),
  bytes.toString('base64url'),
];

/** The part of each form that does not depend on the surrounding text. */
const traces = secretForms.map((form) =>
  form.includes('TopSecret') ? 'TopSecret' : form.slice(12, -4),
);

export function expectNoSecret(...texts: readonly string[]): void {
  for (const text of texts) {
    for (const trace of traces) expect(text).not.toContain(trace);
  }
}

/** The mask of a client without secrets. */
export const unmasked = (text: string) => text;

const beforeEcho = 'it is dark: ';

/** A sentence of a service with every form of the key. */
export const keyEcho = `${beforeEcho}${secretForms.join(' ')}, thank you`;

/** That sentence with the key masked. */
export const maskedEcho = /^it is dark: (?:\S{0,12}\*\*\*\S{0,3} ?)+, thank you\n?$/;

/** The sentence in pieces of five characters. */
export const echoDeltas = keyEcho.match(/.{1,5}/gs) ?? [];
