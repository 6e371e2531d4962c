import { extname } from 'node:path';
import type { Conversation } from '../tree.ts';
import { exportJson, exportMarkdown, type ExportOptions } from './export.ts';

export type ExportFormat = 'markdown' | 'json' | 'html';

const extensions: Readonly<Record<string, ExportFormat>> = {
  '.md': 'markdown',
  '.markdown': 'markdown',
  '.json': 'json',
  '.html': 'html',
  '.htm': 'html',
};

/** The format that the extension of a file names; undefined for any other. */
export function formatOfName(name: string): ExportFormat | undefined {
  return extensions[extname(name).toLowerCase()];
}

/** The text of an export, in pieces. */
export async function exportAs(
  conversation: Conversation,
  format: ExportFormat,
  options: ExportOptions,
): Promise<Iterable<string>> {
  if (format === 'markdown') return exportMarkdown(conversation, options);
  if (format === 'json') return exportJson(conversation, options);
  const { exportHtml } = await import('./html.ts');
  return exportHtml(conversation, options);
}
