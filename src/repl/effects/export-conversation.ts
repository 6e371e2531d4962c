import { formatOfName, exportAs, type ExportFormat } from '../../conversation/export/format.ts';
import { titleOf, type Conversation } from '../../conversation/tree.ts';
import { Failure } from '../../failure.ts';
import { runTask, type SessionCore } from '../session/session-core.ts';
import type { Dialog, DialogChoice } from '../state/dialog.ts';
import type { Effect } from '../state/effect.ts';
import { notice, type Entry } from '../state/entry.ts';

type ExportEffect = Extract<Effect, { readonly type: 'export' }>;

const formats: readonly {
  readonly format: ExportFormat;
  readonly name: string;
  readonly extension: string;
}[] = [
  { format: 'markdown', name: 'Markdown', extension: '.md' },
  { format: 'json', name: 'JSON', extension: '.json' },
  { format: 'html', name: 'HTML', extension: '.html' },
];

/** The word that names a format: its name or its extension. */
const formatOfWord = (word: string) =>
  formats.find(({ format, extension }) =>
    [format, extension.slice(1)].includes(word.toLowerCase()),
  );

/** UTF-16 units of a name from a title. */
const maxName = 40;

/** A file name from the title, without extension. */
function nameOf(conversation: Conversation): string {
  const words =
    titleOf(conversation)
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? [];
  let name = '';
  for (const word of words) {
    const longer = name === '' ? word : `${name}-${word}`;
    if (longer.length > maxName) break;
    name = longer;
  }
  return name === '' ? conversation.id : name;
}

const cancel: DialogChoice = { key: 'cancel', label: 'write nothing' };

/** Asks for the format of a file without a known extension. */
function formatDialog(name: string): Dialog {
  const choices = formats.map((format): DialogChoice => {
    const argument = `${name}${format.extension}`;
    return { key: 'export', label: `${format.name}: ${argument}`, argument };
  });
  const title = 'export this conversation as';
  return { type: 'choice', title, choices: [...choices, cancel], selected: 0 };
}

/** `tea-2.md` for `tea.md`: the first such name without a file. */
function freeName({ ports }: SessionCore, name: string): string {
  const dot = name.lastIndexOf('.');
  for (let number = 2; ; number += 1) {
    const other = `${name.slice(0, dot)}-${number}${name.slice(dot)}`;
    const kind = ports.files.kindOf(other);
    if (kind !== 'file' && kind !== 'folder') return other;
  }
}

function replaceDialog(core: SessionCore, name: string): Dialog {
  const other = freeName(core, name);
  return {
    type: 'choice',
    title: `${name} exists already`,
    choices: [
      { key: 'export', label: `write ${other}`, argument: other },
      { key: 'export', label: 'replace it', argument: name, replaces: true },
      cancel,
    ],
    selected: 0,
  };
}

/** `204 bytes`, `21 kB`, `1.2 MB`. */
function sizeText(bytes: number): string {
  if (bytes < 1000) return `${bytes} bytes`;
  return bytes < 1e6 ? `${Math.round(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

async function exportTo(
  core: SessionCore,
  name: string,
  replaces: boolean,
): Promise<readonly Entry[]> {
  const conversation = core.journal().conversation();
  const format = formatOfName(name);
  if (format === undefined) {
    core.dispatch({ type: 'dialog-opened', dialog: formatDialog(name) });
    return [];
  }
  const pieces = await exportAs(conversation, format, { siblings: false });
  const written = await core.ports.files.writePrivate(name, pieces, replaces);
  if (written === undefined) {
    core.dispatch({ type: 'dialog-opened', dialog: replaceDialog(core, name) });
    return [];
  }
  const shown = formats.find((known) => known.format === format)?.name ?? format;
  return [notice(`exported to ${written.path} (${shown}, ${sizeText(written.bytes)})`)];
}

/** Exports the conversation; asks for the format, and before it replaces a file. */
export function runExport(core: SessionCore, { argument, replaces }: ExportEffect): Promise<void> {
  return runTask(core, async () => {
    const conversation = core.journal().conversation();
    if (conversation.turns.size === 0) {
      throw new Failure('usage', 'there is nothing to export yet', { hint: 'type a prompt first' });
    }
    const named = formatOfWord(argument);
    if (named !== undefined) {
      return exportTo(core, `${nameOf(conversation)}${named.extension}`, false);
    }
    return exportTo(core, argument === '' ? nameOf(conversation) : argument, replaces === true);
  });
}
