import { describe, expect, test } from 'vitest';
import { parseModelList, parseModelRecord } from '../../../src/client/models/read-models.ts';
import { Failure } from '../../../src/failure.ts';

const origin = { id: 'origin', object: 'model', extra: { deep: [1] } };
const nextgen = { id: 'nextgen' };

describe('a list of models', () => {
  test.each<readonly [string, unknown, readonly unknown[]]>([
    ['records', [origin, nextgen], [origin, nextgen]],
    ['ids', ['origin', 'nextgen'], [{ id: 'origin' }, nextgen]],
    ['data', { object: 'list', data: [origin, nextgen] }, [origin, nextgen]],
    ['models', { models: [origin] }, [origin]],
    ['a list in data', { data: { models: [origin] } }, [origin]],
    ['an empty list', { data: [] }, []],
    ['the same model twice', [origin, origin], [origin]],
    [
      'both lists',
      { models: [{ name: 'origin', size: 2, object: 'x' }, 'third'], data: [origin] },
      [{ ...origin, name: 'origin', size: 2 }, { id: 'third' }],
    ],
    [
      'name or model for an id',
      [{ name: 'a' }, { model: 'b' }, { id: '', name: 'c' }],
      [
        { id: 'a', name: 'a' },
        { id: 'b', model: 'b' },
        { id: 'c', name: 'c' },
      ],
    ],
    ['entries without an id', [null, 4, '', {}, { id: 5 }, nextgen], [nextgen]],
  ])('is read from %s', (_, value, models) => {
    expect(parseModelList(value)).toEqual(models);
  });

  test('S34 does not set a prototype', () => {
    const [model] = parseModelList(
      JSON.parse('[{"id":"a","__proto__":{"purpose":"x"}},{"id":"__proto__"}]'),
    );
    expect(model?.['purpose']).toBeUndefined();
    expect(({} as Record<string, unknown>)['purpose']).toBeUndefined();
  });

  test.each([[null], ['origin'], [{}], [{ data: 'origin' }], [7]])('%j is a failure', (value) => {
    expect(() => parseModelList(value)).toThrow(Failure);
  });
});

describe('one model', () => {
  test.each<readonly [string, unknown, unknown]>([
    ['a record', origin, origin],
    ['an id', 'origin', { id: 'origin' }],
    ['data', { data: origin }, origin],
    ['a list of one in data', { data: [origin] }, origin],
    ['model', { model: origin }, origin],
    [
      'a record with fields called data and model',
      { id: 'a', data: {}, model: {} },
      { id: 'a', data: {}, model: {} },
    ],
    [
      'a record whose model is its id',
      { model: 'a', context_window: 5 },
      { id: 'a', model: 'a', context_window: 5 },
    ],
    ['a record without an id', { context_window: 5 }, { id: 'requested', context_window: 5 }],
  ])('is read from %s', (_, value, model) => {
    expect(parseModelRecord(value, 'requested')).toEqual(model);
  });

  test.each([[null], [7], [''], [[]]])('%j is a failure', (value) => {
    expect(() => parseModelRecord(value, 'requested')).toThrow(Failure);
  });

  test('a record without an id is a failure if no id was requested', () => {
    expect(() => parseModelRecord({ context_window: 5 })).toThrow(Failure);
  });
});
