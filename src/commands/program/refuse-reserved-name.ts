import { Failure } from '../../failure.ts';
import { isReservedName } from '../../storage/reserved-name.ts';

/** Windows would write to a device. @throws Failure `usage` */
export function refuseReservedName(name: string, platform: NodeJS.Platform): void {
  if (!isReservedName(name, platform)) return;
  throw new Failure('usage', `Windows keeps the name ${name} for a device`, {
    hint: 'choose another name',
  });
}
