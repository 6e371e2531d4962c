import { Failure } from '../failure.ts';

const reasons: ReadonlyMap<string, string> = new Map([
  ['EACCES', 'permission denied'],
  ['EPERM', 'permission denied'],
  ['ENOSPC', 'the disk is full'],
  ['EDQUOT', 'the disk quota is used up'],
  ['EROFS', 'the file system is read-only'],
  ['ENOTDIR', 'part of its path is not a folder'],
  ['EISDIR', 'it is a folder'],
  ['ELOOP', 'its symbolic links form a circle'],
]);

/** The system's code of a failed call, such as `ENOENT`; undefined for any other error. */
export function errorCode(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** A failed read or write of a file, in plain words. */
export function storageFailure(action: 'read' | 'write', path: string, cause: unknown): Failure {
  const code = errorCode(cause) ?? 'unknown error';
  return new Failure('storage', `cannot ${action} ${path}: ${reasons.get(code) ?? code}`, {
    hint: 'check the path and its permissions, or set NATTER_CONFIG_DIR to another folder',
    cause,
  });
}
