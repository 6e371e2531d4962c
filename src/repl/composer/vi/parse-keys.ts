const operators = ['d', 'c', 'y', '>', '<', 'g~', 'gu', 'gU'] as const;

export type Operator = (typeof operators)[number];

/** `name`: the keys without count and character, such as `w`, `gg` or `f`. */
export interface Target {
  readonly kind: 'motion' | 'object' | 'lines';
  readonly name: string;
  /** After `f`, `F`, `t` and `T`. */
  readonly character: string;
}

export type Command =
  | { readonly kind: 'move'; readonly target: Target; readonly count: number | undefined }
  | {
      readonly kind: 'operate';
      readonly operator: Operator;
      readonly target: Target;
      readonly count: number | undefined;
    }
  | {
      readonly kind: 'other';
      readonly name: string;
      readonly character: string;
      readonly count: number | undefined;
    };

type Parsed = Command | 'incomplete' | 'invalid';

const words = (text: string) => new Set(text.split(' '));

const motions = words('h j k l w W b B e E ge gE 0 ^ $ gg G { } % f F t T ; , | _ + -');
/** Like `l`. */
motions.add(' ');
const searches = words('f F t T');
const objects = words('w W " \' ` ( ) b [ ] { } B < > p');
const others = words('p P J gJ o O i a I A gI u . ~ v V R r ZZ ZQ gj gk');
const visualOthers = words('d x X D y Y c s C S R r > < ~ u U gu gU g~ J gJ p P o O I A v V gj gk');
/** Commands that are an operator with a target. */
const shortForms: ReadonlyMap<string, readonly [operator: Operator, name: string]> = new Map([
  ['x', ['d', 'l']],
  ['X', ['d', 'h']],
  ['D', ['d', '$']],
  ['C', ['c', '$']],
  ['s', ['c', 'l']],
  ['S', ['c', 'lines']],
  ['Y', ['y', 'lines']],
]);

function operatorOf(name: string): Operator | undefined {
  return operators.find((operator) => operator === name);
}

/** Reads the keys of a command from left to right. */
interface Reader {
  /** Undefined after the last key. */
  next(): string | undefined;
  count(): number | undefined;
  /** A key, or two after `g` and `Z`; undefined if it is incomplete. */
  name(): string | undefined;
}

const maxCount = 99_999;

function readerOf(keys: readonly string[]): Reader {
  let at = 0;
  const next = () => keys[at++];
  return {
    next,
    count() {
      let digits = '';
      while (/^[1-9]$/.test(keys[at] ?? '') || (digits !== '' && keys[at] === '0')) {
        digits += keys[at++] ?? '';
      }
      return digits === '' ? undefined : Math.min(maxCount, Number(digits));
    },
    name() {
      const first = next();
      if (first !== 'g' && first !== 'Z') return first;
      const second = next();
      return second === undefined ? undefined : first + second;
    },
  };
}

/** The product of the counts before an operator and before its target. */
function product(first: number | undefined, second: number | undefined): number | undefined {
  if (first === undefined || second === undefined) return first ?? second;
  return Math.min(maxCount, first * second);
}

function targetNamed(reader: Reader, name: string): Target | 'incomplete' | 'invalid' {
  if (!motions.has(name)) return 'invalid';
  if (!searches.has(name)) return { kind: 'motion', name, character: '' };
  const character = reader.next();
  return character === undefined ? 'incomplete' : { kind: 'motion', name, character };
}

function objectAfter(reader: Reader, prefix: string): Target | 'incomplete' | 'invalid' {
  const key = reader.next();
  if (key === undefined) return 'incomplete';
  return objects.has(key) ? { kind: 'object', name: prefix + key, character: '' } : 'invalid';
}

const lines: Target = { kind: 'lines', name: 'lines', character: '' };

function parseOperated(reader: Reader, operator: Operator, before: number | undefined): Parsed {
  const count = product(before, reader.count());
  const name = reader.name();
  if (name === undefined) return 'incomplete';
  const isDoubled =
    name === operator || name === '_' || (operator.length > 1 && name === operator.charAt(1));
  const target =
    name === 'i' || name === 'a'
      ? objectAfter(reader, name)
      : isDoubled
        ? lines
        : targetNamed(reader, name);
  return typeof target === 'string' ? target : { kind: 'operate', operator, target, count };
}

function parseOther(reader: Reader, name: string, count: number | undefined): Parsed {
  if (name !== 'r') return { kind: 'other', name, character: '', count };
  const character = reader.next();
  return character === undefined ? 'incomplete' : { kind: 'other', name, character, count };
}

function moveTo(target: Target | 'incomplete' | 'invalid', count: number | undefined): Parsed {
  return typeof target === 'string' ? target : { kind: 'move', target, count };
}

function parseNormal(reader: Reader, name: string, count: number | undefined): Parsed {
  const operator = operatorOf(name);
  if (operator !== undefined) return parseOperated(reader, operator, count);
  const short = shortForms.get(name);
  if (short !== undefined) {
    const [shortOperator, targetName] = short;
    const kind = targetName === 'lines' ? 'lines' : 'motion';
    const target: Target = { kind, name: targetName, character: '' };
    return { kind: 'operate', operator: shortOperator, target, count };
  }
  if (others.has(name)) return parseOther(reader, name, count);
  return moveTo(targetNamed(reader, name), count);
}

function parseVisual(reader: Reader, name: string, count: number | undefined): Parsed {
  if (name === 'i' || name === 'a') return moveTo(objectAfter(reader, name), count);
  if (visualOthers.has(name)) return parseOther(reader, name, count);
  return moveTo(targetNamed(reader, name), count);
}

/** The command of keys typed in normal or visual mode. Each key is a character. */
export function parseKeys(keys: readonly string[], isVisual: boolean): Parsed {
  const reader = readerOf(keys);
  const count = reader.count();
  const name = reader.name();
  if (name === undefined) return 'incomplete';
  return (isVisual ? parseVisual : parseNormal)(reader, name, count);
}
