import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parseModel } from '../../../src/settings/named-model.ts';
import {
  type CompareOptions,
  parseModels,
  readComparedModels,
} from '../../../src/commands/compare/models.ts';
import type { Run } from '../../../src/run.ts';
import { createMemoryContext } from '../../support/memory-context.ts';

const profiles = ['default', 'local'];
const named = (label: string, profile: string | undefined, model: string | undefined) => {
  return { label, profile, model };
};

test.each([
  'llama3:8b',
  'llama3.2:3b-instruct-q4_K_M',
  'gemma3n:e4b',
  'phi3:mini',
  'codellama:instruct',
  'meta-llama/llama-3:free',
  'vendor/model:any-tag',
  'anthropic.claude-v2:1',
  'ft:gpt-4o-mini:team::id',
])('%s is a model', (name) => {
  const model = { label: name, profile: undefined, model: name };
  expect(parseModel(name, profiles, 'usage')).toEqual(model);
});

test.each(['lokal:llama3', 'lokal:llama3:8b', 'work:gpt-4.1', 'lokal:', 'work:o3'])(
  '%s names an unknown profile',
  (name) => {
    expect(() => parseModel(name, profiles, 'usage')).toThrow(
      /^there is no profile (?:lokal|work) for .+; the profiles are /,
    );
  },
);

test('without profiles, every name is a model', () => {
  const { profile, model } = parseModel('lokal:llama3', undefined, 'usage');
  expect([profile, model]).toEqual([undefined, 'lokal:llama3']);
});

describe('a list of models', () => {
  test.each([
    [
      ['origin,nextgen'],
      [named('origin', undefined, 'origin'), named('nextgen', undefined, 'nextgen')],
    ],
    [
      ['a', 'b'],
      [named('a', undefined, 'a'), named('b', undefined, 'b')],
    ],
    [[' a , b ,'], [named('a', undefined, 'a'), named('b', undefined, 'b')]],
    [['a,a'], [named('a', undefined, 'a'), named('a (2)', undefined, 'a')]],
    [['a,local:llama3'], [named('a', undefined, 'a'), named('local:llama3', 'local', 'llama3')]],
    [
      ['llama3:8b,local:llama3:8b'],
      [named('llama3:8b', undefined, 'llama3:8b'), named('local:llama3:8b', 'local', 'llama3:8b')],
    ],
    [['a,phi3:mini'], [named('a', undefined, 'a'), named('phi3:mini', undefined, 'phi3:mini')]],
    [['a,local:'], [named('a', undefined, 'a'), named('local:', 'local', undefined)]],
  ])('%j', (lists, models) => {
    expect(parseModels(lists, profiles)).toEqual(models);
  });

  test.each([['origin'], [','], ['']])('%j has too few models', (list) => {
    expect(() => parseModels([list], profiles)).toThrow('a comparison needs at least two models');
  });
});

const stored = {
  profiles: {
    local: { 'base-url': 'http://127.0.0.1:11434', model: 'llama3', params: { seed: 1 } },
    work: { model: 'nextgen' },
  },
};
const credentials = {
  profiles: { local: { apiKey: 'local-key-123', baseUrl: 'http://127.0.0.1:11434' } },
};

function read(
  { models = ['origin,nextgen'], ...options }: Partial<CompareOptions>,
  environment: Readonly<Record<string, string>> = {},
) {
  const config = mkdtempSync(join(tmpdir(), 'natter-compare-'));
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, 'config.json'), JSON.stringify(stored));
  writeFileSync(join(config, 'credentials.json'), JSON.stringify(credentials), { mode: 0o600 });
  const { context } = createMemoryContext({
    environment: { NATTER_CONFIG_DIR: config, ...environment },
    homeDirectory: config,
  });
  const defaults = { color: 'auto', input: true, stream: true, stdin: true } as const;
  const run = { context, options: { ...defaults, ...options, models } } as Run<CompareOptions>;
  return readComparedModels(run, []).map(({ settings }) => {
    const { values, apiKey, params } = settings;
    return [values.baseUrl, apiKey?.value, values.model, Object.keys(params)];
  });
}

const mainService = { NATTER_BASE_URL: 'https://api.example.com', NATTER_API_KEY: 'main-key-123' };

describe('the settings of a model', () => {
  test('are the current ones, with the model', () => {
    expect(read({}, mainService)).toEqual([
      ['https://api.example.com', 'main-key-123', 'origin', []],
      ['https://api.example.com', 'main-key-123', 'nextgen', []],
    ]);
  });

  test('K1 are those of its profile, and no other key is sent to its service', () => {
    const models = ['origin,local:mistral,local:'];
    const flags = { models, baseUrl: 'https://api.example.com' };
    const environment = { ...mainService, NATTER_MODEL: 'other' };
    expect(read(flags, environment).slice(1)).toEqual([
      ['http://127.0.0.1:11434', 'local-key-123', 'mistral', ['seed']],
      ['http://127.0.0.1:11434', 'local-key-123', 'llama3', ['seed']],
    ]);
  });

  test('have the current base URL if the profile has none', () => {
    expect(read({ models: ['origin,work:'] }, mainService)[1]).toEqual([
      'https://api.example.com',
      'main-key-123',
      'nextgen',
      [],
    ]);
  });

  test('have no profile in the sandbox', () => {
    expect(read({ models: ['origin,local:llama3'], sandbox: true })[1]?.[2]).toBe('local:llama3');
  });
});
