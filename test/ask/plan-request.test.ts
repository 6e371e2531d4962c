import { expect, test } from 'vitest';
import { completionBody } from '../../src/client/contract.ts';
import { planRequest, promptMessages } from '../../src/ask/plan-request.ts';
import { Failure } from '../../src/failure.ts';
import { resolveSettings, type SettingFlags } from '../../src/settings/resolve.ts';
import { nothingStored } from '../../src/settings/settings-file.ts';

function plan(flags: SettingFlags, prompt = 'hi', stream = true) {
  const settings = resolveSettings({ flags, environment: {}, stored: nothingStored });
  return planRequest(settings, promptMessages(settings.values.system, prompt), stream);
}

const user = { role: 'user', content: 'hi' };
const system = { role: 'system', content: 'brief' };
const params = { temperature: 0, stop: ['a'] };

test.each([
  ['nothing set', {}, true, { model: 'origin', messages: [user], stream: true }],
  ['no stream', {}, false, { model: 'origin', messages: [user] }],
  ['an empty system prompt', { system: '' }, false, { model: 'origin', messages: [user] }],
  ['a system prompt', { system: 'brief' }, false, { model: 'origin', messages: [system, user] }],
  ['a limit', { maxTokens: '5' }, false, { model: 'origin', messages: [user], max_tokens: 5 }],
  ['parameters', { params }, false, { model: 'origin', messages: [user], ...params }],
])('the request with %s has exactly these fields', (_, flags, stream, request) => {
  expect(completionBody(plan(flags, 'hi', stream).request)).toStrictEqual(request);
});

test.each([
  ['a short prompt', 'hi', {}, 'origin'],
  ['a prompt over the smaller window', 'x'.repeat(600_000), {}, 'nextgen'],
  ['an answer over the smaller window', 'hi', { maxTokens: '127999' }, 'nextgen'],
  ['a prompt over every window', 'x'.repeat(5_000_000), {}, 'nextgen'],
])('the model auto is the smallest that fits for %s', (_, prompt, flags, model) => {
  expect(plan({ model: 'auto', ...flags }, prompt).request.model).toBe(model);
});

test('warns near the window with token counts and the larger model', () => {
  expect(plan({}, 'x'.repeat(440_000)).warning).toBe(
    "~110,004 tokens, near origin's window of 128,000; -m nextgen has a larger window",
  );
  expect(plan({}).warning).toBeUndefined();
});

test('the warning uses the tokens that are known instead of the estimate', () => {
  const settings = resolveSettings({
    flags: { maxTokens: '1000' },
    environment: {},
    stored: nothingStored,
  });
  const messages = promptMessages(undefined, 'x'.repeat(600_000));
  const warningFor = (promptTokens: number) =>
    planRequest(settings, messages, true, '-m', promptTokens).warning;
  expect(warningFor(90_000)).toBeUndefined();
  expect(warningFor(120_000)).toContain('~121,000 tokens, near');
});

test('refuses only prompts that no tokenizer could fit', () => {
  expect(plan({}, 'x'.repeat(16_384_000)).warning).toContain("over origin's window");
  expect(() => plan({}, 'x'.repeat(16_384_001))).toThrow(Failure);
  expect(() => plan({ model: 'foreign' }, 'x'.repeat(16_384_001))).not.toThrow();
});
