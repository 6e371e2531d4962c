type Corrupt = (data: string) => string;

export const malformedSummaries = {
  truncated: 'half of the JSON (default)',
  text: 'not JSON',
  html: 'an HTML page of a gateway',
  two: 'the JSON value twice',
  scalar: 'a number',
  null: 'JSON null',
  empty: 'no data',
  comment: 'a comment that a gateway sent as data',
  utf8: 'invalid UTF-8',
  endless: 'a line that never ends',
} as const;

const corruptors = {
  truncated: (data) => data.slice(0, Math.ceil(data.length / 2)),
  text: () => 'this is not JSON',
  html: () => '<html><body>502 Bad Gateway</body></html>',
  two: (data) => `${data} ${data}`,
  scalar: () => '42',
  null: () => 'null',
  empty: () => '',
  comment: () => ': keep-alive',
  utf8: () => '{"choices":[{"index":0,"delta":{"content":"a\u00ffb"}}]}',
} satisfies Record<Exclude<MalformedKind, 'endless'>, Corrupt>;

export type MalformedKind = keyof typeof malformedSummaries;

export function corrupt(data: string, kind: Exclude<MalformedKind, 'endless'>): string {
  return corruptors[kind](data);
}

/** ÿ in Latin-1 is invalid UTF-8. */
export function encodingOf(kind: MalformedKind): 'latin1' | 'utf8' {
  return kind === 'utf8' ? 'latin1' : 'utf8';
}
