import type { Reply, ReplyName } from './reply.ts';

const pieceLength = 4096;

/** The last user turn, unchanged. */
const echoReply: Reply = function* echo({ text }) {
  for (let start = 0; start < text.length; start += pieceLength) {
    yield text.slice(start, start + pieceLength);
  }
};

const loaders: Readonly<Record<ReplyName, () => Promise<Reply>>> = {
  default: async () => (await import('./default-reply.ts')).defaultReply,
  help: async () => (await import('./help-reply.ts')).helpReply,
  echo: async () => echoReply,
  tokens: async () => (await import('./prose-reply.ts')).proseReply,
  million: async () => (await import('./prose-reply.ts')).millionReply,
  markdown: async () => (await import('./markdown-reply.ts')).markdownReply,
  code: async () => (await import('./code-reply.ts')).codeReply,
  tables: async () => (await import('./tables-reply.ts')).tablesReply,
  unicode: async () => (await import('./unicode-reply.ts')).unicodeReply,
  hostile: async () => (await import('./hostile-reply.ts')).hostileReply,
};

/** The texts are loaded on demand, so that a sandbox starts fast. */
export async function loadReply(name: ReplyName): Promise<Reply> {
  return loaders[name]();
}
