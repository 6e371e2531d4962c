import type { ReplyName } from './reply-names.ts';
import type { Reply } from './reply.ts';

const loaders: Readonly<Record<ReplyName, () => Promise<Reply>>> = {
  default: async () => (await import('./default-reply.ts')).defaultReply,
  help: async () => (await import('./help-reply.ts')).helpReply,
  echo: async () => (await import('./echo-reply.ts')).echoReply,
  tokens: async () => (await import('./prose-reply.ts')).proseReply,
  million: async () => (await import('./prose-reply.ts')).millionReply,
  markdown: async () => (await import('./markdown-reply.ts')).markdownReply,
  code: async () => (await import('./code-reply.ts')).codeReply,
  tables: async () => (await import('./tables-reply.ts')).tablesReply,
  unicode: async () => (await import('./unicode-reply.ts')).unicodeReply,
  hostile: async () => (await import('./hostile-reply.ts')).hostileReply,
};

/** The texts are loaded when first asked for: starting a sandbox must cost next to nothing. */
export async function loadReply(name: ReplyName): Promise<Reply> {
  return loaders[name]();
}
