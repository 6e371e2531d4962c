import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { watchSignals, type Interruption } from '../../../src/terminal/device/signals.ts';

/** A process that only counts the signals it sends itself. */
function fakeProcess(platform = 'linux') {
  const killed: string[] = [];
  const exits: number[] = [];
  const fake = Object.assign(new EventEmitter(), {
    platform,
    pid: 1,
    kill: (_id: number, signal: string) => killed.push(signal),
    exit: (code: number) => exits.push(code),
  });
  return { killed, exits, fake, process: fake as unknown as NodeJS.Process };
}

function watch(platform?: string) {
  const world = fakeProcess(platform);
  const heard: Interruption[] = [];
  const signals = watchSignals(world.process, (interruption) => heard.push(interruption));
  return { ...world, heard, signals };
}

describe('the watch over signals', () => {
  test('P8 asks once, and a second signal is died of at once', () => {
    const { fake, heard, killed } = watch();
    fake.emit('SIGINT', 'SIGINT');
    expect(heard.map(({ signal }) => signal)).toEqual(['SIGINT']);
    expect(killed).toEqual([]);
    fake.emit('SIGTERM', 'SIGTERM');
    expect(heard).toHaveLength(1);
    expect(killed).toEqual(['SIGTERM']);
  });

  test('P5 P6 a raised signal meets no listener any more', () => {
    const { fake, signals, killed } = watch();
    signals.reraise('SIGHUP');
    expect(killed).toEqual(['SIGHUP']);
    expect(fake.listenerCount('SIGHUP')).toBe(0);
  });

  test('P5 X24: on Windows the process ends with the exit code that stands for the signal', () => {
    const { exits, signals, killed } = watch('win32');
    signals.reraise('SIGINT');
    expect({ exits, killed }).toEqual({ exits: [130], killed: [] });
  });

  test('X24: on Windows a second Ctrl-C ends the process', () => {
    const { fake, heard, exits } = watch('win32');
    fake.emit('SIGINT', 'SIGINT');
    expect({ heard: heard.length, exits }).toEqual({ heard: 1, exits: [] });
    fake.emit('SIGINT', 'SIGINT');
    expect({ heard: heard.length, exits }).toEqual({ heard: 1, exits: [130] });
  });

  test('P7 whoever takes Ctrl-C hears it instead, until they give it back', () => {
    const { fake, signals, heard } = watch();
    let taken = 0;
    const giveBack = signals.takeInterrupts(() => (taken += 1));
    fake.emit('SIGINT', 'SIGINT');
    expect({ taken, heard: heard.length }).toEqual({ taken: 1, heard: 0 });
    giveBack();
    fake.emit('SIGINT', 'SIGINT');
    expect({ taken, heard: heard.length }).toEqual({ taken: 1, heard: 1 });
  });

  test('P18 the last acts run before the process dies', () => {
    const { signals, killed } = watch();
    const order: string[] = [];
    signals.beforeDeath(() => order.push(`act, ${killed.length} killed`));
    signals.reraise('SIGTERM');
    expect(order).toEqual(['act, 0 killed']);
  });
});
