const yogaBytes =
  /;H="data:application\/octet-stream;base64,(?<bytes>[^"]+)";.*?(?=function za\()/s;

/** Between the bytes and an address to fetch. */
const choice = /return w\|\|[^;]*?c\(b\):fetch\(.*?\)\}\)\}\)\(\)/s;

/**
 * Takes the WebAssembly out of the loader of Yoga, for a separate file: as base64 it is a third larger, and compresses
 * worse. The rest of that part would load a data: URL with fetch, which starts Node's whole HTTP client.
 */
export function separateYoga(code) {
  const bytes = yogaBytes.exec(code)?.groups.bytes;
  if (bytes === undefined || !choice.test(code)) throw new Error('not the loader of Yoga');
  const loader = code
    .replace(yogaBytes, ';async function ya(){return readFileSync(join(__dirname,"yoga.wasm"))}')
    .replace(choice, 'return c(b)})()')
    .replace('import.meta.url', '""');
  const imports = "import { readFileSync } from 'node:fs'; import { join } from 'node:path';";
  return { bytes: Buffer.from(bytes, 'base64'), loader: imports + loader };
}
