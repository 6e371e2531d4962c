import fs from 'node:fs';
import path from 'node:path';
import { Failure } from '../failure.ts';
import { nearlyNamed } from '../near-name.ts';
import { splitFrontMatter } from '../front-matter.ts';
import { type FolderFacts, resolveFolders } from './folders.ts';
import type { ResolvedSettings, Source } from './resolved-settings.ts';
import { configVariable } from './settings-file.ts';
import { errorCode, storageFailure } from '../storage/storage-failure.ts';

const roleExtension = '.md';

function rolesFolder(facts: FolderFacts): string | undefined {
  const { config } = resolveFolders(facts);
  return config === undefined ? undefined : path.join(config, 'roles');
}

/** Lists the names of the roles, sorted; none without a folder. */
export function roleNames(facts: FolderFacts): readonly string[] {
  const folder = rolesFolder(facts);
  if (folder === undefined || !fs.existsSync(folder)) return [];
  const files = fs.readdirSync(folder).filter((name) => name.endsWith(roleExtension));
  return files.map((name) => name.slice(0, -roleExtension.length)).sort();
}

/** Reads the text of a role, without front matter. @throws Failure `not_found`, `storage` */
export function readRole(facts: FolderFacts, name: string): string {
  const folder = rolesFolder(facts) ?? '';
  const file = path.join(folder, `${name}${roleExtension}`);
  try {
    // A role is a file of this folder, so its name cannot lead out of it.
    if (path.dirname(file) === folder) {
      return splitFrontMatter(fs.readFileSync(file, 'utf8').replace(/^\uFEFF/, '')).body;
    }
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw storageFailure('read', file, error);
  }
  const near = nearlyNamed(name, roleNames(facts));
  let hint = `write its system prompt to ${file}`;
  if (path.dirname(file) !== folder) hint = `roles are the files NAME${roleExtension} in ${folder}`;
  if (folder === '') hint = `set ${configVariable}`;
  if (near !== undefined) hint = `did you mean ${near}?`;
  throw new Failure('not_found', `there is no role "${name}"`, { hint });
}

/** The sources of settings from the weakest to the strongest. */
const ranks: readonly Source['kind'][] = [
  'default',
  'profile',
  'environment',
  'prompt file',
  'flag',
];

/**
 * Makes the text of the role in the settings their system prompt, unless a system prompt has the same or a stronger
 * source.
 * @throws Failure `not_found`
 */
export function withRole(facts: FolderFacts, settings: ResolvedSettings): ResolvedSettings {
  const { values, sources } = settings;
  if (values.role === undefined || values.role === 'off') return settings;
  const isWeaker = ranks.indexOf(sources.system.kind) < ranks.indexOf(sources.role.kind);
  if (values.system !== undefined && !isWeaker) return settings;
  return {
    ...settings,
    values: { ...values, system: readRole(facts, values.role) },
    sources: { ...sources, system: sources.role },
  };
}
