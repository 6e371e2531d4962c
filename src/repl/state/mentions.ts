const mention = /(?:^|\s)@(?:"([^"\n]+)"|([^\s"]+))/g;

/** The paths of `@path` and `@"path with blanks"` in a typed text, in order, each once. */
export function mentionsOf(text: string): readonly string[] {
  const paths = Array.from(text.matchAll(mention), ([, quoted, plain]) => quoted ?? plain ?? '');
  return [...new Set(paths)];
}
