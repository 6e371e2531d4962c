/** A notice for a screen reader: without symbols that it skips or reads as their names. */
export function inWords(text: string): string {
  return text
    .replaceAll(' · ', ', ')
    .replaceAll(/[~≈] ?(?=\d)/g, 'about ')
    .replaceAll(/\bversion (\d+)\/(\d+)/g, 'version $1 of $2')
    .replaceAll('tokens/s', 'tokens a second');
}
