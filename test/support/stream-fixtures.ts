import { contentFixtures, formFixtures } from './content-fixtures.ts';
import { framingFixtures } from './framing-fixtures.ts';
import { serverFixtures } from './server-fixtures.ts';
import type { FixtureParts, StreamFixture } from './stream-events.ts';

function fixture({ body, ...rest }: FixtureParts): StreamFixture {
  const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
  return { contentType: 'text/event-stream', ...rest, bytes };
}

/** Valid bodies with status 200; each must be read the same however it is split into reads. */
export const streamFixtures: readonly StreamFixture[] = [
  ...framingFixtures,
  ...contentFixtures,
  ...formFixtures,
  ...serverFixtures.map((parts) => ({ ...parts, name: `from ${parts.name}` })),
].map(fixture);
