/** What stands on both sides of emphasised text. */
export type Mark = '*' | '**' | '~~';

/** A piece of a line: text as it is to appear, emphasis around other pieces, or a hard line break. */
export type InlinePiece =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'mark';
      readonly mark: Mark;
      readonly pieces: readonly InlinePiece[];
    }
  | { readonly kind: 'break' };

/** A text piece. */
export function textPiece(text: string): InlinePiece {
  return { kind: 'text', text };
}

/**
 * Joins pieces into lines: white space collapsed as a browser would, hard breaks kept. Marks whose neighbours would keep a Markdown
 * reader from seeing them as emphasis (CommonMark's flanking rules) are left out, so that no stray asterisks remain.
 */
export function joinInline(pieces: readonly InlinePiece[]): string {
  return joinRaw(pieces)
    .replaceAll(/[^\S\n]+/gu, ' ')
    .replaceAll(/ ?\n ?/gu, '\n')
    .trim();
}

function joinRaw(pieces: readonly InlinePiece[]): string {
  const line = new Line();
  // The next piece is the last one; a mark that cannot stand is replaced by what it marks.
  const waiting = pieces.toReversed();
  for (let piece = waiting.pop(); piece !== undefined; piece = waiting.pop()) {
    switch (piece.kind) {
      case 'break':
        line.add('\n');
        break;
      case 'text':
        line.addText(piece.text);
        break;
      case 'mark': {
        const text = joinInline(piece.pieces);
        if (canMark(text, lastOf(line.end), firstOf(waiting.at(-1)))) {
          line.add(`${piece.mark}${text}${piece.mark}`);
        } else {
          for (const inner of piece.pieces.toReversed()) {
            waiting.push(inner);
          }
        }
        break;
      }
    }
  }
  return line.toString();
}

/** A line that grows; only its end is looked at, as to look at the whole takes time by its length. */
class Line {
  readonly #parts: string[] = [];
  /** The last two code units. */
  end = '';

  add(text: string): void {
    if (text !== '') {
      this.#parts.push(text);
      this.end = (this.end + text).slice(-2);
    }
  }

  /**
   * Adds text that must not make with what is there what neither is: an image (`!` before a link), a link (`]` before a parenthesis), or
   * one code span out of two.
   */
  addText(text: string): void {
    const { end } = this;
    const last = end.slice(-1);
    if (last === '`' && end !== '\\`' && text.startsWith('`')) {
      this.add(' ');
    } else if ((last === '!' && text.startsWith('[')) || (last === ']' && /^[([:]/u.test(text))) {
      this.#parts.push(`${(this.#parts.pop() ?? '').slice(0, -1)}\\${last}`);
    }
    this.add(text);
  }

  toString(): string {
    return this.#parts.join('');
  }
}

function canMark(text: string, before: string, after: string): boolean {
  // Emphasis over line breaks, around nothing or next to its own characters cannot be written.
  if (text === '' || text.includes('\n') || /\\[*~]$/u.test(text)) {
    return false;
  }
  const opens = !isPunctuation(firstCharacter(text)) || isOpen(before);
  const closes = !isPunctuation(lastOf(text)) || isOpen(after);
  return opens && closes && !/[*~]/u.test(before + after);
}

function isOpen(character: string): boolean {
  return character === '' || /^\s$/u.test(character) || isPunctuation(character);
}

function isPunctuation(character: string): boolean {
  return /^[\p{P}\p{S}]$/u.test(character);
}

function firstOf(piece: InlinePiece | undefined): string {
  if (piece === undefined || piece.kind === 'break') {
    return '';
  }
  return piece.kind === 'mark' ? piece.mark.charAt(0) : firstCharacter(piece.text);
}

function firstCharacter(text: string): string {
  return String.fromCodePoint(text.codePointAt(0) ?? 0x20);
}

function lastOf(text: string): string {
  const pair = text.codePointAt(text.length - 2) ?? 0;
  return pair > 0xff_ff ? String.fromCodePoint(pair) : text.slice(-1);
}
