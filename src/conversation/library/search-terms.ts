/** The words of a search, each of which must occur, and its phrases in double quotes. An open quote ends with the text. */
export function searchTerms(query: string): readonly string[] {
  return [...query.matchAll(/"([^"]*)(?:"|$)|[^\s"]+/g)]
    .map(([word, phrase]) => (phrase ?? word).trim())
    .filter((term) => term !== '');
}
