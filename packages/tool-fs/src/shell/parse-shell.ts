import type { ParsedScript, SyntaxNode } from 'unbash';

/** A grammar that was loaded: the parser and its generic walk. */
export interface ShellGrammar {
  /** Null for a text that is no complete script. */
  parse(source: string): ParsedScript | null;
  /** Calls back for each direct child of a node. */
  forEachChild(node: SyntaxNode, visit: (child: SyntaxNode) => void): void;
}

/** UTF-16 units of a command line that are parsed, at most. */
const maxSourceLength = 65_536;

/** Loads the Bash grammar (unbash), on first use. */
export async function loadShellGrammar(): Promise<ShellGrammar> {
  const { parse, forEachChild } = await import('unbash');
  return {
    parse: (source) => {
      if (source.length > maxSourceLength || source.includes('\0')) return null;
      const script = parse(source);
      return isComplete(script) ? script : null;
    },
    forEachChild,
  };
}

/** Whether the parser understood all of a script; it recovers from mistakes, and says so. */
export function isComplete(script: ParsedScript): boolean {
  return script.errors === undefined || script.errors.length === 0;
}
