/** A piece of a line: text as it is to appear, emphasis around finished text, or a hard line break. */
export type InlinePiece =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'mark'; readonly mark: '*' | '**' | '~~'; readonly text: string }
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
  let joined = '';
  for (const [index, piece] of pieces.entries()) {
    switch (piece.kind) {
      case 'break':
        joined += '\n';
        break;
      case 'text':
        // An exclamation mark before a link would make it an image.
        joined +=
          joined.endsWith('!') && piece.text.startsWith('[') ? `\\${piece.text}` : piece.text;
        break;
      case 'mark':
        joined += canMark(piece.text, lastOf(joined), firstOf(pieces[index + 1]))
          ? `${piece.mark}${piece.text}${piece.mark}`
          : piece.text;
        break;
    }
  }
  return joined
    .replaceAll(/[^\S\n]+/gu, ' ')
    .replaceAll(/ ?\n ?/gu, '\n')
    .trim();
}

function canMark(text: string, before: string, after: string): boolean {
  const opens = !isPunctuation(firstCharacter(text)) || isOpen(before);
  const closes = !isPunctuation(lastOf(text)) || isOpen(after);
  return opens && closes && before !== '*' && before !== '~' && after !== '*' && after !== '~';
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
  return /.$/su.exec(text)?.[0] ?? '';
}
