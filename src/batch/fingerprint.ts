import { hash } from 'node:crypto';
import type { Message } from '../client/contract.ts';

/** 64 bits of a hash: enough to distinguish the items of a batch, and small enough for millions of them. */
export function fingerprint(text: string): bigint {
  return BigInt(`0x${hash('sha256', text, 'hex').slice(0, 16)}`);
}

/** Fingerprint of an id and messages, system prompt included. Model and limits may change between runs. */
export function promptFingerprint(id: string | undefined, messages: readonly Message[]): bigint {
  return fingerprint(JSON.stringify([id ?? null, messages]));
}

/** 16 hexadecimal digits, as in results. */
export function formatFingerprint(value: bigint): string {
  return value.toString(16).padStart(16, '0');
}

/** Undefined for anything but 16 hexadecimal digits. */
export function parseFingerprint(text: unknown): bigint | undefined {
  return typeof text === 'string' && /^[\da-f]{16}$/.test(text) ? BigInt(`0x${text}`) : undefined;
}
