import { Failure } from '../../../failure.ts';

const mostAttempts = 100;
const mostPerMinute = 1_000_000;
const mostTokens = 999_999_999;

function parseWhole(text: string, option: string, least: number, most: number): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Failure('usage', `${option} must be a whole number from ${least} to ${most}`);
}

/** @throws Failure `usage` */
export function parseAttempts(text: string): number {
  return parseWhole(text, '--attempts', 1, mostAttempts);
}

/** Requests a minute. @throws Failure `usage` */
export function parseRate(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseWhole(text, '--rpm', 1, mostPerMinute);
}

/** Tokens a minute. @throws Failure `usage` */
export function parseTokens(text: string | undefined): number | undefined {
  return text === undefined ? undefined : parseWhole(text, '--tpm', 1, mostTokens);
}
