import { isUtf8 } from 'node:buffer';

/** Bytes that were received together. */
export interface Piece {
  readonly bytes: Uint8Array;
}

/** Masks secrets in pieces, also across their borders. */
export interface SecretPieces<Kind extends Piece> {
  /** The pieces that are ready: no secret in them can continue in later pieces. */
  take(piece: Kind): readonly Kind[];
  /** The delayed pieces. */
  end(): readonly Kind[];
}

type Mask = (text: string) => string;

/** In bytes. A secret is shorter, and has no line break. */
const maxSecretLength = 4096;
const lineBreak = 0x0a;

function joinMasked(pieces: readonly Piece[], mask: Mask): Buffer {
  const bytes = Buffer.concat(pieces.map((piece) => piece.bytes));
  // Keys are ASCII, so an encoding that keeps all bytes suffices for bytes that are not UTF-8.
  const encoding = isUtf8(bytes) ? 'utf8' : 'latin1';
  const text = bytes.toString(encoding);
  const masked = mask(text);
  return masked === text ? bytes : Buffer.from(masked, encoding);
}

/** How many of the first pieces are followed by enough bytes for a secret to end in. */
function countSettled(pieces: readonly Piece[]): number {
  let after = 0;
  for (let index = pieces.length - 1; index >= 0; index -= 1) {
    const bytes = pieces[index]?.bytes ?? new Uint8Array();
    if (bytes.at(-1) === lineBreak || after >= maxSecretLength) return index + 1;
    if (bytes.includes(lineBreak)) return index;
    after += bytes.length;
  }
  return 0;
}

/** Masks the first `count` pieces; joins those that share a secret, and keeps them if it continues after them. */
function separate<Kind extends Piece>(pieces: readonly Kind[], count: number, mask: Mask) {
  const whole = Buffer.concat(pieces.map(({ bytes }) => bytes));
  if (joinMasked(pieces, mask).equals(whole)) {
    return { ready: pieces.slice(0, count), held: pieces.slice(count) };
  }
  const ready: Kind[] = [];
  let group: readonly Kind[] = [];
  for (const [index, piece] of pieces.slice(0, count).entries()) {
    group = [...group, piece];
    const rest = pieces.slice(index + 1);
    const [one, other] = [joinMasked(group, mask), joinMasked(rest, mask)];
    if (!joinMasked([...group, ...rest], mask).equals(Buffer.concat([one, other]))) continue;
    ready.push({ ...piece, bytes: one });
    group = [];
  }
  return { ready, held: [...group, ...pieces.slice(count)] };
}

/** Pieces that share a secret become one, in the place of the last of them. */
export function createSecretBytes<Kind extends Piece>(mask: Mask): SecretPieces<Kind> {
  let held: readonly Kind[] = [];
  const release = (count: number) => {
    const parts = separate(held, count, mask);
    held = parts.held;
    return parts.ready;
  };
  return {
    take(piece) {
      held = [...held, piece];
      return release(countSettled(held));
    },
    end: () => release(held.length),
  };
}
