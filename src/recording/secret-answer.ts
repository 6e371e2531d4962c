import { isJsonObject, parseJson } from '../json.ts';
import { createGrowingText, type GrowingText } from '../secrecy/growing-text.ts';
import type { SecretFilter } from '../secrecy/secret-filter.ts';
import type { Piece, SecretPieces } from './secret-bytes.ts';

/** One line of a body, with its end. */
interface Line {
  readonly text: string;
  /** What is before the JSON of an event: `data: `. */
  readonly prefix: string;
  /** Undefined where the line is not part of an answer. */
  readonly value: unknown;
  /** For each text in `value`, by its path, the number of its part in {@link GrowingText}. */
  readonly parts: ReadonlyMap<string, number>;
}

type Change = (path: string, text: string) => string;

/** The value with each text below `choices` changed; a text continues from event to event at the same path. */
function changeTexts(value: unknown, path: string, change: Change): unknown {
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

/** Bytes as text in which every character is a byte. */
const bytesText = (bytes: Uint8Array) => Buffer.from(bytes).toString('latin1');
const utf8Of = (text: string) => Buffer.from(text, 'latin1').toString();

/** Answers as events or whole: the texts of their choices, and what changes of them where a secret is in them. */
function createAnswerTexts(filter: SecretFilter) {
  const texts = new Map<string, GrowingText>();
  const textAt = (path: string): GrowingText => {
    const text = texts.get(path) ?? createGrowingText(filter);
    texts.set(path, text);
    return text;
  };
  return {
    read(line: string): Line {
      const { prefix = '', json } =
        /^(?<prefix>(?:data: ?)?)(?<json>\{.*\})\s*$/s.exec(line)?.groups ?? {};
      const value = json === undefined ? undefined : parseJson(utf8Of(json));
      const parts = new Map<string, number>();
      changeTexts(value, '', (path, text) => {
        parts.set(path, textAt(path).add(text));
        return text;
      });
      return { text: line, prefix, value, parts };
    },
    masked({ text, prefix, value, parts }: Line): string {
      let isChanged = false;
      const changed = changeTexts(value, '', (path, part) => {
        const masked = textAt(path).masked(parts.get(path) ?? 0);
        isChanged ||= masked !== part;
        return masked;
      });
      if (!isChanged) return text;
      const json = Buffer.from(JSON.stringify(changed)).toString('latin1');
      return `${prefix}${json}${/\s*$/.exec(text)?.[0] ?? ''}`;
    },
    isOpen: () => [...texts.values()].some((text) => text.isOpen()),
    hasSecret: () => [...texts.values()].some((text) => text.hasSecret()),
    settle() {
      for (const text of texts.values()) text.settle();
    },
  };
}

/**
 * Takes secrets out of the texts of an answer that a service spells out over several events. Pieces in which no
 * secret is pass as they are; the others become one, in the place of the last of them.
 */
export function createSecretAnswer<Kind extends Piece>(filter: SecretFilter): SecretPieces<Kind> {
  const answer = createAnswerTexts(filter);
  let held: Kind[] = [];
  let lines: Line[] = [];
  let rest = '';
  const release = (): readonly Kind[] => {
    const last = held.at(-1);
    const pieces = held;
    const text = lines.map((line) => answer.masked(line)).join('') + rest;
    const isMasked = answer.hasSecret();
    answer.settle();
    [held, lines, rest] = [[], [], ''];
    if (!isMasked || last === undefined) return pieces;
    return [{ ...last, bytes: Buffer.from(text, 'latin1') }];
  };
  return {
    take(piece) {
      held.push(piece);
      const whole = (rest + bytesText(piece.bytes)).split(/(?<=\n)/);
      rest = whole.at(-1)?.endsWith('\n') === true ? '' : (whole.pop() ?? '');
      lines.push(...whole.map((line) => answer.read(line)));
      return rest !== '' || answer.isOpen() ? [] : release();
    },
    end() {
      if (rest !== '') lines.push(answer.read(rest));
      rest = '';
      return release();
    },
  };
}
