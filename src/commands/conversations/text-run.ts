import { writeFile } from 'node:fs/promises';
import { exportJson, exportMarkdown } from '../../conversation/export/export.ts';
import { exportAs, formatOfName, type ExportFormat } from '../../conversation/export/format.ts';
import { Failure } from '../../failure.ts';
import { errorCode, storageFailure } from '../../storage/storage-failure.ts';
import { escapeJson, sanitize } from '../../terminal/safety/sanitizer.ts';
import { readConversation } from '../journal/library-access.ts';
import { present, type Action, type GlobalOptions, type JsonOptions } from '../../run.ts';
import { printMarkdown } from '../print/answer-output.ts';
import { storedLook } from '../print/stored-look.ts';
import { refuseReservedName } from '../../storage/file-name.ts';

export interface ShowOptions extends JsonOptions {
  readonly siblings?: boolean;
}

export interface ExportOptions extends GlobalOptions {
  readonly output?: string;
  readonly format?: ExportFormat;
  readonly siblings?: boolean;
  readonly force?: boolean;
}

/** Minimum UTF-16 units of one write. A large conversation is never a single string. */
const minWriteLength = 1 << 16;

/** Joins pieces of text, each transformed by `transform`, to chunks worth a write. */
function* grouped(
  pieces: Iterable<string>,
  transform: (text: string) => string = (text) => text,
): Generator<string, void> {
  let group: string[] = [];
  let size = 0;
  for (const piece of pieces) {
    const text = transform(piece);
    group.push(text);
    size += text.length;
    if (size < minWriteLength) continue;
    yield group.join('');
    [group, size] = [[], 0];
  }
  yield group.join('');
}

export const showConversation: Action<ShowOptions, [name: string]> = async (
  context,
  options,
  name,
) => {
  const presentation = await present(context, options);
  const conversation = readConversation(context, presentation.notices, name);
  const versions = { siblings: options.siblings === true };
  if (options.json === true) {
    const pieces = grouped(exportJson(conversation, versions), escapeJson);
    for (const text of pieces) await context.streams.stdout.write(text);
    return;
  }
  const look = await storedLook(context, presentation, options);
  await printMarkdown(context, presentation, exportMarkdown(conversation, versions), look);
};

function formatOf({ format, output }: ExportOptions): ExportFormat {
  if (format !== undefined || output === undefined) return format ?? 'markdown';
  const named = formatOfName(output);
  if (named !== undefined) return named;
  throw new Failure('usage', `cannot infer the format from the name ${output}`, {
    hint: 'use the extension .md, .json or .html, or add --format',
  });
}

async function writeExport(
  path: string,
  text: Iterable<string>,
  force: boolean,
  platform: NodeJS.Platform,
): Promise<void> {
  refuseReservedName(path, platform);
  try {
    await writeFile(path, text, { flag: force ? 'w' : 'wx', mode: 0o600 });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') {
      throw new Failure('usage', `${path} already exists`, {
        hint: 'use a different name, or --force to replace it',
      });
    }
    throw storageFailure('write', path, error);
  }
}

export const exportConversation: Action<ExportOptions, [name: string]> = async (
  context,
  options,
  name,
) => {
  const { notices } = await present(context, options);
  const format = formatOf(options);
  const conversation = readConversation(context, notices, name);
  const pieces = await exportAs(conversation, format, { siblings: options.siblings === true });
  const { output } = options;
  if (output === undefined || output === '-') {
    const { stdout } = context.streams;
    const clean = stdout.isTerminal ? sanitize : (text: string) => text;
    for (const text of grouped(pieces, clean)) await stdout.write(text);
    return;
  }
  await writeExport(output, grouped(pieces), options.force === true, context.platform);
  notices.notice(`wrote ${output}`);
};
