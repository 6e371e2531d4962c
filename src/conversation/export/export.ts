import { extname } from 'node:path';
import { endRecord, summaryRecord, turnRecord } from '../journal/records.ts';
import { promptTime, timeText } from '../prompt-time.ts';
import {
  isAnswer,
  pathOf,
  reasoningOf,
  textOf,
  titleOf,
  versionsOf,
  type Conversation,
  type Turn,
} from '../tree.ts';

export interface ExportOptions {
  /** All versions of every turn, instead of the selected ones. */
  readonly siblings?: boolean;
  /** The reasoning of answers, too. */
  readonly reasoning?: boolean;
  /** When prompts were sent, too; JSON always has it. */
  readonly times?: boolean;
}

/** Why an answer is not whole, once; undefined for a whole one. */
function endRemark(turn: Turn): string | undefined {
  const { failure } = turn;
  const reason = failure === 'incomplete' ? 'cut off' : failure?.replaceAll('_', ' ');
  if (turn.incomplete !== true) return reason;
  const state = isAnswer(turn) ? 'incomplete' : 'no answer';
  return reason === undefined ? state : `${state}: ${reason}`;
}

/** The selected turns in order, or all turns, oldest first; with the summaries. */
export function exportedTurns(
  conversation: Conversation,
  { siblings = false, reasoning = false, times = false }: ExportOptions,
) {
  const path = pathOf(conversation);
  const said = path.filter(({ role }) => role !== 'system');
  const last = said.findLastIndex(({ role }) => role === 'user');
  // Requests omit a prompt without an answer, unless it is the last one.
  const isOmitted = ({ role }: Turn, index: number) =>
    role === 'user' && index < last && !isAnswer(said[index + 1]);
  const omitted = new Set(said.filter(isOmitted));
  const turns = siblings ? [...conversation.turns.values()] : path;
  let before: Date | undefined;
  return turns.flatMap((turn) => {
    const isTimed = times && turn.role === 'user';
    const time = isTimed ? promptTime(turn.createdAt, before) : undefined;
    if (turn.role !== 'system') before = turn.createdAt;
    const versions = siblings ? versionsOf(conversation, turn) : [];
    const isSelected = conversation.selection.get(turn.parent) === turn.id;
    const remarks = [
      time && timeText(time),
      versions.length > 1 && `version ${versions.indexOf(turn) + 1} of ${versions.length}`,
      versions.length > 1 && isSelected && 'selected',
      turn.refusal !== undefined && 'refused',
      turn.finishReason === 'length' && 'reached the token limit',
      endRemark(turn),
      omitted.has(turn) && 'not answered, not sent again',
    ];
    const exported = {
      turn,
      /** `You`, `System`, `Summary`, or the model. */
      speaker: { user: 'You', system: 'System', assistant: turn.model ?? 'Assistant' }[turn.role],
      /** Such as `version 2 of 3, incomplete`; may be empty. */
      remark: remarks.filter((text) => typeof text === 'string').join(', '),
      reasoning: reasoning ? reasoningOf(turn) : '',
      /** A line before the turn; see `promptTime`. */
      gap: time?.gap,
      /** Written by a model, as answers are. */
      isSummary: false,
    };
    const summary = conversation.summaries?.get(turn.id);
    if (summary === undefined) return [exported];
    const id = `${turn.id}-summary`;
    const summaryTurn: Turn = { ...summary, id, parent: turn.id, role: 'system' };
    const remark = 'sent instead of the turns above';
    const shown = { turn: summaryTurn, speaker: 'Summary', remark, isSummary: true };
    return [exported, { ...shown, reasoning: '', gap: undefined }];
  });
}

/** Makes a Markdown document in pieces: the title, then each turn under its speaker, unchanged. */
export function* exportMarkdown(conversation: Conversation, options: ExportOptions) {
  const { id, createdAt } = conversation;
  const date = createdAt.toISOString().slice(0, 10);
  yield `# ${titleOf(conversation) || id}\n\n_${date}, conversation ${id}_\n`;
  for (const { turn, speaker, remark, reasoning, gap } of exportedTurns(conversation, options)) {
    const before = gap === undefined ? '' : `\n_${gap}_\n`;
    const note = remark === '' ? '' : ` (${remark})`;
    // As a quotation, reasoning cannot be taken for the answer.
    const quoted = `_Reasoning:_\n\n${reasoning.replaceAll(/^/gm, '> ')}\n\n`;
    const text = textOf(turn).replace(/\n?$/, '\n');
    yield `${before}\n## ${speaker}${note}\n\n${reasoning === '' ? '' : quoted}${text}`;
  }
}

/** Makes a document `{id, title, created_at, selected: [turn ids], turns: [{id, parent, role, content, …}]}` in pieces. */
export function* exportJson(
  conversation: Conversation,
  { siblings = false, reasoning = false }: ExportOptions,
) {
  const { id, createdAt, summaries } = conversation;
  const path = pathOf(conversation);
  const head = {
    id,
    title: titleOf(conversation),
    created_at: createdAt.toISOString(),
    selected: path.map((turn) => turn.id),
    summaries:
      summaries &&
      Array.from(summaries.values(), (summary) => {
        const { type: _type, after: _after, ...document } = summaryRecord(summary);
        return document;
      }),
  };
  yield `${JSON.stringify(head, undefined, 2).slice(0, -2)},\n  "turns": [`;
  let separator = '\n    ';
  for (const turn of siblings ? conversation.turns.values() : path) {
    // The fields of the journal's records of a turn, in one object.
    const { type: _turn, next_model: _nextModel, ...begun } = turnRecord(turn);
    const { type: _end, turn: _id, ...end } = endRecord(turn.id, turn);
    const thought = (reasoning && reasoningOf(turn)) || undefined;
    const document = { ...begun, reasoning: thought, refusal: turn.refusal, ...end };
    const text = JSON.stringify(document, undefined, 2);
    yield separator + text.replaceAll('\n', '\n    ');
    separator = ',\n    ';
  }
  yield separator.startsWith(',') ? '\n  ]\n}\n' : ']\n}\n';
}

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

/** Makes the text of an export in pieces, because a conversation may have 100 MB. */
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
