import type { Assignment, ParsedScript, SyntaxNode, Word } from 'unbash';
import type { ShellGrammar } from './parse-shell.ts';
import { changesEnvironment, staticValue } from './shell-words.ts';

/** Builtins that put input or words into the variables they are told. */
const readers = new Set(['read', 'mapfile', 'readarray', 'getopts', 'printf']);

/** Commands after which any variable can hold anything. */
const assigners = new Set(['source', '.', 'eval']);

/** Variables that bash itself fills with words of the script, or with names of directories. */
const filledByShell = [
  '_',
  'BASH_ARGV',
  'BASH_ARGV0',
  'BASH_COMMAND',
  'BASH_EXECUTION_STRING',
  'DIRSTACK',
  'FUNCNAME',
  'OLDPWD',
  'PWD',
];

const numericTests = new Set(['-eq', '-ne', '-lt', '-le', '-gt', '-ge']);

/**
 * Names of variables to which a script gives values that need not be numbers; null for any name. Bash
 * evaluates the value of a variable in arithmetic as an expression, command substitutions in subscripts
 * included (`x='a[$(id)]'; echo $((x))`), so such variables must not stand there.
 */
export function unsafeVariables(
  grammar: ShellGrammar,
  script: ParsedScript,
): ReadonlySet<string> | null {
  const names = new Set<string>(filledByShell);
  let any = false;
  const visit = (node: SyntaxNode): void => {
    if (node.type === 'Assignment') {
      if (!isNumber(node)) names.add(node.name);
    } else if (node.type === 'For' || node.type === 'Select') {
      const name = staticValue(node.name);
      if (name === null) any = true;
      else if (!(node.wordlist ?? []).every(isNumericWord)) names.add(name);
    } else if (node.type === 'Command' && node.name !== undefined) {
      const name = staticValue(node.name);
      const args = node.args.map((word) => (word.type === 'Word' ? staticValue(word) : ''));
      if (name === null || assigners.has(name)) any = true;
      else if (readers.has(name)) {
        for (const arg of args) {
          if (arg === null) any ||= name !== 'printf';
          else names.add(arg.replace(/^-v/, ''));
        }
        names.add('REPLY').add('MAPFILE').add('OPTARG');
      }
    } else if (node.type === 'ParameterExpansion' && node.operation?.type === 'Default') {
      // `${x:=value}` assigns.
      if (node.operation.operator.includes('=')) names.add(node.parameter);
    }
    grammar.forEachChild(node, visit);
  };
  visit(script);
  return any ? null : names;
}

/**
 * Whether a node evaluates data as code: prompt expansion (`${x@P}`), indirection through an unsafe
 * variable, or arithmetic on one. Its children are not looked at.
 */
export function evaluatesData(node: SyntaxNode, unsafe: ReadonlySet<string> | null): boolean {
  switch (node.type) {
    case 'ParameterExpansion':
      if (node.operation?.type === 'Transform') return node.operation.operand.value === 'P';
      if (node.operation?.type === 'Unknown') return true;
      if (node.operation?.type === 'Slice') {
        const { offset, length } = node.operation;
        if (
          [offset, length].some((word) => word !== undefined && isUnsafeText(word.text, unsafe))
        ) {
          return true;
        }
      }
      if (node.index !== undefined && isUnsafeText(node.index.text, unsafe)) return true;
      return node.prefix === '!' && (unsafe === null || unsafe.has(node.parameter));
    case 'ArithmeticWord':
      return isUnsafeText(node.value, unsafe);
    case 'ArithmeticCommandExpansion':
      return true;
    case 'Assignment':
      return node.index !== undefined && isUnsafeText(node.index.text, unsafe);
    case 'TestBinary':
      return (
        numericTests.has(node.operator) &&
        [node.left, node.right].some((word) => isUnsafeText(word.text, unsafe))
      );
    case 'TestUnary':
      return (node.operator === '-v' || node.operator === '-R') && !isName(node.operand);
    default:
      return false;
  }
}

/**
 * Whether a builtin takes a word as the name of a variable in a way that matters: the name could hold a
 * subscript to evaluate, or is one that later commands obey.
 */
export function namesVariables(name: string, args: readonly (string | null)[]): boolean {
  if (readers.has(name) && args.some((arg) => arg !== null && changesEnvironment(arg))) return true;
  switch (name) {
    case 'test':
    case '[':
      return args.some((arg, i) => /^-[vR]$/.test(args[i - 1] ?? '') && !isPlainName(arg));
    case 'let':
      return true;
    case 'unset':
    case 'read':
    case 'mapfile':
    case 'readarray':
    case 'getopts':
    case 'wait':
      return args.some((arg) => arg === null || arg.includes('['));
    case 'printf':
      return (
        args[0] === null || (args[0]?.startsWith('-v') === true && !isPlainName(args[1] ?? null))
      );
    case 'declare':
    case 'typeset':
    case 'local':
    case 'export':
    case 'readonly':
      return args.some((arg) => arg === null || /^-[A-Za-z]*i|^[^=]*\[/.test(arg));
    default:
      return false;
  }
}

// Text of an arithmetic expression or of an operand that is evaluated as one.
function isUnsafeText(text: string, unsafe: ReadonlySet<string> | null): boolean {
  if (/[`[]|\$\(|\$\{/.test(text)) return true;
  const names = text.match(/[A-Za-z_]\w*/g) ?? [];
  const positional = /\$[\d@*]/.test(text);
  return positional || names.some((name) => unsafe === null || unsafe.has(name));
}

function isNumber(assignment: Assignment): boolean {
  const { value } = assignment;
  if (value.type === 'ArrayValue') return value.elements.every(isNumericWord);
  return isNumericWord(value) || value.text === '';
}

function isNumericWord(word: Word): boolean {
  return /^(-?\d+|\{-?\d+\.\.-?\d+\}|\$\(\([^`$]*\)\))$/.test(word.text);
}

function isName(word: Word): boolean {
  return isPlainName(staticValue(word));
}

function isPlainName(value: string | null): boolean {
  return value !== null && /^[A-Za-z_]\w*$/.test(value);
}
