/** The value where it is a text that says something. */
export function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
