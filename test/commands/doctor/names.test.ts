import { expect, test } from 'vitest';
import { withoutNames } from '../../../src/commands/doctor/run.ts';
import { createMemoryContext } from '../../support/memory-context.ts';

const { context } = createMemoryContext({
  homeDirectory: '/home/alice',
  environment: { USER: 'alice', USERNAME: 'me' },
});

test.each([
  ['/home/alice/.config/natter', '~/.config/natter'],
  ['cannot read /home/alice: no', 'cannot read ~: no'],
  ['/home/alice2/x and /home/bob/y', '/home/…/x and /home/…/y'],
  ['/mnt/data/Alice/x', '/mnt/data/…/x'],
  ['/Users/bob/x', '/Users/…/x'],
  [String.raw`C:\Users\Bob Smith\x`, String.raw`C:\Users\… Smith\x`],
  ['/srv/home/models and /me/x', '/srv/home/models and /me/x'],
  ['alice in a text, malice', 'alice in a text, malice'],
])('%j is shown as %j', (text, shown) => {
  expect(withoutNames(text, context)).toBe(shown);
});

test('without a home folder and names only other home folders are hidden', () => {
  const plain = createMemoryContext().context;
  expect(withoutNames('/home/bob/x and /root/x', plain)).toBe('/home/…/x and /root/x');
});
