import { ToolError } from '@toolwright/core';

/** A part of a text, counted in code points. */
export interface PageWindow {
  readonly text: string;
  readonly offset: number;
  readonly returnedChars: number;
  readonly totalChars: number;
  /** Where the next part begins; `undefined` at the end. */
  readonly nextOffset: number | undefined;
}

/**
 * Takes `maxChars` code points from `offset`, fewer where they would need more than `maxBytes` of UTF-8, never splitting a character.
 * Errors: `invalid_argument`/`out_of_range` for an offset behind the end; one at the end is an empty part.
 */
export function takeWindow(
  text: string,
  options: { readonly offset: number; readonly maxChars: number; readonly maxBytes: number },
): PageWindow {
  const { offset, maxChars, maxBytes } = options;
  let index = 0;
  let position = 0;
  let start: number | undefined = offset === 0 ? 0 : undefined;
  let end: number | undefined;
  let bytes = 0;
  let returned = 0;
  while (index < text.length) {
    const code = text.codePointAt(index) ?? 0;
    const size = code > 0xff_ff ? 4 : code > 0x7_ff ? 3 : code > 0x7f ? 2 : 1;
    if (start !== undefined && end === undefined) {
      if (returned === maxChars || (bytes + size > maxBytes && returned > 0)) {
        end = index;
      } else {
        bytes += size;
        returned += 1;
      }
    }
    index += code > 0xff_ff ? 2 : 1;
    position += 1;
    start ??= position === offset ? index : undefined;
  }
  if (start === undefined) {
    throw new ToolError(
      'invalid_argument',
      `offset ${String(offset)} lies behind the end of the page, which has ${String(position)} characters.`,
      {
        reason: 'out_of_range',
        fields: { total_chars: position },
      },
    );
  }
  return {
    text: text.slice(start, end),
    offset,
    returnedChars: returned,
    totalChars: position,
    nextOffset: end === undefined ? undefined : offset + returned,
  };
}
