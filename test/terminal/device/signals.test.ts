import { EventEmitter } from 'node:events';
import { expect, test } from 'vitest';
import { watchSignals, type Interruption } from '../../../src/terminal/device/signals.ts';

/** Watches a process that counts the signals it sends to itself. */
function watch(platform = 'linux', pid = 2) {
  const killed: string[] = [];
  const exits: number[] = [];
  const fake = Object.assign(new EventEmitter(), {
    platform,
    pid,
    kill: (_id: number, signal: string) => killed.push(signal),
    exit: (code: number) => exits.push(code),
  });
  const heard: Interruption[] = [];
  const process = fake as unknown as NodeJS.Process;
  const signals = watchSignals(process, (interruption) => heard.push(interruption));
  return { killed, exits, fake, heard, signals };
}

test('P8 reports the first signal, and dies of the second at once', () => {
  const { fake, heard, killed } = watch();
  fake.emit('SIGINT', 'SIGINT');
  expect(heard.map(({ signal }) => signal)).toEqual(['SIGINT']);
  expect(killed).toEqual([]);
  fake.emit('SIGTERM', 'SIGTERM');
  expect(heard).toHaveLength(1);
  expect(killed).toEqual(['SIGTERM']);
});

test('P5 P6 re-raises a signal without listeners', () => {
  const { fake, signals, killed } = watch();
  signals.reraise('SIGHUP');
  expect(killed).toEqual(['SIGHUP']);
  expect(fake.listenerCount('SIGHUP')).toBe(0);
});

test.each([
  ['on Windows', 'win32', 2, 'SIGINT', 130],
  ['as process 1, which cannot end itself by a signal', 'linux', 1, 'SIGTERM', 143],
] as const)('P5 X24: exits with the code of the signal %s', (_, platform, pid, signal, code) => {
  const { exits, signals, killed } = watch(platform, pid);
  signals.reraise(signal);
  expect({ exits, killed }).toEqual({ exits: [code], killed: [] });
});

test.each(['SIGINT', 'SIGTERM'] as const)(
  'P7 calls the handler of %s until it is removed',
  (signal) => {
    const { fake, signals, heard } = watch();
    let taken = 0;
    const giveBack = signals.handle(signal, () => (taken += 1));
    fake.emit(signal, signal);
    expect({ taken, heard: heard.length }).toEqual({ taken: 1, heard: 0 });
    giveBack();
    fake.emit(signal, signal);
    expect({ taken, heard: heard.length }).toEqual({ taken: 1, heard: 1 });
  },
);

test('P18 calls the listeners before the process dies', () => {
  const { signals, killed } = watch();
  const order: string[] = [];
  signals.beforeSignalExit(() => order.push(`act, ${killed.length} killed`));
  signals.reraise('SIGTERM');
  expect(order).toEqual(['act, 0 killed']);
});
