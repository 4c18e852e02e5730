/** What of an element's style decides whether it is seen; empty where nothing is said. */
export interface ShownStyle {
  readonly display: string;
  readonly visibility: string;
}

const UNSTYLED: ShownStyle = { display: '', visibility: '' };
const DISPLAY = /(?:^|;)\s*display\s*:\s*([\w-]+)/iu;
const VISIBILITY = /(?:^|;)\s*visibility\s*:\s*([\w-]+)/iu;

/** Reads a `style` attribute; values are in lower case. */
export function readStyle(style: string | null): ShownStyle {
  return style === null
    ? UNSTYLED
    : { display: valueOf(style, DISPLAY), visibility: valueOf(style, VISIBILITY) };
}

function valueOf(style: string, property: RegExp): string {
  return property.exec(style)?.[1]?.toLowerCase() ?? '';
}
