import { Failure } from '../../failure.ts';
import { isReservedName } from '../../storage/file-name.ts';
import { failureReason } from '../../storage/storage-failure.ts';

/** @throws Failure `usage` for a name that Windows would write to a device */
export function refuseReservedName(name: string, platform: NodeJS.Platform): void {
  if (!isReservedName(name, platform)) return;
  throw new Failure('usage', `${name} is a device name on Windows`, {
    hint: 'choose another name',
  });
}

/** The failure for a file from the command line that cannot be read. */
export function cannotRead(name: string, error: unknown): Failure {
  return new Failure('usage', `cannot read ${name}: ${failureReason(error)}`, { cause: error });
}
