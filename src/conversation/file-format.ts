type Format = readonly [start: RegExp, format: string, converter?: string, contained?: string];

/** The first bytes of usual files that are not text, as Latin-1, what such a file is, and bytes that it contains. */
const formats: readonly Format[] = [
  [/^\x89PNG/, 'a PNG image'],
  [/^\xFF\xD8\xFF/, 'a JPEG image'],
  [/^GIF8/, 'a GIF image'],
  [/^RIFF.{4}WEBP/s, 'a WebP image'],
  [/^%PDF-/, 'a PDF document', 'pdftotext FILE -'],
  [/^PK\x03\x04/, 'a Word document', 'pandoc -t plain FILE', 'word/document.xml'],
  [/^PK\x03\x04/, 'a ZIP archive'],
  [/^\x1F\x8B/, 'gzip data', 'gzip -dc FILE'],
];

/** Bytes, of which the longest start has 12. */
const headLength = 16;

/** What is known of bytes that are not text. */
interface FileFormat {
  /** With its article: `a PNG image`. */
  readonly format?: string | undefined;
  /** The shell command that prints the text of such a file. */
  readonly converter?: string | undefined;
}

/** The format of bytes that are not text, by the first of them. */
export function formatOf(bytes: Uint8Array): FileFormat {
  const all = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const head = all.toString('latin1', 0, headLength);
  const [, format, converter] =
    formats.find(
      ([start, , , contained = '']) =>
        start.test(head) && (contained === '' || all.includes(contained)),
    ) ?? [];
  return { format, converter };
}
