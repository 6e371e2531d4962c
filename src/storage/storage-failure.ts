import { Failure } from '../failure.ts';

const reasons: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied, or another program has it open'],
  ['EBUSY', 'another program has it open'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is exhausted'],
  ['EROFS', 'the file system is read-only'],
  ['ENOTDIR', 'part of its path is not a folder'],
  ['EISDIR', 'it is a folder'],
  ['ELOOP', 'its symbolic links form a loop'],
  ['EFBIG', 'the maximum file size is reached'],
  ['ENOENT', 'there is no such file or folder'],
  ['EMFILE', 'too many files are open'],
]);

/** Returns the system's code of a failed call, such as `ENOENT`; undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Says why a call failed, as the end of a message such as `cannot write notes.txt: …`. */
export function failureReason(error: unknown): string {
  if (error instanceof Failure) return error.message;
  const code = errorCode(error) ?? 'unknown error';
  return reasons.get(code) ?? code;
}

/** The failure of a file of natter. @param variable the environment variable that sets the folder of the file */
export function storageFailure(
  action: 'read' | 'write',
  path: string,
  cause: unknown,
  variable?: string,
): Failure {
  const elsewhere = variable === undefined ? '' : `, or set ${variable} to another folder`;
  // What Windows reports for a file that another program has open; elsewhere, mostly missing permissions.
  const isOpen = ['EBUSY', 'EPERM'].includes(errorCode(cause) ?? '');
  const close = isOpen ? 'close other programs that use it, or ' : '';
  return new Failure('storage', `cannot ${action} ${path}: ${failureReason(cause)}`, {
    hint: `${close}check the path and its permissions${elsewhere}`,
    cause,
  });
}

/** The failure for a file from the command line that cannot be read. */
export function cannotRead(name: string, error: unknown): Failure {
  return new Failure('usage', `cannot read ${name}: ${failureReason(error)}`, { cause: error });
}
