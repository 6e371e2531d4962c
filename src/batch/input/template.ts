/** A prompt with places in it, `{{name}}`. */
export interface Template {
  /** In the order they stand, without repeats. */
  readonly names: readonly string[];
  /** What is put in is not looked at for places again. */
  fill(value: (name: string) => string): string;
}

const place = /\{\{\s*(?<name>[^{}]+?)\s*\}\}/g;

export function parseTemplate(text: string): Template {
  const names = [...text.matchAll(place)].map(({ groups }) => groups?.['name'] ?? '');
  return {
    names: [...new Set(names)],
    fill: (value) => text.replaceAll(place, (_, name: string) => value(name)),
  };
}
