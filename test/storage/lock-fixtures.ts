import { utimesSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import {
  type HeldLock,
  holdLock,
  type LockOptions,
  type Machine,
  type ProcessFacts,
} from '../../src/storage/lock.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { folderOf } from '../support/folder.ts';

export const newLockPath = () => path.join(folderOf(), 'lock');

/** Start times of the processes of a simulated machine, by id; `dead` for a zombie. */
type Running = Readonly<Record<number, string>>;

interface SimulatedMachine {
  readonly host?: string;
  /** Undefined on a system that reports neither boot nor namespace, as macOS and Windows. */
  readonly space?: string | undefined;
  readonly running?: Running;
}

const firstSpace = 'boot1 namespace1';

export function processOn(id: number, simulated: SimulatedMachine = {}): ProcessFacts {
  const { host = 'one', running = { [id]: '100' } } = simulated;
  const space = 'space' in simulated ? simulated.space : firstSpace;
  const machine: Machine = {
    host: () => host,
    space: () => space,
    process(other) {
      const start = space === undefined ? undefined : running[other];
      return { isDead: start === 'dead', start };
    },
  };
  return { id, isRunning: (other) => running[other] !== undefined, machine };
}

export function holding(process: ProcessFacts): LockOptions & { readonly clock: FakeClock } {
  return { process, clock: createFakeClock() };
}

export function hold(lock: string, options: LockOptions = holding(processOn(42))): HeldLock {
  const taken = holdLock(lock, options);
  if (!taken.isHeld) throw new Error('the lock was refused');
  return taken;
}

/** Leaves a lock file with a time `age` milliseconds ago. */
export function leaveText(lock: string, content: string, age = 0): void {
  writeFileSync(lock, content);
  const time = (Date.now() - age) / 1000;
  utimesSync(lock, time, time);
}

/** Leaves a lock of process 42, which started at 100, on the first simulated machine. */
export function leaveLock(lock: string, owner: object = {}, age = 0): void {
  const left = {
    host: 'one',
    processId: 42,
    space: firstSpace,
    start: '100',
    since: '2026-11-20T11:00:00.000Z',
    token: 'left',
  };
  leaveText(lock, `${JSON.stringify({ ...left, ...owner })}\n`, age);
}
