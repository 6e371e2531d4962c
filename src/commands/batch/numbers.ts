import { Failure } from '../../failure.ts';

/** @throws Failure `usage` */
export function parseNumber(text: string, option: string, least: number, most: number): number {
  const value = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= least && value <= most) return value;
  throw new Failure('usage', `${option} must be a whole number from ${least} to ${most}`);
}

const maxRate = 1_000_000_000;

/** The value of `--rpm` or `--tpm`; undefined without the option. @throws Failure `usage` */
export function parseRate(text: string | undefined, option: '--rpm' | '--tpm'): number | undefined {
  return text === undefined ? undefined : parseNumber(text, option, 1, maxRate);
}
