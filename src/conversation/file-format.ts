/** The first bytes of usual files that are not text, as Latin-1, and what such a file is. */
const formats: readonly (readonly [start: RegExp, format: string, converter?: string])[] = [
  [/^\x89PNG/, 'a PNG image'],
  [/^\xFF\xD8\xFF/, 'a JPEG image'],
  [/^GIF8/, 'a GIF image'],
  [/^RIFF.{4}WEBP/s, 'a WebP image'],
  [/^%PDF-/, 'a PDF document', 'pdftotext FILE -'],
  [/^PK\x03\x04.*word\/document\.xml/s, 'a Word document', 'pandoc -t plain FILE'],
  [/^PK\x03\x04/, 'a ZIP archive'],
  [/^\x1F\x8B/, 'gzip data', 'gzip -dc FILE'],
];

/** What is known of bytes that are not text. */
interface FileFormat {
  /** With its article: `a PNG image`. */
  readonly format?: string | undefined;
  /** The shell command that prints the text of such a file. */
  readonly converter?: string | undefined;
}

/** The format of bytes that are not text, by the first of them. */
export function formatOf(bytes: Uint8Array): FileFormat {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
  const [, format, converter] = formats.find(([start]) => start.test(text)) ?? [];
  return { format, converter };
}
