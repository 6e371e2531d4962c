import { expect, test } from 'vitest';
import { suggestModel } from '../../../src/commands/chat/run.ts';
import { Failure } from '../../../src/failure.ts';

const windows = new Map([['llama3', 8000]]);

test.each([
  ['a 404', new Failure('not_found', 'no'), 'did you mean -m llama3?'],
  ['a 400 that names the model', new Failure('invalid_request', 'bad model lama3'), 'did you mean'],
  ['a 400 for a different cause', new Failure('invalid_request', 'bad messages'), undefined],
  ['a refused key', new Failure('unauthorized', 'lama3'), undefined],
])('%s of a mistyped model that the service has: %s', (_, error, hint) => {
  const suggested = suggestModel(error, 'lama3', windows).hint;
  expect(suggested?.slice(0, hint?.length)).toBe(hint);
});

test.each([
  ['origin,nextgen', 'natter compare -m origin,nextgen asks each of them'],
  ['origin,$(x)', 'natter compare -m … asks each of them'],
])('the hint for several models, %s, names natter compare', (models, hint) => {
  const error = new Failure('not_found', 'no');
  expect(suggestModel(error, models, windows).hint).toBe(hint);
});
