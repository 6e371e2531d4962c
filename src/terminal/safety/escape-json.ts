import { UNSAFE_IN_JSON } from '../../filtered-characters.ts';

const unsafe = new RegExp(UNSAFE_IN_JSON, 'g');

/** What the sanitizer would remove becomes `\uXXXX`. Takes the result of `JSON.stringify`; the value is the same. */
export function escapeJson(json: string): string {
  return json.replace(unsafe, (found) => {
    let escaped = '';
    for (let index = 0; index < found.length; index += 1) {
      escaped += String.raw`\u` + found.charCodeAt(index).toString(16).padStart(4, '0');
    }
    return escaped;
  });
}
