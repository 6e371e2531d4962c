import { expect, test } from 'vitest';
import { buildViewModel } from '../../../src/repl/live/build-view-model.ts';
import { usageText } from '../../../src/repl/text/status-text.ts';
import { run, stateOf } from '../../support/repl-state.ts';

const settings = {
  model: 'small',
  system: undefined,
  maxTokens: undefined,
  theme: 'color',
} as const;
const context = { tokens: 1000, isEstimate: false };
const listed = {
  type: 'models-listed',
  ids: ['small'],
  windows: new Map([['small', 4000]]),
} as const;

test('Y31: the status row and /usage have the window that the service named', () => {
  const before = stateOf({ settings, context });
  expect(buildViewModel(before, '').footer.contextWindow).toBeUndefined();
  const { state } = run(before, listed);
  expect(buildViewModel(state, '').footer.contextWindow).toBe(4000);
  expect(usageText(state)).toMatch(/: 1\.0K of 4\.0K \(25 ?%\)/);
});

test("Y31: the service's word wins over the catalogue, which stays for the other models", () => {
  const windows = new Map([['origin', 8000]]);
  const origin = { ...settings, model: 'origin' };
  const { state } = run(stateOf({ settings: origin }), { ...listed, ids: ['origin'], windows });
  expect(buildViewModel(state, '').footer.contextWindow).toBe(8000);
  const nextgen = { ...state, settings: { ...origin, model: 'nextgen' } };
  expect(buildViewModel(nextgen, '').footer.contextWindow).toBe(1_000_000);
});
