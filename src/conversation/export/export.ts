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
  type Summary,
  type Turn,
} from '../tree.ts';

export interface ExportOptions {
  /** All versions of every turn, instead of the selected ones. */
  readonly siblings: boolean;
  /** The reasoning of answers, too. */
  readonly reasoning?: boolean;
  /** When prompts were sent, too; JSON always has it. */
  readonly times?: boolean;
}

export interface ExportedTurn {
  readonly turn: Turn;
  /** `You`, `System`, `Summary`, or the model. */
  readonly speaker: string;
  /** Such as `version 2 of 3, incomplete`; may be empty. */
  readonly remark: string;
  /** Written by a model, as answers are. */
  readonly isSummary?: boolean;
  /** Empty without {@link ExportOptions.reasoning}. */
  readonly reasoning: string;
  /** A line before the turn; see {@link PromptTime}. */
  readonly gap?: string | undefined;
}

function speakerOf({ role, model }: Turn): string {
  if (role === 'assistant') return model ?? 'Assistant';
  return role === 'user' ? 'You' : 'System';
}

/** Why an answer is not whole, once; undefined for a whole one. */
function endRemark(turn: Turn): string | undefined {
  const { failure } = turn;
  const reason = failure === 'incomplete' ? 'cut off' : failure?.replaceAll('_', ' ');
  if (turn.incomplete !== true) return reason;
  const state = isAnswer(turn) ? 'incomplete' : 'no answer';
  return reason === undefined ? state : `${state}: ${reason}`;
}

/** The prompts that requests omit: without an answer, and not the last one. */
function omittedPrompts(conversation: Conversation): ReadonlySet<Turn> {
  const path = pathOf(conversation).filter(({ role }) => role !== 'system');
  const last = path.findLastIndex(({ role }) => role === 'user');
  return new Set(
    path.filter(({ role }, index) => role === 'user' && index < last && !isAnswer(path[index + 1])),
  );
}

function remarkOf(conversation: Conversation, turn: Turn, { siblings }: ExportOptions): string {
  const versions = siblings ? versionsOf(conversation, turn) : [];
  const remarks: string[] = [];
  if (versions.length > 1) {
    remarks.push(`version ${versions.indexOf(turn) + 1} of ${versions.length}`);
    if (conversation.selection.get(turn.parent) === turn.id) remarks.push('selected');
  }
  if (turn.refusal !== undefined) remarks.push('refused');
  if (turn.finishReason === 'length') remarks.push('reached the token limit');
  const end = endRemark(turn);
  if (end !== undefined) remarks.push(end);
  return remarks.join(', ');
}

/** A summary in the order of the turns, after the last one that it replaces. */
function exportedSummary({ turn, content, createdAt }: Summary): ExportedTurn {
  return {
    turn: { id: `${turn}-summary`, parent: turn, role: 'system', content, createdAt },
    speaker: 'Summary',
    remark: 'sent instead of the turns above',
    isSummary: true,
    reasoning: '',
  };
}

/** The selected turns in order, or all turns, oldest first; with the summaries. */
export function exportedTurns(
  conversation: Conversation,
  options: ExportOptions,
): readonly ExportedTurn[] {
  const turns = options.siblings ? [...conversation.turns.values()] : pathOf(conversation);
  const omitted = omittedPrompts(conversation);
  let before: Date | undefined;
  return turns.flatMap((turn) => {
    const isTimed = options.times === true && turn.role === 'user';
    const time = isTimed ? promptTime(turn.createdAt, before) : undefined;
    if (turn.role !== 'system') before = turn.createdAt;
    const own = remarkOf(conversation, turn, options);
    const remarks = [
      ...(time === undefined ? [] : [timeText(time)]),
      own,
      ...(omitted.has(turn) ? ['not answered, not sent again'] : []),
    ];
    const remark = remarks.filter((text) => text !== '').join(', ');
    const summary = conversation.summaries?.get(turn.id);
    const reasoning = options.reasoning === true ? reasoningOf(turn) : '';
    return [
      { turn, speaker: speakerOf(turn), remark, reasoning, gap: time?.gap },
      ...(summary === undefined ? [] : [exportedSummary(summary)]),
    ];
  });
}

/** The reasoning as a quotation, so that it cannot be taken for the answer. */
const quoted = (reasoning: string) =>
  reasoning === '' ? '' : `_Reasoning:_\n\n${reasoning.replaceAll(/^/gm, '> ')}\n\n`;

const withLineEnd = (text: string) => (text.endsWith('\n') ? text : `${text}\n`);

/** A Markdown document in pieces: the title, then each turn under its speaker, unchanged. */
export function* exportMarkdown(
  conversation: Conversation,
  options: ExportOptions,
): Generator<string, void> {
  const date = conversation.createdAt.toISOString().slice(0, 10);
  yield `# ${titleOf(conversation) || conversation.id}\n\n_${date}, conversation ${conversation.id}_\n`;
  for (const { turn, speaker, remark, reasoning, gap } of exportedTurns(conversation, options)) {
    if (gap !== undefined) yield `\n_${gap}_\n`;
    const note = remark === '' ? '' : ` (${remark})`;
    yield `\n## ${speaker}${note}\n\n${quoted(reasoning)}${withLineEnd(textOf(turn))}`;
  }
}

/** The fields of the journal's records of a turn, in one object. */
function turnDocument(turn: Turn, hasReasoning: boolean) {
  const { type: _turn, next_model: _nextModel, ...document } = turnRecord(turn);
  const { type: _end, turn: _id, ...end } = endRecord(turn.id, turn);
  const reasoning = (hasReasoning && reasoningOf(turn)) || undefined;
  return { ...document, reasoning, refusal: turn.refusal, ...end };
}

function summaryDocument(summary: Summary) {
  const { type: _type, after: _after, ...document } = summaryRecord(summary);
  return document;
}

/** `{id, title, created_at, selected: [turn ids], turns: [{id, parent, role, content, …}]}`, in pieces. */
export function* exportJson(
  conversation: Conversation,
  { siblings, reasoning = false }: ExportOptions,
): Generator<string, void> {
  const path = pathOf(conversation);
  const head = {
    id: conversation.id,
    title: titleOf(conversation),
    created_at: conversation.createdAt.toISOString(),
    selected: path.map(({ id }) => id),
    summaries:
      conversation.summaries && Array.from(conversation.summaries.values(), summaryDocument),
  };
  yield `${JSON.stringify(head, undefined, 2).slice(0, -2)},\n  "turns": [`;
  let separator = '\n    ';
  for (const turn of siblings ? conversation.turns.values() : path) {
    const document = JSON.stringify(turnDocument(turn, reasoning), undefined, 2);
    yield separator + document.replaceAll('\n', '\n    ');
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
