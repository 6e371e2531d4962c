import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readRole, roleNames, withRole } from '../../src/settings/role.ts';
import type { ResolvedSettings, Source } from '../../src/settings/resolved-settings.ts';
import { type Files, folderOf, writeFiles } from '../support/folder.ts';

function factsWith(roles: Files) {
  const config = folderOf();
  writeFiles(join(config, 'roles'), roles);
  return {
    environment: { NATTER_CONFIG_DIR: config },
    platform: 'linux',
    homeDirectory: undefined,
  } as const;
}

const source = (kind: Source['kind']): Source => ({ kind, name: kind });

function settingsWith(
  system: [string | undefined, Source['kind']],
  role: [string, Source['kind']],
) {
  return {
    values: { system: system[0], role: role[0] },
    sources: { system: source(system[1]), role: source(role[1]) },
  } as unknown as ResolvedSettings;
}

test('a role is the text of its file, without front matter', () => {
  const facts = factsWith({ 'critic.md': '---\nmodel: x\n---\n\nBe strict.\n', 'notes.txt': '' });
  expect(readRole(facts, 'critic')).toBe('Be strict.');
  expect(roleNames(facts)).toEqual(['critic']);
});

test('a name that leads out of the folder is no role, without advice to write a file there', () => {
  const facts = factsWith({ 'critic.md': 'Be strict.' });
  const folder = join(facts.environment.NATTER_CONFIG_DIR, 'roles');
  const message = 'there is no role "../config"';
  const hint = `roles are the files NAME.md in ${folder}`;
  expect(() => readRole(facts, '../config')).toThrow(expect.objectContaining({ message, hint }));
});

test('no role exists without a settings folder', () => {
  const facts = { environment: {}, platform: 'linux', homeDirectory: undefined } as const;
  const failure = { kind: 'not_found', hint: 'set NATTER_CONFIG_DIR' };
  expect(() => readRole(facts, 'critic')).toThrow(expect.objectContaining(failure));
});

test('a role that cannot be read is a storage failure', () => {
  const facts = factsWith({ 'critic.md/file': '' });
  expect(() => readRole(facts, 'critic')).toThrow(/^cannot read .*critic\.md: it is a folder$/);
});

test('a name near that of a role is suggested', () => {
  const facts = factsWith({ 'critic.md': '', 'pirate.md': '' });
  expect(() => readRole(facts, 'pirat')).toThrow(
    expect.objectContaining({ hint: 'did you mean pirate?' }),
  );
  expect(() => readRole(facts, 'poet')).toThrow(
    expect.objectContaining({
      hint: expect.stringMatching(/^write its system prompt to .*poet\.md$/),
    }),
  );
});

test.each<[[string | undefined, Source['kind']], Source['kind'], string]>([
  [[undefined, 'default'], 'profile', 'Be strict.'],
  [['mine', 'profile'], 'flag', 'Be strict.'],
  [['mine', 'profile'], 'profile', 'mine'],
  [['mine', 'flag'], 'environment', 'mine'],
])('with a system prompt %j, a role of kind %s sends %s', (system, kind, expected) => {
  const facts = factsWith({ 'critic.md': 'Be strict.' });
  const { values } = withRole(facts, settingsWith(system, ['critic', kind]));
  expect(values.system).toBe(expected);
});
