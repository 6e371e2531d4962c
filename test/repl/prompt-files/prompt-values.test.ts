import { expect, test } from 'vitest';
import { promptDialog } from '../../../src/repl/prompt-files/send-prompt-file.ts';
import { runInApp } from '../../support/app.tsx';
import { effectsOf, enter, pasted, stateOf } from '../../support/repl-state.ts';

test('a value for a prompt file keeps its line ends', () => {
  const prompt = { name: 'review', variables: [], neededText: 'text' };
  const pending = { prompt, values: {}, text: '', line: '/review', missing: [undefined] };
  const { effects } = runInApp(
    stateOf({ dialog: promptDialog(pending) }),
    pasted('if (a) {\r\n  b();\n}'),
    enter,
  );
  expect(effectsOf(effects, 'send')[0]?.prompt).toMatchObject({
    use: { text: 'if (a) {\n  b();\n}' },
  });
});
