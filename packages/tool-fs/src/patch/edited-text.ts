/** A replacement of a part of a text: UTF-16 offsets, end excluded. */
export interface TextSplice {
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
}

/** A text, and how it came from the text of a file: so that bytes which nobody changed can be kept. */
export interface EditedText {
  readonly text: string;
  /** Parts of the original, ascending, and new text between them. */
  readonly pieces: readonly TextPiece[];
}

/** Part of an edited text. */
type TextPiece =
  | { readonly kind: 'kept'; readonly start: number; readonly end: number }
  | { readonly kind: 'new'; readonly text: string };

/** A file's text before any change. */
export function uneditedText(text: string): EditedText {
  return { text, pieces: [{ kind: 'kept', start: 0, end: text.length }] };
}

/** Text that comes from no file. */
export function newText(text: string): EditedText {
  return { text, pieces: [{ kind: 'new', text }] };
}

/**
 * Replaces parts of a text that may have been edited before.
 *
 * @param splices offsets into `edited.text`, ascending and disjoint
 */
export function editText(edited: EditedText, splices: readonly TextSplice[]): EditedText {
  const pieces: TextPiece[] = [];
  const texts: string[] = [];
  const cursor = new PieceCursor(edited.pieces);
  let from = 0;
  for (const { start, end, replacement } of splices) {
    texts.push(edited.text.slice(from, start), replacement);
    cursor.copy(start - from, pieces);
    cursor.skip(end - start);
    if (replacement !== '') pieces.push({ kind: 'new', text: replacement });
    from = end;
  }
  texts.push(edited.text.slice(from));
  cursor.copy(edited.text.length - from, pieces);
  return { text: texts.join(''), pieces };
}

/**
 * All edits as replacements in the original text, ascending and disjoint.
 *
 * @param length of the original text
 */
export function toSplices(edited: EditedText, length: number): readonly TextSplice[] {
  const splices: TextSplice[] = [];
  let from = 0;
  let replacement = '';
  const close = (end: number): void => {
    if (end > from || replacement !== '') splices.push({ start: from, end, replacement });
    replacement = '';
  };
  for (const piece of edited.pieces) {
    if (piece.kind === 'new') replacement += piece.text;
    else if (piece.end > piece.start) {
      close(piece.start);
      from = piece.end;
    }
  }
  close(length);
  return splices;
}

/** Walks over the pieces of a text by offsets into it. */
class PieceCursor {
  readonly #pieces: readonly TextPiece[];
  #index = 0;
  #within = 0;

  constructor(pieces: readonly TextPiece[]) {
    this.#pieces = pieces;
  }

  /** Moves on by `length` and appends what was passed. */
  copy(length: number, into: TextPiece[]): void {
    this.#advance(length, (piece, start, end) => {
      into.push(
        piece.kind === 'kept'
          ? { kind: 'kept', start: piece.start + start, end: piece.start + end }
          : { kind: 'new', text: piece.text.slice(start, end) },
      );
    });
  }

  /** Moves on by `length`. */
  skip(length: number): void {
    this.#advance(length, () => undefined);
  }

  #advance(length: number, visit: (piece: TextPiece, start: number, end: number) => void): void {
    let left = length;
    while (left > 0) {
      const piece = this.#pieces[this.#index];
      if (piece === undefined) throw new RangeError('A splice reaches beyond the text.');
      const size = piece.kind === 'kept' ? piece.end - piece.start : piece.text.length;
      const taken = Math.min(left, size - this.#within);
      if (taken > 0) visit(piece, this.#within, this.#within + taken);
      left -= taken;
      this.#within += taken;
      if (this.#within === size) {
        this.#index += 1;
        this.#within = 0;
      }
    }
  }
}
