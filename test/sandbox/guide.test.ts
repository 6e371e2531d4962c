import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseDirective } from '../../src/sandbox/faults/parse-fault.ts';
import { parseScenario } from '../../src/sandbox/faults/fault-rules.ts';
import { json } from '../support/raw-replies.ts';
import { serveFront } from './engine-helpers.ts';
import { complete } from './sandbox-helpers.ts';

const guide = readFileSync('docs/sandbox.md', 'utf8');

function blocks(language: string): readonly string[] {
  const fences = guide.matchAll(new RegExp(`^\`\`\`${language}.*\\n([^]*?)^\`\`\``, 'gm'));
  return [...fences].map(([, text = '']) => text);
}

/** From the upstream table: each status sent, and the status that the client gets. */
function statusRows(): readonly (readonly [number, number])[] {
  const rows = guide.matchAll(/^\| (?<sent>\d{3}[^|]*)\| (?<received>[^|]*)\|$/gm);
  return [...rows].flatMap(({ groups }) =>
    (groups?.['sent'] ?? '')
      .replace(/ and other.*/, '')
      .split(', ')
      .map((sent) => [
        Number(sent),
        Number.parseInt(groups?.['received'] ?? '', 10) || Number(sent),
      ]),
  ) as [number, number][];
}

describe('docs/sandbox.md', () => {
  test.each(statusRows())('describes that an upstream’s %i becomes %i', async (sent, received) => {
    const { sandbox } = await serveFront([[json(sent, {})]]);
    expect((await complete(sandbox, 'hello')).status).toBe(received);
  });

  test('describes each status of the contract, and others', () => {
    const statuses = statusRows().map(([sent]) => sent);
    expect(statuses).toEqual(expect.arrayContaining([400, 401, 402, 403, 404, 429, 500, 503]));
  });

  test('shows valid groups', () => {
    const groups = blocks('text')
      .filter((text) => text.startsWith('[sandbox'))
      .flatMap((text) => text.trim().split('\n'));
    expect(groups.length).toBeGreaterThan(3);
    for (const group of groups) expect(parseDirective(group)?.fault).not.toEqual({});
  });

  test('shows a valid scenario', () => {
    const scenario = blocks('json').find((text) => text.includes('"rules"')) ?? '';
    expect(parseScenario(scenario, 'docs/sandbox.md')).toHaveLength(3);
  });
});
