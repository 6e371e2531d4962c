import { type FaultField, type FaultSection, faultFieldRows } from '../faults/fault-fields.ts';
import { shorthands } from '../faults/parse-fault.ts';
import { sandboxKeys } from '../keys.ts';
import { malformedEvents, errorShapes, modelShapes } from '../shapes.ts';
import { type Reply, replySummaries } from './reply.ts';

const sectionTitles: Readonly<Record<FaultSection, string>> = {
  reply: 'Reply settings',
  response: 'Response',
  timing: 'Delays',
  ending: 'Interruptions',
  events: 'Event stream',
  counting: 'Counting',
};

type Row = readonly [name: string, effect: string];

function summaries(table: Readonly<Record<string, { readonly summary: string }>>): readonly Row[] {
  return Object.entries(table).map(([name, { summary }]) => [name, summary]);
}

/** How a field is written, such as `status=<code>`. */
function fieldUsage(name: string, { placeholder, bare }: FaultField<unknown>): string {
  if (placeholder === undefined) return name;
  return bare === undefined ? `${name}=<${placeholder}>` : `${name}[=<${placeholder}>]`;
}

/** Describes the effect, with the value if only the name is written, and the other names. */
function effectOf({ summary, placeholder, bare, aliases = [] }: FaultField<unknown>): string {
  const alone =
    placeholder === undefined || bare === undefined ? '' : ` (without a value: \`${bare}\`)`;
  const others = aliases.map((alias) => `\`${alias}\``).join(', ');
  return `${summary}${alone}${others === '' ? '' : `; also ${others}`}`;
}

function fieldTable([section, title]: Row) {
  return {
    title,
    rows: faultFieldRows
      .filter(([, field]) => field.section === section)
      .map(([name, field]): Row => [fieldUsage(name, field), effectOf(field)]),
  };
}

/** The tables of `[sandbox help]` and of docs/reference.md. */
export function referenceTables(): readonly {
  readonly title: string;
  readonly rows: readonly Row[];
}[] {
  return [
    { title: 'Keys', rows: sandboxKeys.map(({ key, summary }) => [key, summary]) },
    { title: 'Replies', rows: Object.entries(replySummaries) },
    ...Object.entries(sectionTitles).map(fieldTable),
    {
      title: 'Shorthands',
      rows: Object.entries(shorthands).map(([word, meaning]) => [word, `\`${meaning}\``]),
    },
    { title: 'Malformed events', rows: summaries(malformedEvents) },
    { title: 'Error shapes', rows: summaries(errorShapes) },
    { title: 'Model list shapes', rows: summaries(modelShapes) },
  ];
}

/** Escapes bars, which would end a cell, in code too. */
export function tableRow([name, effect]: Row): string {
  return `| \`${name.replaceAll('|', String.raw`\|`)}\` | ${effect.replaceAll('|', String.raw`\|`)} |`;
}

export const helpReply: Reply = function* help() {
  yield 'Start a prompt with a group such as `[sandbox status=429 times=2]` or ';
  yield '`[sandbox markdown]`. Separate fields by spaces, and quote a value with spaces.\n';
  for (const { title, rows } of referenceTables()) {
    yield `\n## ${title}\n\n| Name | Effect |\n| --- | --- |\n`;
    for (const row of rows) yield `${tableRow(row)}\n`;
  }
};
