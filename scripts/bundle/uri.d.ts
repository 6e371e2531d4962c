export interface UriParts {
  readonly scheme?: string;
  readonly authority?: string;
  readonly path: string;
  readonly query?: string;
  readonly fragment?: string;
}

export function parse(text: string): UriParts;
export function serialize(parts: UriParts): string;
export function resolve(base: string, text: string): string;
