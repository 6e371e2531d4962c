/** The sections of a changelog: each `##` heading, and the text below it. */
export function changelogSections(changelog) {
  const [, ...sections] = changelog.replaceAll('\r\n', '\n').split(/^## /m);
  return sections.map((section) => {
    const [heading, ...lines] = section.split('\n');
    return { heading: heading.trim(), text: lines.join('\n').trim() };
  });
}

/** The version in a heading such as `1.2.3 - 2026-01-31`. */
export const versionOf = (heading) => heading.split(' ')[0];

export const entriesOf = ({ text }) => text.split('\n').filter((line) => line.startsWith('- '));
