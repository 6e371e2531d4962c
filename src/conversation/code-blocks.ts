import { Marked, type Token } from 'marked';

/** The contents of all code blocks of a Markdown text, without their fences; lists and quotes included. */
export function codeBlocks(markdown: string): readonly string[] {
  const blocks: string[] = [];
  const collect = (token: Token) => {
    if (token.type === 'code' && typeof token['text'] === 'string') blocks.push(token['text']);
  };
  const reader = new Marked();
  void reader.walkTokens(reader.lexer(markdown), collect);
  return blocks;
}
