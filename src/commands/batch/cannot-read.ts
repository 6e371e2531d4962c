import { Failure } from '../../failure.ts';
import { failureReason } from '../../storage/storage-failure.ts';

/** The failure of a file that the person named. */
export function cannotRead(name: string, error: unknown): Failure {
  return new Failure('usage', `cannot read ${name}: ${failureReason(error)}`, { cause: error });
}
