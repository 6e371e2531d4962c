import path from 'node:path';
import { Failure } from '../../failure.ts';

const pattern = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,99}$/u;

/** @throws Failure `usage` */
export function checkBatchName(name: string): string {
  if (pattern.test(name)) return name;
  throw new Failure(
    'usage',
    '--batch must be a name of letters, digits, dots, hyphens and underscores, at most 100',
    { hint: 'for example: --batch reviews-2' },
  );
}

/**
 * The name of a batch: that of `--batch`, else the name of its file without folder and extension.
 * @param file undefined or `-` for standard input
 * @throws Failure `usage`
 */
export function batchNameOf(option: string | undefined, file: string | undefined): string {
  if (option !== undefined) return checkBatchName(option);
  if (file === undefined || file === '-') {
    throw new Failure('usage', 'standard input gives the batch no name', {
      hint: 'add --batch NAME',
    });
  }
  const { name } = path.parse(file);
  const cleaned = name.replaceAll(/[^\p{L}\p{N}._-]+/gu, '-').replace(/^[._-]+/, '');
  return pattern.test(cleaned) ? cleaned : checkBatchName(cleaned.slice(0, 100) || '-');
}

/** Replaces lone surrogates, which cannot be percent-encoded. */
const wellFormed = (text: string) => Buffer.from(text).toString();

/** The job of an item: from its id, else from its index, because BullMQ refuses plain numbers and most colons. */
export function jobIdOf({
  id,
  index,
}: {
  readonly id: string | undefined;
  readonly index: number;
}) {
  return id === undefined ? `item-${index}` : `id-${encodeURIComponent(wellFormed(id))}`;
}
