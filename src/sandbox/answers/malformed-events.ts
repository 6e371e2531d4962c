import { namesOf } from '../names-of.ts';

// Events that no parser should have to read.

type Spoil = (data: string) => string;

const spoilers = {
  truncated: (data) => data.slice(0, Math.ceil(data.length / 2)),
  text: () => 'this is not JSON',
  html: () => '<html><body>502 Bad Gateway</body></html>',
  two: (data) => `${data} ${data}`,
  scalar: () => '42',
  null: () => 'null',
  empty: () => '',
  comment: () => ': keep-alive',
  utf8: () => '{"choices":[{"index":0,"delta":{"content":"a\u00ffb"}}]}',
} satisfies Record<string, Spoil>;

/** How an event can be spoilt; `endless` is a line that never ends. */
export type MalformedKind = keyof typeof spoilers | 'endless';

export const malformedKinds: readonly MalformedKind[] = [...namesOf(spoilers), 'endless'];

/** The spoilt payload of an event. */
export function spoil(data: string, kind: Exclude<MalformedKind, 'endless'>): string {
  return spoilers[kind](data);
}

/** How an event is to be written; ÿ in Latin-1 is no UTF-8. */
export function encodingOf(kind: MalformedKind): 'latin1' | 'utf8' {
  return kind === 'utf8' ? 'latin1' : 'utf8';
}
