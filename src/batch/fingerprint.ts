import { hash } from 'node:crypto';
import type { Message } from '../client/contract.ts';

/** 64 bits of a hash: enough to tell the items of one batch apart, and small enough to keep for millions. */
export function fingerprint(text: string): bigint {
  return BigInt(`0x${hash('sha256', text, 'hex').slice(0, 16)}`);
}

/** Hash of an id and messages, system prompt included. Model and limits may change. */
export function promptFingerprint(id: string | undefined, messages: readonly Message[]): bigint {
  return fingerprint(JSON.stringify([id ?? null, messages]));
}

/** 16 hexadecimal digits, as in results. */
export function formatFingerprint(value: bigint): string {
  return value.toString(16).padStart(16, '0');
}

/** Undefined for text not made by {@link formatFingerprint}. */
export function parseFingerprint(text: unknown): bigint | undefined {
  return typeof text === 'string' && /^[\da-f]{16}$/.test(text) ? BigInt(`0x${text}`) : undefined;
}
