import { malformedSummaries } from '../answers/malformed-events.ts';
import { errorShapes } from '../error-shapes.ts';
import { type FaultField, type FaultSection, faultFieldRows } from '../faults/fault-fields.ts';
import { shorthands } from '../faults/parse-fault.ts';
import { sandboxKeys } from '../keys.ts';
import { modelShapes } from '../model-records.ts';
import { type Reply, replySummaries } from './reply.ts';

const sectionTitles: Readonly<Record<FaultSection, string>> = {
  reply: 'What the answer says',
  response: 'The response',
  timing: 'Waiting',
  ending: 'Ending too early',
  events: 'The event stream',
  counting: 'How often',
};

type Row = readonly [name: string, effect: string];

/** A table of the reference: its title and what each row's word does. */
export interface ReferenceTable {
  readonly title: string;
  readonly rows: readonly Row[];
}

function summaries(table: Readonly<Record<string, { readonly summary: string }>>): readonly Row[] {
  return Object.entries(table).map(([name, { summary }]) => [name, summary]);
}

/** How a field is written, such as `status=<code>`. */
function fieldUsage(name: string, { placeholder, bare }: FaultField<unknown>): string {
  if (placeholder === undefined) return name;
  return bare === undefined ? `${name}=<${placeholder}>` : `${name}[=<${placeholder}>]`;
}

/** What the field does, what it means alone, and its other names. */
function effectOf({ summary, placeholder, bare, aliases = [] }: FaultField<unknown>): string {
  const alone = placeholder === undefined || bare === undefined ? '' : ` (alone: \`${bare}\`)`;
  const others = aliases.map((alias) => `\`${alias}\``).join(', ');
  return `${summary}${alone}${others === '' ? '' : `; also ${others}`}`;
}

function fieldTable([section, title]: Row): ReferenceTable {
  return {
    title,
    rows: faultFieldRows
      .filter(([, field]) => field.section === section)
      .map(([name, field]) => [fieldUsage(name, field), effectOf(field)]),
  };
}

/** All that `[sandbox help]` and the guide list, from the tables the sandbox works by. */
export function referenceTables(): readonly ReferenceTable[] {
  return [
    { title: 'Keys', rows: sandboxKeys.map(({ key, summary }) => [key, summary]) },
    { title: 'Replies', rows: Object.entries(replySummaries) },
    ...Object.entries(sectionTitles).map(fieldTable),
    {
      title: 'Words that stand alone',
      rows: Object.entries(shorthands).map(([word, meaning]) => [word, `\`${meaning}\``]),
    },
    { title: 'Spoilt events', rows: Object.entries(malformedSummaries) },
    { title: 'Error shapes', rows: summaries(errorShapes) },
    { title: 'Models shapes', rows: summaries(modelShapes) },
  ];
}

/** A bar would end its cell, in code too. */
export function tableRow([name, effect]: Row): string {
  return `| \`${name.replaceAll('|', String.raw`\|`)}\` | ${effect.replaceAll('|', String.raw`\|`)} |`;
}

/** Lists everything that can be asked of the sandbox. */
export const helpReply: Reply = function* help() {
  yield 'Begin a prompt with a group such as `[sandbox status=429 times=2]` or ';
  yield '`[sandbox markdown]`. Words are set apart by spaces; a value with spaces stands in ';
  yield 'quotes.\n';
  for (const { title, rows } of referenceTables()) {
    yield `\n## ${title}\n\n| Word | Effect |\n| --- | --- |\n`;
    for (const row of rows) yield `${tableRow(row)}\n`;
  }
};
