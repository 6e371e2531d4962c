/**
 * Runs cases one after the other.
 * @param cases rows of a title and a function, which gets a function that prints a note
 * @returns the number of failed cases
 */
export async function runCases(print, engine, cases) {
  let failed = 0;
  for (const [title, run] of cases) {
    const start = performance.now();
    const notes = [];
    let result = 'passed';
    try {
      await run((note) => notes.push(note));
    } catch (error) {
      failed += 1;
      result = `failed: ${error.stack}`;
    }
    const seconds = Math.round((performance.now() - start) / 1000);
    print(`${engine}: ${title}: ${result} (${seconds} s)`);
    for (const note of notes) print(`  ${note}`);
  }
  return failed;
}
