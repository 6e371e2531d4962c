import { describe, expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { chooseModels, parseModelMap } from '../../../src/commands/sandbox/upstream-models.ts';
import { Failure } from '../../../src/failure.ts';

function clientOf(list: () => readonly string[]): Client {
  return {
    async *chat() {},
    listModels: async () => list().map((id) => ({ id })),
    getModel: async (id) => ({ id }),
    close() {},
  };
}

async function choose(ids: readonly string[] | Failure, ...mapped: readonly string[]) {
  const told: string[] = [];
  const client = clientOf(() => {
    if (ids instanceof Failure) throw ids;
    return ids;
  });
  const notices = { notice: (text: string) => void told.push(text), warning: told.push.bind(told) };
  const { signal } = new AbortController();
  const models = await chooseModels(client, parseModelMap(mapped), notices, signal);
  return { models: [models['origin'], models['nextgen']], told };
}

const silent = new Failure('unreachable', 'nobody is there');

describe('--map', () => {
  test.each([
    ['origin=llama3:8b', { origin: 'llama3:8b' }],
    [' nextgen = a=b ', { nextgen: 'a=b' }],
  ])('%s', (text, map) => {
    expect(parseModelMap([text])).toEqual(map);
  });

  test('takes the last model of an id', () => {
    expect(parseModelMap(['origin=a', 'origin=b'])).toEqual({ origin: 'b' });
  });

  test.each(['origin', 'origin=', '=x', 'gpt=x', '__proto__=x', ''])('refuses "%s"', (text) => {
    expect(() => parseModelMap([text])).toThrow(/--map takes origin=<model>/);
  });
});

describe('the models that answer', () => {
  test.each([
    ['the only one', ['a'], [], ['a', 'a']],
    ['the first one', ['a', 'b'], [], ['a', 'a']],
    ['those of the same name', ['a', 'nextgen', 'origin'], [], ['origin', 'nextgen']],
    ['the one of the same name, else the first', ['a', 'nextgen'], [], ['a', 'nextgen']],
    ['those of the map', ['a', 'b'], ['nextgen=b', 'origin=b'], ['b', 'b']],
    ['the map’s, else the first', ['a', 'b'], ['nextgen=b'], ['a', 'b']],
  ])('are %s', async (_, listed, mapped, models) => {
    expect(await choose(listed, ...mapped)).toEqual({ models, told: [] });
  });

  test('may be ones that are not listed, which is told', async () => {
    const { models, told } = await choose(['a'], 'origin=x');
    expect(models).toEqual(['x', 'a']);
    expect(told).toEqual(['the upstream does not list the model "x"']);
  });

  test('need no list where the map has them all', async () => {
    const { models, told } = await choose(silent, 'origin=a', 'nextgen=b');
    expect(models).toEqual(['a', 'b']);
    expect(told).toEqual(['the upstream does not list its models: nobody is there']);
  });

  test.each([
    ['nobody lists them', silent, /does not list its models: nobody is there/],
    ['the list is empty', [], /lists no models/],
  ])('cannot be found where %s', async (_, listed, message) => {
    await expect(choose(listed, 'origin=a')).rejects.toThrow(message);
    await expect(choose(listed)).rejects.toMatchObject({
      hint: 'name them: --map origin=<model> --map nextgen=<model>',
    });
  });
});
