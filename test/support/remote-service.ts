import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryHome } from './natter.ts';
import { streamed } from './raw-replies.ts';
import { githubToken } from './secret.ts';
import { serve } from './serve.ts';

/** The second line has a token. */
export const secretLog = `first\nlogin with ${githubToken} done\n`;

/** A service on this machine with an address that is not a loopback name, as far as natter knows. */
export async function openRemote(replies: Parameters<typeof serve>[0] = [[streamed('Hello')]]) {
  const server = await serve(replies);
  const home = temporaryHome();
  const host = `0.0.0.0:${new URL(server.url).port}`;
  const env = { HOME: home, NATTER_BASE_URL: `http://${host}` };
  return { server, home, env, host };
}

export function secretFile(home: string): string {
  const file = join(home, 'notes.txt');
  writeFileSync(file, secretLog);
  return file;
}
