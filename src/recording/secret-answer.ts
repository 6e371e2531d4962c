import { isJsonObject, parseJson } from '../json.ts';
import {
  decidedEnd,
  harmlessLength,
  joinRanges,
  mark,
  type Range,
  type SecretFilter,
} from '../secrecy/secret-filter.ts';
import type { Piece, SecretPieces } from './secret-bytes.ts';

/** A text of one event: the part of a longer text that continues in later events. */
interface Part {
  readonly text: string;
  /** Without secrets, the mark where one begins. Undefined while later parts may complete a secret in it. */
  masked?: string;
}

/** One line of a body, with its end. */
interface Line {
  readonly text: string;
  /** What is before the JSON of an event: `data: `. */
  readonly prefix: string;
  /** Undefined if the line is not part of an answer. */
  readonly value: unknown;
  /** The texts in `value`, in its order. */
  readonly parts: readonly Part[];
}

/** The value with each text below `choices` changed; a text continues from event to event at the same path. */
function changeTexts(
  value: unknown,
  path: string,
  change: (path: string, text: string) => string,
): unknown {
  if (typeof value === 'string') return change(path, value);
  if (Array.isArray(value)) {
    return value.map((one, index) => changeTexts(one, `${path}.${index}`, change));
  }
  if (!isJsonObject(value)) return value;
  const fields = Object.entries(value).map(([name, one]) => [
    name,
    path === '' && name !== 'choices' ? one : changeTexts(one, `${path}.${name}`, change),
  ]);
  return Object.fromEntries(fields) as unknown;
}

/** How many of the first parts end at or before `end`, and not within a secret. */
function countDecided(
  parts: readonly Part[],
  ranges: readonly Range[],
  start: number,
  end: number,
): number {
  let [count, position, next] = [0, start, 0];
  for (const [index, { text }] of parts.entries()) {
    position += text.length;
    if (position > end) break;
    while ((ranges[next]?.end ?? Infinity) <= position) next += 1;
    if ((ranges[next]?.start ?? Infinity) >= position) count = index + 1;
  }
  return count;
}

/** Masks the parts of a text, whose first one begins at `start`. @returns where the last one ends */
function maskParts(
  text: string,
  ranges: readonly Range[],
  start: number,
  parts: readonly Part[],
): number {
  let [position, next] = [start, 0];
  for (const [index, part] of parts.entries()) {
    const end = position + part.text.length;
    let masked = '';
    let shown = position;
    for (let range = ranges[next]; range !== undefined && range.start < end; range = ranges[next]) {
      masked += text.slice(shown, Math.max(shown, range.start));
      if (range.start >= position || index === 0) masked += mark;
      shown = Math.min(range.end, end);
      if (range.end > end) break;
      next += 1;
    }
    part.masked = masked + text.slice(shown, end);
    position = end;
  }
  return position;
}

/** Masks the parts of one text, each as soon as no later part can complete a secret in it. */
function createGrowingText(filter: SecretFilter) {
  /** The end of the masked parts, in which a secret may begin. */
  let before = '';
  let waiting: Part[] = [];
  return {
    add(text: string): Part {
      const part = { text };
      waiting.push(part);
      return part;
    },
    /** @param isLast whether no part follows */
    mask(isLast: boolean): void {
      const text = before + waiting.map((part) => part.text).join('');
      const search = filter.search();
      const ranges = joinRanges(search.read(text)).filter(({ end }) => end > before.length);
      const decided = isLast ? text.length : decidedEnd(ranges, search.openEnd);
      const count = countDecided(waiting, ranges, before.length, decided);
      const end = maskParts(text, ranges, before.length, waiting.slice(0, count));
      waiting = waiting.slice(count);
      const after = ranges.findLast((range) => range.end <= end)?.end ?? 0;
      before = text.slice(Math.max(after, end - harmlessLength), end);
    },
  };
}

/** Bytes as text in which every character is a byte. */
const bytesText = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const utf8Of = (text: string) => Buffer.from(text, 'latin1').toString();

const isDecided = ({ parts }: Line) => parts.every(({ masked }) => masked !== undefined);
const hasSecret = ({ parts }: Line) => parts.some(({ masked, text }) => masked !== text);

function maskedText(line: Line): string {
  if (!hasSecret(line)) return line.text;
  const parts = line.parts.values();
  const changed = changeTexts(line.value, '', () => parts.next().value?.masked ?? '');
  const json = Buffer.from(JSON.stringify(changed)).toString('latin1');
  return `${line.prefix}${json}${line.text.slice(line.text.trimEnd().length)}`;
}

/** Reads the lines of an answer, as events or whole, and masks the texts of its choices. */
function createAnswerTexts(filter: SecretFilter) {
  const texts = new Map<string, ReturnType<typeof createGrowingText>>();
  const changed = new Set<ReturnType<typeof createGrowingText>>();
  return {
    read(line: string): Line {
      const { prefix = '', json } =
        /^(?<prefix>(?:data: ?)?)(?<json>\{.*\})\s*$/s.exec(line)?.groups ?? {};
      const value = json === undefined ? undefined : parseJson(utf8Of(json));
      const parts: Part[] = [];
      changeTexts(value, '', (path, part) => {
        const text = texts.get(path) ?? createGrowingText(filter);
        texts.set(path, text);
        changed.add(text);
        parts.push(text.add(part));
        return part;
      });
      return { text: line, prefix, value, parts };
    },
    mask(isLast: boolean): void {
      for (const text of isLast ? texts.values() : changed) text.mask(isLast);
      changed.clear();
    },
  };
}

/** Pieces in the order of their bytes, of which lines take one stretch after the other. */
function createHeldPieces<Kind extends Piece>() {
  let held: Kind[] = [];
  /** Bytes of the first piece that belong to lines before. */
  let taken = 0;
  return {
    add: (piece: Kind) => void held.push(piece),
    /** The pieces that end in these lines; if one has a secret, all as one piece, in the place of the last. */
    release(lines: readonly Line[]): readonly Kind[] {
      const end = lines.reduce((sum, { text }) => sum + text.length, taken);
      let [count, covered] = [0, 0];
      for (const { bytes } of held) {
        if (covered + bytes.length > end) break;
        covered += bytes.length;
        count += 1;
      }
      const [ready, later] = [held.slice(0, count), held.slice(count)];
      const [cut] = end > covered ? later : [];
      if (!lines.some(hasSecret)) {
        [held, taken] = [later, end - covered];
        return ready;
      }
      const last = cut ?? ready.at(-1);
      const start = bytesText(held[0]?.bytes.subarray(0, taken) ?? new Uint8Array());
      const text = start + lines.map(maskedText).join('');
      if (cut !== undefined) later[0] = { ...cut, bytes: cut.bytes.subarray(end - covered) };
      [held, taken] = [later, 0];
      return last === undefined ? [] : [{ ...last, bytes: Buffer.from(text, 'latin1') }];
    },
  };
}

/**
 * Takes secrets out of the texts of an answer that a service spells out over several events. Pieces without a part of
 * a secret pass as they are. Each byte is read a bounded number of times.
 */
export function createSecretAnswer<Kind extends Piece>(filter: SecretFilter): SecretPieces<Kind> {
  const answer = createAnswerTexts(filter);
  const pieces = createHeldPieces<Kind>();
  let lines: Line[] = [];
  /** The start of a line that has not ended. */
  let rest: string[] = [];
  const release = (isLast: boolean): readonly Kind[] => {
    answer.mask(isLast);
    const waiting = lines.findIndex((line) => !isDecided(line));
    if (waiting === 0) return [];
    const ready = waiting === -1 ? lines : lines.slice(0, waiting);
    lines = lines.slice(ready.length);
    return pieces.release(ready);
  };
  return {
    take(piece) {
      pieces.add(piece);
      const text = bytesText(piece.bytes);
      const end = text.lastIndexOf('\n') + 1;
      rest.push(text.slice(0, end || undefined));
      if (end === 0) return [];
      for (const line of rest.join('').split(/(?<=\n)/)) lines.push(answer.read(line));
      rest = [text.slice(end)];
      return release(false);
    },
    end() {
      lines.push(answer.read(rest.join('')));
      rest = [];
      return release(true);
    },
  };
}
