import fs from 'node:fs';
import { Failure } from '../../../failure.ts';
import { failureReason } from '../../../storage/storage-failure.ts';

/** @throws Failure `usage` */
export function refuseExisting(name: string): void {
  if (!fs.existsSync(name)) return;
  throw new Failure('usage', `${name} already exists`, {
    hint: 'use a different name, or --force to replace it',
  });
}

/** The failure for a file that cannot be written. */
export function cannotWrite(name: string, error: unknown): Failure {
  if (error instanceof Failure) return error;
  return new Failure('storage', `cannot write ${name}: ${failureReason(error)}`, { cause: error });
}
