import { hash } from 'node:crypto';
import type { Message } from '../client/contract.ts';

/** 64 bits of a hash: enough to tell the items of one batch apart, and small enough to keep for millions. */
export function fingerprint(text: string): bigint {
  return BigInt(`0x${hash('sha256', text, 'hex').slice(0, 16)}`);
}

/** Of what an item asks: its id and its turns, the system prompt with them. Model and limits may change. */
export function promptFingerprint(id: string | undefined, messages: readonly Message[]): bigint {
  return fingerprint(JSON.stringify([id ?? null, messages]));
}

/** As results hold it: 16 hexadecimal digits. */
export function formatFingerprint(value: bigint): string {
  return value.toString(16).padStart(16, '0');
}

/** Undefined for anything else than what {@link formatFingerprint} gives. */
export function parseFingerprint(text: unknown): bigint | undefined {
  return typeof text === 'string' && /^[\da-f]{16}$/.test(text) ? BigInt(`0x${text}`) : undefined;
}
