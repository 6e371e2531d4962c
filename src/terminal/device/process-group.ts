/** The group has ended. Of one whose last process is not collected yet, macOS reports EPERM. */
const endedCodes: ReadonlySet<unknown> = new Set(['ESRCH', 'EPERM']);

/** Sends a signal to every process of a group, unless it has ended. Not for Windows, which has no groups. */
export function signalGroup(id: number, signal: 'SIGTERM' | 'SIGKILL'): void {
  try {
    process.kill(-id, signal);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (!endedCodes.has(code)) throw error;
  }
}
