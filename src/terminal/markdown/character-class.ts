const space = /\s/;
const punctuation = /[\p{P}\p{S}]/u;
/** Scripts written without spaces: a line of them may go out after any character. */
const wide = /[\u2e80-\u3098\u309b-\u9fff\ua000-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff00-\uffef]/;

export function isSpace(character: string): boolean {
  return character === '' || character === ' ' || space.test(character);
}

export function isPunctuation(character: string): boolean {
  return punctuation.test(character);
}

export function isWide(character: string): boolean {
  return character >= '\u2e80' && wide.test(character);
}
