/** Where and how a value does not conform to a schema. */
export interface Violation {
  /** A JSON Pointer; empty for the whole answer. */
  readonly path: string;
  /** A predicate: `must be integer`. */
  readonly message: string;
}

/** `/age must be integer`, `the answer is not JSON`. */
export function describeViolation({ path, message }: Violation): string {
  return `${path === '' ? 'the answer' : path} ${message}`;
}

/** The first violation, and how many more there are. */
export function describeViolations([first, ...others]: readonly Violation[]): string {
  if (first === undefined) return '';
  const more = others.length === 0 ? '' : `, and ${others.length} more`;
  return `${describeViolation(first)}${more}`;
}
