import { expect, test } from 'vitest';
import { openWindowStatus } from '../../src/output/window-status.ts';
import type { Context } from '../../src/run.ts';
import type { SettingValues } from '../../src/settings/definitions.ts';
import { createMemoryDevice } from '../support/memory-device.ts';
import { createMemoryOutput } from '../support/memory-context.ts';

const on = { progress: 'on', windowTitle: 'on' } as const;
const environment = { TERM: 'xterm-256color' };

function open(animated: boolean, settings: { progress: 'on' | 'off'; windowTitle: 'on' | 'off' }) {
  const memory = createMemoryDevice();
  const stderr = createMemoryOutput(true);
  const context = { streams: { stderr }, environment, device: memory.device } as unknown as Context;
  const values = settings as SettingValues;
  return { status: openWindowStatus(context, animated, values), memory, stderr };
}

test('shows each change once, and puts the window back', () => {
  const { status, memory, stderr } = open(true, on);
  status.show('10% - natter batch', 10);
  status.show('10% - natter batch', 10);
  status.show('20% - natter batch', 20);
  status.end();
  expect(stderr.text()).toBe(
    '\u001B[22;2t\u001B]2;10% - natter batch\u0007\u001B]9;4;1;10\u0007' +
      '\u001B]2;20% - natter batch\u0007\u001B]9;4;1;20\u0007' +
      '\u001B]9;4;0;\u0007\u001B[23;2t',
  );
  memory.exit();
  expect(memory.log).toEqual([]);
});

test('puts the window back if the process ends before', () => {
  const { status, memory } = open(true, on);
  status.show('working', 'busy');
  memory.exit();
  status.end();
  expect(memory.log).toEqual(['\u001B]9;4;0;\u0007\u001B[23;2t']);
});

test.each([
  ['without a terminal', false, on],
  ['if both are off', true, { progress: 'off', windowTitle: 'off' } as const],
])('writes nothing %s', (_, animated, settings) => {
  const { status, stderr } = open(animated, settings);
  status.show('working', 'busy');
  status.end();
  expect(stderr.text()).toBe('');
});
