import { expect, test } from 'vitest';
import { suggestModel } from '../../../src/commands/service/near-model.ts';
import { Failure } from '../../../src/failure.ts';

const windows = new Map([['llama3', 8000]]);
const hintOf = (error: unknown) => (error instanceof Failure ? error.hint : undefined);

test.each([
  ['a 404', new Failure('not_found', 'no'), 'did you mean -m llama3?'],
  ['a 400 that names the model', new Failure('invalid_request', 'bad model lama3'), 'did you mean'],
  ['a 400 for a different cause', new Failure('invalid_request', 'bad messages'), undefined],
  ['a refused key', new Failure('unauthorized', 'lama3'), undefined],
])('%s of a mistyped model that the service has: %s', (_, error, hint) => {
  const suggested = hintOf(suggestModel(error, 'lama3', windows));
  expect(suggested?.slice(0, hint?.length)).toBe(hint);
});

test.each([
  ['origin,nextgen', 'natter compare -m origin,nextgen asks each of them'],
  ['origin,$(x)', 'natter compare -m … asks each of them'],
])('the hint for several models, %s, names natter compare', (models, hint) => {
  const error = new Failure('not_found', 'no');
  expect(hintOf(suggestModel(error, models, windows))).toBe(hint);
});

test('an error that is no Failure is unchanged', () => {
  const reason = new Error('stopped');
  expect(suggestModel(reason, 'lama3', windows)).toBe(reason);
});
