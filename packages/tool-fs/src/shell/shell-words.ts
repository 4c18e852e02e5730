import type { Assignment, SyntaxNode, Word, WordPart } from 'unbash';

/** One word of a simple command. */
export interface ShellWord {
  /** As it stands in the command, or quoted anew where its value is known. */
  readonly text: string;
  /** What the command gets, where that can be told without running anything. */
  readonly value: string | null;
}

/** A word of the grammar as a {@link ShellWord}. */
export function toShellWord(word: Word | Assignment): ShellWord {
  const value = word.type === 'Word' ? staticValue(word) : null;
  return { text: value === null ? word.text : quoteWord(value), value };
}

/** The value of a word without expansions, globs, braces or a leading tilde; else null. */
export function staticValue(word: Word): string | null {
  const parts = word.parts;
  if (parts === undefined) return isTilde(word.text) ? null : word.value;
  if (isTilde(word.text)) return null;
  return parts.every(isStaticPart) ? word.value : null;
}

/**
 * Whether the grammar calls a piece of text literal in which bash would see a substitution: a guard against
 * mistakes of the parser (it overlooks the one in `1<(command)`).
 */
export function hidesSubstitution(node: SyntaxNode): boolean {
  if (node.type !== 'Literal' && (node.type !== 'Word' || node.parts !== undefined)) return false;
  return /[<>]\(|`|\$[({]/.test(node.text.replaceAll(/\\./gs, ''));
}

/** Writes a value so that a shell reads it as one word again. */
export function quoteWord(value: string): string {
  if (/^[\w@%+=:,./-]+$/.test(value)) return value;
  return `'${value.replaceAll("'", String.raw`'\''`)}'`;
}

function isStaticPart(part: WordPart): boolean {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return true;
    case 'DoubleQuoted':
      return part.parts.every((child) => child.type === 'Literal');
    case 'LocaleString':
    case 'Glob':
    case 'SimpleExpansion':
    case 'ParameterExpansion':
    case 'CommandExpansion':
    case 'ArithmeticExpansion':
    case 'ProcessSubstitution':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      return false;
  }
}

function isTilde(text: string): boolean {
  return text.startsWith('~');
}

/** Variables that bash itself obeys, or that our environment of commands exports: later commands change with them. */
const obeyed =
  /^(PATH|IFS|ENV|PS\d|CDPATH|GLOBIGNORE|EXECIGNORE|PROMPT_COMMAND|SHELLOPTS|POSIXLY_CORRECT|HOME|SHELL|TMPDIR|LANG|LANGUAGE|TZ|TERM|USER|LOGNAME|EDITOR|VISUAL|PAGER|TEMP|TMP|CLASSPATH|(BASH|LC|LD|DYLD|GIT|SSH|SSL|NODE|NPM|PNPM|YARN|PYTHON|PIP|PERL|PERL5|RUBY|GEM|JAVA|JDK|GO|GOPATH|GOROOT|CARGO|RUST|RUSTUP|DOTNET|DOCKER|MAKE|LESS|MAN|GCC|CC|CXX|CPP|HTTP|HTTPS|ALL|FTP|NO|CURL|REQUESTS|AWS|GH|SYSTEMD|DEBIAN|ANDROID|CONDA|VIRTUAL|PYENV|RBENV|NVM|VOLTA|BUN|DENO|TOOLWRIGHT)(_\w*)?|\w*_(OPTIONS|OPTS|FLAGS|PAGER|EDITOR|PROXY))$/i;

/** Whether assigning a variable, with no command, can change what later commands of the script do. */
export function changesEnvironment(name: string): boolean {
  return obeyed.test(name);
}
