import { extname } from 'node:path';
import { endRecord, summaryRecord, turnRecord } from '../journal/records.ts';
import { promptTime, timeText, type PromptTime } from '../prompt-time.ts';
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
  readonly siblings?: boolean;
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

function remarkOf(
  conversation: Conversation,
  turn: Turn,
  siblings: boolean,
  time: PromptTime | undefined,
  isOmitted: boolean,
): string {
  const versions = siblings ? versionsOf(conversation, turn) : [];
  const isSelected = conversation.selection.get(turn.parent) === turn.id;
  const remarks = [
    time && timeText(time),
    versions.length > 1 && `version ${versions.indexOf(turn) + 1} of ${versions.length}`,
    versions.length > 1 && isSelected && 'selected',
    turn.refusal !== undefined && 'refused',
    turn.finishReason === 'length' && 'reached the token limit',
    endRemark(turn),
    isOmitted && 'not answered, not sent again',
  ];
  return remarks.filter((text) => typeof text === 'string').join(', ');
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
  { siblings = false, reasoning = false, times = false }: ExportOptions,
): readonly ExportedTurn[] {
  const turns = siblings ? [...conversation.turns.values()] : pathOf(conversation);
  const omitted = omittedPrompts(conversation);
  let before: Date | undefined;
  return turns.flatMap((turn): readonly ExportedTurn[] => {
    const isTimed = times && turn.role === 'user';
    const time = isTimed ? promptTime(turn.createdAt, before) : undefined;
    if (turn.role !== 'system') before = turn.createdAt;
    const remark = remarkOf(conversation, turn, siblings, time, omitted.has(turn));
    const thought = reasoning ? reasoningOf(turn) : '';
    const exported = { turn, speaker: speakerOf(turn), remark, reasoning: thought, gap: time?.gap };
    const summary = conversation.summaries?.get(turn.id);
    return summary === undefined ? [exported] : [exported, exportedSummary(summary)];
  });
}

/** The reasoning as a quotation, so that it cannot be taken for the answer. */
const quoted = (reasoning: string) =>
  reasoning === '' ? '' : `_Reasoning:_\n\n${reasoning.replaceAll(/^/gm, '> ')}\n\n`;

/** Makes a Markdown document in pieces: the title, then each turn under its speaker, unchanged. */
export function* exportMarkdown(conversation: Conversation, options: ExportOptions) {
  const { id, createdAt } = conversation;
  const date = createdAt.toISOString().slice(0, 10);
  yield `# ${titleOf(conversation) || id}\n\n_${date}, conversation ${id}_\n`;
  for (const { turn, speaker, remark, reasoning, gap } of exportedTurns(conversation, options)) {
    const before = gap === undefined ? '' : `\n_${gap}_\n`;
    const note = remark === '' ? '' : ` (${remark})`;
    const text = textOf(turn).replace(/\n?$/, '\n');
    yield `${before}\n## ${speaker}${note}\n\n${quoted(reasoning)}${text}`;
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
    summaries: summaries && Array.from(summaries.values(), summaryDocument),
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
