/** A `##` heading and the text below it. */
export interface ChangelogSection {
  readonly heading: string;
  readonly text: string;
}

export function changelogSections(changelog: string): readonly ChangelogSection[];
export function versionOf(heading: string): string;
export function entriesOf(section: ChangelogSection): readonly string[];
