import type { Range } from '../secret-filter.ts';
import { findAssignments, findUserInfo } from './assignments.ts';
import { findPrivateKeys } from './private-keys.ts';
import { findTokens } from './token-shapes.ts';

/** A secret in a text, or what looks like one. */
export interface FoundSecret extends Range {
  /** For people, as in `a GitHub token`. */
  readonly kind: string;
}

const ownKey = "natter's key";

/** Documents show such tokens. */
const isExample = (token: string) => /EXAMPLE|x{6}|(.)\1{7}/i.test(token);

function* findAll(
  text: string,
  findOwn: (text: string) => readonly Range[],
): Generator<FoundSecret, void> {
  for (const range of findOwn(text)) yield { kind: ownKey, ...range };
  for (const range of findPrivateKeys(text)) yield { kind: 'private key', ...range };
  for (const { name, start, end } of findTokens(text)) {
    if (!isExample(text.slice(start, end))) yield { kind: name, start, end };
  }
  for (const range of findUserInfo(text)) yield { ...range, kind: 'password in a URL' };
  for (const range of findAssignments(text)) yield { ...range, kind: 'password or key' };
}

/**
 * The secrets in a text in their order, without overlaps, in linear time.
 * @param findOwn finds natter's own secrets
 */
export function findSecrets(
  text: string,
  findOwn: (text: string) => readonly Range[] = () => [],
): readonly FoundSecret[] {
  const all = [...findAll(text, findOwn)];
  // The sort is stable, so the more certain kind wins.
  const ordered = all.toSorted((one, other) => one.start - other.start);
  const kept: FoundSecret[] = [];
  for (const found of ordered) {
    const last = kept.at(-1);
    if (last === undefined || last.end <= found.start) kept.push(found);
    else if (last.end < found.end) kept[kept.length - 1] = { ...last, end: found.end };
  }
  return kept;
}
