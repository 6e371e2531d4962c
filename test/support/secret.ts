import { expect } from 'vitest';

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
