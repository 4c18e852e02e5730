import { ToolError } from '@toolwright/core';

/** The names that stand in a new tool package. */
export interface PackageNames {
  /** As npm knows it: `@acme/tool-line-count`. */
  readonly packageName: string;
  /** The folder: `tool-line-count`. */
  readonly folder: string;
  /** The provider, and what files are named for: `line-count`. */
  readonly subject: string;
  /** The function that makes the provider: `lineCount`. */
  readonly factory: string;
  /** The tool: `line_count`. */
  readonly tool: string;
}

/** Characters of a name without its scope; a tool's name has at most 64. */
const maxNameLength = 64;
const namePattern = /^(?:@[a-z0-9][a-z0-9-]*\/)?([a-z][a-z0-9]*(?:-[a-z0-9]+)*)$/;

/** Words that cannot name a function of a module. */
const reservedWords = new Set(
  'arguments await break case catch class const continue debugger default delete do else enum eval export extends false finally for function if implements import in instanceof interface let new null package private protected public return static super switch this throw true try typeof var void while with yield'.split(
    ' ',
  ),
);

/** Derives all names from the package's. Errors: `invalid_argument` with `bad_name`. */
export function toPackageNames(packageName: string): PackageNames {
  const folder = namePattern.exec(packageName)?.[1];
  if (folder === undefined || folder.length > maxNameLength) {
    throw new ToolError(
      'invalid_argument',
      `${JSON.stringify(packageName)} cannot name a package of tools: use words of lower-case letters and digits with hyphens between them, at most ${maxNameLength} characters, with a scope where you have one, such as tool-weather or @acme/tool-weather.`,
      { reason: 'bad_name' },
    );
  }
  const subject = folder.replace(/^(?:toolwright-)?(?:tool-)?(?=[a-z])/, '');
  const factory = subject.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
  return {
    packageName,
    folder,
    subject,
    factory: reservedWords.has(factory) ? `${factory}Tools` : factory,
    tool: subject.replaceAll('-', '_'),
  };
}
