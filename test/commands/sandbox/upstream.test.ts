import { describe, expect, test } from 'vitest';
import type { Client } from '../../../src/client/client.ts';
import { chooseModels, parseModelMap } from '../../../src/commands/sandbox/run.ts';
import { Failure } from '../../../src/failure.ts';

async function choose(ids: readonly string[] | Failure, ...mapped: readonly string[]) {
  const lines: string[] = [];
  const client: Client = {
    async *chat() {},
    async listModels() {
      if (ids instanceof Failure) throw ids;
      return ids.map((id) => ({ id }));
    },
    getModel: async (id) => ({ id }),
    close() {},
  };
  const print = (text: string) => void lines.push(text);
  const notices = { notice: print, warning: print };
  const { signal } = new AbortController();
  const models = await chooseModels(client, parseModelMap(mapped), notices, signal);
  return { models: [models['origin'], models['nextgen']], lines };
}

const unreachable = new Failure('unreachable', 'connection refused');

describe('--map', () => {
  test.each([
    ['origin=llama3:8b', { origin: 'llama3:8b' }],
    [' nextgen = a=b ', { nextgen: 'a=b' }],
  ])('%s', (text, map) => {
    expect(parseModelMap([text])).toEqual(map);
  });

  test('uses the last model for an id', () => {
    expect(parseModelMap(['origin=a', 'origin=b'])).toEqual({ origin: 'b' });
  });

  test.each(['origin', 'origin=', '=x', 'gpt=x', '__proto__=x', ''])('refuses "%s"', (text) => {
    expect(() => parseModelMap([text])).toThrow(/--map takes origin=<model>/);
  });
});

describe('the chosen models', () => {
  test.each([
    ['the only one', ['a'], [], ['a', 'a']],
    ['the first one', ['a', 'b'], [], ['a', 'a']],
    ['those with the same name', ['a', 'nextgen', 'origin'], [], ['origin', 'nextgen']],
    ['the one with the same name, else the first', ['a', 'nextgen'], [], ['a', 'nextgen']],
    ['those of the map', ['a', 'b'], ['nextgen=b', 'origin=b'], ['b', 'b']],
    ['the map’s, else the first', ['a', 'b'], ['nextgen=b'], ['a', 'b']],
  ])('are %s', async (_, listed, mapped, models) => {
    expect(await choose(listed, ...mapped)).toEqual({ models, lines: [] });
  });

  test('may be unlisted, with a warning', async () => {
    const { models, lines } = await choose(['a'], 'origin=x');
    expect(models).toEqual(['x', 'a']);
    expect(lines).toEqual(['the upstream does not list the model "x"']);
  });

  test('need no list if the map has them all', async () => {
    const { models, lines } = await choose(unreachable, 'origin=a', 'nextgen=b');
    expect(models).toEqual(['a', 'b']);
    expect(lines).toEqual(['the upstream does not list its models: connection refused']);
  });

  test.each([
    ['the upstream does not list them', unreachable, /list its models: connection refused/],
    ['the list is empty', [], /lists no models/],
  ])('are missing if %s', async (_, listed, message) => {
    await expect(choose(listed, 'origin=a')).rejects.toThrow(message);
    await expect(choose(listed)).rejects.toMatchObject({
      hint: 'name them: --map origin=<model> --map nextgen=<model>',
    });
  });
});
