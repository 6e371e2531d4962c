import { readdirSync, readFileSync } from 'node:fs';
import { changelogSections, versionOf } from '../package/changelog.js';

const dateOf = (text: string) => /\b20\d\d-[01]\d-[0-3]\d\b/.exec(text)?.[0];

/** The newest date in the design decisions: a date that changes only with the source. */
function newestDecision(): string | undefined {
  const folder = 'docs/decisions';
  const dates = readdirSync(folder).map((name) => {
    return dateOf(readFileSync(`${folder}/${name}`, 'utf8')) ?? '';
  });
  return dates.toSorted().at(-1);
}

/**
 * The date of a version in CHANGELOG.md, as 2026-01-31; before its release, that of the newest design decision. The
 * clock is not used, because the package must be reproducible.
 * @throws Error if neither has a date
 */
export function releaseDate(version: string): string {
  const sections = changelogSections(readFileSync('CHANGELOG.md', 'utf8'));
  const released = sections.find(({ heading }) => versionOf(heading) === version);
  const date = dateOf(released?.heading ?? '') ?? newestDecision();
  if (date === undefined) throw new Error(`${version} has no date`);
  return date;
}
