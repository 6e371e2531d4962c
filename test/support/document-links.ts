import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const withoutBlocks = (text: string) => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

/** The anchors of the headings, as code hosts and Markdown viewers make them. */
const anchorsOf = (text: string) =>
  [...withoutBlocks(text).matchAll(/^#+ (?<title>.+)$/gm)].map(({ groups }) =>
    (groups?.['title'] ?? '')
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}_ -]/gu, '')
      .replaceAll(' ', '-'),
  );

/** The targets of links and pictures of a document in a folder, without those on other hosts. */
export function linksOf(folder: string, document: string): readonly string[] {
  const text = withoutBlocks(readFileSync(join(folder, document), 'utf8'));
  const links = text
    .replaceAll(/`[^`\n]*`/g, '')
    .matchAll(/\]\((?<link>[^\s)]+)\)|\b(?:href|src|srcset)="(?<target>[^"]+)"/g);
  const targets = [...links].map(({ groups }) => groups?.['link'] ?? groups?.['target'] ?? '');
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

/** The links that lead to no file in the folder, or to no heading in it, each after its document. */
export function deadLinks(folder: string, document: string): readonly string[] {
  const isDead = (link: string) => {
    const [path = '', anchor] = link.split('#');
    const target = join(folder, path === '' ? document : join(dirname(document), path));
    if (!existsSync(target)) return true;
    return anchor !== undefined && !anchorsOf(readFileSync(target, 'utf8')).includes(anchor);
  };
  const links = linksOf(folder, document).filter(isDead);
  return links.map((link) => `${document}: ${link}`);
}
