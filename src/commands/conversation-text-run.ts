import { writeFile } from 'node:fs/promises';
import { extname } from 'node:path';

import { exportJson } from '../conversation/export/json.ts';
import { exportMarkdown } from '../conversation/export/markdown.ts';
import type { Conversation } from '../conversation/tree.ts';
import { Failure } from '../failure.ts';
import { errorCode, storageFailure } from '../storage/storage-failure.ts';
import { escapeJson } from '../terminal/escape-json.ts';
import { sanitize } from '../terminal/sanitizer.ts';
import type { ExportOptions, ShowOptions } from './conversations.ts';
import type { Context } from './context.ts';
import { readConversation } from './library-access.ts';
import { present } from './presentation.ts';
import { printMarkdown } from './print-markdown.ts';
import { refuseReservedName } from './refuse-reserved-name.ts';

type Format = NonNullable<ExportOptions['format']>;

const extensions: Readonly<Record<string, Format>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.json': 'json',
  '.html': 'html',
  '.htm': 'html',
};

/** Runs `natter conversations show`. @throws Failure */
export async function showConversation(
  context: Context,
  options: ShowOptions,
  name: string,
): Promise<void> {
  const presentation = present(context, options);
  const conversation = readConversation(context, presentation.notices, name);
  const versions = { siblings: options.siblings === true };
  if (options.json === true) {
    await context.streams.stdout.write(escapeJson(exportJson(conversation, versions)));
    return;
  }
  await printMarkdown(context, presentation, exportMarkdown(conversation, versions));
}

function formatOf({ format, output }: ExportOptions): Format {
  if (format !== undefined || output === undefined) return format ?? 'markdown';
  const extension = extname(output).toLowerCase();
  const named = extensions[extension];
  if (named !== undefined) return named;
  throw new Failure('usage', `the name ${output} does not tell the format`, {
    hint: 'end it in .md, .json or .html, or add --format',
  });
}

async function exported(
  conversation: Conversation,
  format: Format,
  siblings: boolean,
): Promise<string> {
  if (format === 'markdown') return exportMarkdown(conversation, { siblings });
  if (format === 'json') return exportJson(conversation, { siblings });
  const { exportHtml } = await import('../conversation/export/html.ts');
  return exportHtml(conversation, { siblings });
}

async function writeExport(
  path: string,
  text: string,
  force: boolean,
  platform: NodeJS.Platform,
): Promise<void> {
  refuseReservedName(path, platform);
  try {
    await writeFile(path, text, { flag: force ? 'w' : 'wx', mode: 0o600 });
  } catch (error) {
    if (errorCode(error) === 'EEXIST') {
      throw new Failure('usage', `${path} is there already`, {
        hint: 'choose another name, or add --force to replace it',
      });
    }
    throw storageFailure('write', path, error);
  }
}

/** Runs `natter conversations export`. @throws Failure */
export async function exportConversation(
  context: Context,
  options: ExportOptions,
  name: string,
): Promise<void> {
  const { notices } = present(context, options);
  const format = formatOf(options);
  const conversation = readConversation(context, notices, name);
  const text = await exported(conversation, format, options.siblings === true);
  const { output } = options;
  if (output === undefined || output === '-') {
    const { stdout } = context.streams;
    await stdout.write(stdout.isTerminal ? sanitize(text) : text);
    return;
  }
  await writeExport(output, text, options.force === true, context.platform);
  notices.notice(`wrote ${output}`);
}
