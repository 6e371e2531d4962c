const entities: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&nbsp;': ' ',
  '&amp;': '&',
};

/** Longest beginning of a page in which a title is looked for, in characters. */
const searched = 64 * 1024;

/** The text of an HTML page's `<title>`; nothing else of a page is ever shown. */
export function pageTitle(page: string): string | undefined {
  const head = page.slice(0, searched);
  const tag = head.search(/<title[\s>]/i);
  if (tag === -1) return undefined;
  const start = head.indexOf('>', tag) + 1;
  const end = head.indexOf('<', start);
  if (start === 0 || end === -1) return undefined;
  const title = head.slice(start, end).replace(/&(?:lt|gt|quot|#39|nbsp|amp);/g, (entity) => {
    return entities[entity] ?? entity;
  });
  return title.trim() === '' ? undefined : title;
}
