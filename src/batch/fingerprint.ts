import { hash } from 'node:crypto';
import type { Message } from '../client/contract.ts';

/**
 * 64 bits of a hash, in 16 hexadecimal digits: enough to distinguish the items of a batch, and small enough for a million
 * of them.
 */
export function fingerprint(text: string): string {
  return hash('sha256', text).slice(0, 16);
}

/** Fingerprint of an id and messages, system prompt included. Model and limits may change between runs. */
export function promptFingerprint(id: string | undefined, messages: readonly Message[]): string {
  return fingerprint(JSON.stringify([id ?? null, messages]));
}

/** Reads a fingerprint; undefined for anything but 16 hexadecimal digits. */
export const readFingerprint = (text: unknown): string | undefined =>
  typeof text === 'string' && /^[\da-f]{16}$/.test(text) ? text : undefined;
